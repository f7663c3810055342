/**
 * Calls for one GPU, and the meaning of its answers.
 *
 * <p>In: a handle of a GPU and the tiers that are due. Out: {@link
 * io.fleetgauge.probe.gpu.snapshot.GpuSnapshot}, the samples of each of these tiers, in
 * dcgm-exporter's units.
 *
 * <p>Law: tables say which call or field gives which metric of which tier; each is in a tick once.
 * Memory and labels are made when a GPU is found, none in a reading. A question that a GPU does not
 * support is not asked again, and the metric is said to be missing. A value that cannot be right is
 * dropped and counted. Not for several threads, but for what says so.
 */
package io.fleetgauge.probe.gpu.reading;
