/**
 * Makes an image of each process, which container engines and registries take.
 *
 * <p>In: the folder of a process (runtime, jars, native libraries, cache of classes), and packages
 * of Debian, of which the C library and what else the JVM is linked with are taken. Out: a tar file
 * with the image, the digest of its manifest, and the list of what is in it (CycloneDX). No
 * container engine is needed.
 *
 * <p>Laws: the same folder gives the same bytes. An image has no shell and no package manager, and
 * nothing that its user may write to but its data folder and {@code /tmp}. Layers are in the order
 * in which they change, so that a new release brings one new layer. Files of others are taken only
 * with the digest that is listed here.
 */
package io.fleetgauge.distribution.image;
