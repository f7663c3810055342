/**
 * Metrics of the kernel about this node, under node_exporter's names.
 *
 * <p>In: the mounted proc, sys and root file systems, and a folder of {@code *.prom} files that
 * other programs write. Out: samples, added to a {@link io.fleetgauge.sample.Tick.Builder}. Units
 * are those of the names: seconds, bytes, counts. Each collector is a class in the package below
 * that is named after its subject, a line in {@link io.fleetgauge.probe.host.Collectors}, and a
 * constant of {@link io.fleetgauge.probe.config.HostCollector}. {@code reading} has what all of
 * them need.
 *
 * <p>Law: names, labels, types and meanings are node_exporter's; the few differences are listed in
 * {@code NodeExporterComparisonTest}. What the node does not have is absence; what cannot be
 * understood costs only its own samples, and is counted. A {@code *.prom} file that is damaged, too
 * large or has a timestamp gives no sample ({@code TextfileTest}).
 */
package io.fleetgauge.probe.host;
