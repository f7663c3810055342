/**
 * Throughput and cost of gateways and query APIs.
 *
 * <p>In: how many hosts, series and ticks. Out: a table of samples a second, processor time, memory
 * and bytes a sample, of a gateway in a JVM of its own and, optionally, of other programs that
 * receive the same remote writes. All values come from a seed. Requests are built before the clock
 * starts, and processor time is that of the receiving process alone, as the kernel counts it.
 */
package io.fleetgauge.load.measure;
