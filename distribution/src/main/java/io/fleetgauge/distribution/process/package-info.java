/**
 * Folders from which one process each runs: probe, gateway and query API.
 *
 * <p>In: the unpacked general archive and a JDK that can link run-time images. Out: for each
 * process a folder with its launcher, flags, jars, native libraries, examples, licences, and an
 * image of the modules of the JDK that it needs; that of the query API has the commands of
 * operators too. Archives, packages and images of containers are made of these folders. It is a
 * step of the build and is not installed itself.
 *
 * <p>Law: a process runs from its folder without any Java on the machine, wherever the folder is
 * and while nobody may write to it.
 */
package io.fleetgauge.distribution.process;
