/**
 * Bills of materials: what an archive is made of, as CycloneDX 1.6 in JSON.
 *
 * <p>In: folders of processes. Out: a file for each, with every jar (Maven coordinates, licence,
 * hash) and the image of the JDK.
 *
 * <p>Law: what is listed is what is in the folder, and its bytes depend on nothing else.
 */
package io.fleetgauge.distribution.sbom;
