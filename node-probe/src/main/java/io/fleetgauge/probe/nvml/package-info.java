/**
 * The binding to NVML, the driver's library.
 *
 * <p>In: names and paths under which the library may be. Out: its calls by name ({@link
 * io.fleetgauge.probe.nvml.NvmlCall}), each with the code that it answered, over memory that is
 * allocated once; and what is known of them: durations, failures by code, the call in progress.
 *
 * <p>Law: a function that the driver lacks answers {@link
 * io.fleetgauge.probe.nvml.NvmlReturn#FUNCTION_NOT_FOUND}, as the driver itself would; no call
 * throws. Every call is announced before it is made, so that other threads see where it is stuck.
 */
package io.fleetgauge.probe.nvml;
