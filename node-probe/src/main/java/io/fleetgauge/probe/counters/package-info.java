/**
 * Which metrics of GPUs were chosen, by dcgm-exporter's list of counters.
 *
 * <p>In: the text of the list. Out: {@link io.fleetgauge.probe.counters.Counters}, with a warning
 * for each line that cannot be followed. {@link io.fleetgauge.probe.counters.CountersFile} reads
 * the list again when it has changed.
 *
 * <p>Law: any text gives a choice; a line that is wrong is told by its number and changes nothing
 * else.
 */
package io.fleetgauge.probe.counters;
