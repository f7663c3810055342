/**
 * The archive for GPU nodes: the probe with a Java runtime of its own.
 *
 * <p>In: the unpacked general archive and a JDK that can link run-time images. Out: {@code
 * fleetgauge-probe-VERSION-linux-ARCH.tar.gz} with the probe's jars, its native libraries, an image
 * of the JDK's modules that it needs, and a cache of the classes that it loads, which a run of the
 * probe against a gateway and a driver of stand-ins trained. It is a step of the build and is not
 * installed itself.
 *
 * <p>Law: the probe of this archive runs without any Java on the node, from a folder that nobody
 * may write to, wherever it is unpacked. Where the cache does not fit, the probe runs without it.
 */
package io.fleetgauge.distribution.node;
