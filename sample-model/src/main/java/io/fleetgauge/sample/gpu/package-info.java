/**
 * The metrics of GPUs: one table for reading, exposition, metadata and rollups.
 *
 * <p>In: {@code gpu-metrics.tsv}, {@code fault-kinds.tsv}, {@code xids.tsv}. Out: {@link
 * io.fleetgauge.sample.gpu.GpuMetrics}, every metric with its type, unit, help, tier and entity,
 * and what dcgm-exporter calls and declares it; {@link io.fleetgauge.sample.gpu.GpuEvent}, the one
 * list of events and of the readings that mean them; {@link io.fleetgauge.sample.gpu.FaultKind},
 * the kinds of faults; {@link io.fleetgauge.sample.gpu.Xid}, the codes that drivers report, with
 * their meanings and actions.
 *
 * <p>Law: a metric of a GPU that is read, shown, described or kept reduced anywhere is in the
 * table, once. Types are those of the values; dcgm-exporter declares a few differently.
 */
package io.fleetgauge.sample.gpu;
