/**
 * Files, flags and names of dcgm-exporter, which a probe can replace.
 *
 * <p>In: the text of the list of counters, flags and variables of the environment, the newest
 * reading of every series. Out: {@link io.fleetgauge.probe.dcgm.Counters}, the metrics of GPUs that
 * the list chooses, with a warning for each line that cannot be followed; {@link
 * io.fleetgauge.probe.dcgm.DcgmOptions}, keys of the configuration; {@link
 * io.fleetgauge.probe.dcgm.MetricsPage}, what {@code /metrics} of the probe shows, with the names,
 * units, types and labels of the vocabulary that was asked for.
 *
 * <p>Law: any text of a list gives a choice; a line that is wrong is told by its number and changes
 * nothing else. What is sent to gateways does not depend on what is shown.
 */
package io.fleetgauge.probe.dcgm;
