/**
 * What the kernel says of this node, under node_exporter's names.
 *
 * <p>In: a mounted proc file system. Out: samples, added to a {@link
 * io.fleetgauge.sample.Tick.Builder}. Units are those of the names: seconds, bytes, counts.
 *
 * <p>Law: names, labels and meanings are node_exporter's ({@code NodeExporterComparisonTest}). A
 * file that cannot be read or a line that cannot be understood costs only its own samples, and is
 * counted. Network file systems are left out, because asking a dead server for its free space
 * blocks.
 */
package io.fleetgauge.probe.host;
