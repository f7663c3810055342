/**
 * The systems that are measured, and what their processes cost.
 *
 * <p>In: how many gateways, or the name of another program. Out: a {@link
 * io.fleetgauge.load.system.MeasuredSystem} that runs, and processor time, memory and files of its
 * processes. Law: gateways and query APIs are started by the launcher that is installed, with the
 * default configuration, and processor time is that of these processes alone, as the kernel counts
 * it.
 */
package io.fleetgauge.load.system;
