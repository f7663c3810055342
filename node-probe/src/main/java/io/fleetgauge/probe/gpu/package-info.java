/**
 * Readings of GPUs through NVML, under dcgm-exporter's names and in its units.
 *
 * <p>In: the driver's library, and which tiers of metrics are due. Out: {@link
 * io.fleetgauge.probe.gpu.GpuSampling}, the samples of what was due; and {@link
 * io.fleetgauge.probe.gpu.GpuReport}, the series of the reading itself, which never wait for the
 * driver.
 *
 * <p>Law: every reading happens on one thread of this package, because a call may block for
 * minutes; a caller waits for a bounded time and continues without it. What a GPU does not support
 * is not asked again and gives no sample, never a zero; the fact is a series. A value that cannot
 * be right is dropped and counted. No GPU and no library are states, not errors: they are said once
 * and looked for again.
 */
package io.fleetgauge.probe.gpu;
