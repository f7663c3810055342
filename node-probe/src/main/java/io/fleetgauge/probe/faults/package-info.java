/**
 * Faults of GPUs, and the window around each: the last minutes at a high rate.
 *
 * <p>In: every second what {@link io.fleetgauge.probe.gpu.GpuThread} reads with a few calls, CPU
 * and pressure of the host, and critical XIDs. {@link io.fleetgauge.probe.faults.FaultSigns} finds
 * in it the changes that {@link io.fleetgauge.sample.gpu.GpuEvent} lists: a new kind of fault is
 * declared there, and its reading in {@code QuickMetric} of {@code probe.gpu.snapshot}. Out: {@link
 * io.fleetgauge.probe.faults.Window}, what was read between two times; {@link
 * io.fleetgauge.probe.faults.FaultWindow}, which a fault freezes: listed, written to the disk, and
 * as ticks of the past for the gateway.
 *
 * <p>A window's file, whole numbers little-endian:
 *
 * <pre>
 * "FGFW" | version u8 = 1 | CRC32C u32 of all that follows
 * id string | faults uvar, each: kind string, XID uvar (0 for none), time svar, labels of the GPU
 * first time svar | step uvar | rows uvar | series uvar, each: labels, a float of 32 bits a row
 * labels: count uvar, each: name string, value string
 * string: bytes uvar, UTF-8; uvar, svar: as frames have them; times in ms; NaN where there is none
 * </pre>
 *
 * <p>Law: a value stands in the row of the time at which it was read, or nowhere: what the driver
 * answers late leaves a gap. Memory is bounded by rows and series, windows by number and rate; what
 * exceeds a bound is counted.
 */
package io.fleetgauge.probe.faults;
