/**
 * GPUs through NVML, under dcgm-exporter's names. The only package that uses jnr-ffi.
 *
 * <p>In: the name of the driver's library. Out: readings of each GPU, in the units of
 * dcgm-exporter: percent, MiB, watts, millijoules, degrees Celsius, MHz.
 *
 * <p>Law: every driver call happens on one thread of this package, because a call may block for
 * minutes; a caller waits for a reading for a bounded time and continues without it. A call that a
 * GPU does not support is not made again and gives no sample, never a zero. No GPU and no library
 * are states, not errors: they are said once and looked for again.
 */
package io.fleetgauge.probe.nvml;
