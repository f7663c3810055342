/**
 * Output of {@code ./fleetgauge package}: the folders of the processes, archives of them, and a
 * package of Debian and one of RPM distributions for each; with manual pages and completions for
 * bash of the commands that are installed, and a bill of materials (CycloneDX 1.6 in JSON).
 *
 * <p>In: the unpacked general archive, folders of processes with their own Java runtime, a version,
 * and the time that all files get. Out: {@code target/processes} and {@code target/packages};
 * {@code fleetgauge-PROCESS_VERSION_ARCH.deb} and {@code fleetgauge-PROCESS-VERSION-1.ARCH.rpm}
 * with that folder below {@code /usr/lib/fleetgauge}, a command, a hardened unit of systemd, its
 * user and folders, and a configuration with which the three processes find each other on one
 * machine. It is a step of the build and is not installed itself.
 *
 * <p>Law: the same folder, version and time give the same bytes. Manual pages say what {@code
 * --help} says. A bill of materials lists every jar of the folder and the image of the JDK, and
 * nothing else. A package needs the C library of the machine and nothing else to run. Neither an
 * upgrade nor a removal touches data, or a configuration that somebody changed.
 */
package io.fleetgauge.distribution.packages;
