/**
 * Output of {@code ./fleetgauge package}: the folders of the processes, and archives of them.
 *
 * <p>In: the unpacked general archive. Out: {@code target/processes} and {@code target/packages}.
 *
 * <p>Law: the same sources, time and caches make the same bytes.
 */
package io.fleetgauge.distribution.packaging;
