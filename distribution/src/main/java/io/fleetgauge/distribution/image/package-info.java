/**
 * Makes an image of each process, which container engines and registries take.
 *
 * <p>In: the folder of a process (runtime, jars, native libraries, cache of classes), and the base
 * that {@code src/main/image/base} makes of packages of Debian. Out: a tar file as {@code docker
 * save} writes it, the ID of the image, and the list of what is in it (CycloneDX). Jib writes the
 * image; no container engine is needed. RATIONALE.md of the module tells why.
 *
 * <p>Laws: the same folder gives the same bytes. An image has no shell and no package manager, and
 * nothing that its user may write to but its data folder and {@code /tmp}. Layers are in the order
 * in which they change, so that a new release brings one new layer. Files of others are taken only
 * with the digest that is listed.
 */
package io.fleetgauge.distribution.image;
