/**
 * The packages of Debian and of RPM distributions, one of each kind for a process.
 *
 * <p>In: the folder of a process with its own Java runtime, a version, and the time that all files
 * get. Out: {@code fleetgauge-PROCESS_VERSION_ARCH.deb} and {@code
 * fleetgauge-PROCESS-VERSION-1.ARCH.rpm} with that folder below {@code /usr/lib/fleetgauge}, a
 * command, a hardened unit of systemd, its user and folders, and a configuration with which the
 * three processes find each other on one machine. It is a step of the build and is not installed
 * itself.
 *
 * <p>Law: the same folder, version and time give the same bytes. A package needs the C library of
 * the machine and nothing else to run. Neither an upgrade nor a removal touches data, or a
 * configuration that somebody changed.
 */
package io.fleetgauge.distribution.packages;
