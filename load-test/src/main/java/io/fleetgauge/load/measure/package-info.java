/**
 * Load for a gateway, and what it costs.
 *
 * <p>In: how many hosts, series and ticks. Out: a table of samples a second, processor time, memory
 * and bytes a sample, of a gateway in a JVM of its own and, on wish, of other programs that take
 * the same remote writes. All values come from a seed. What is sent is made before the clock runs,
 * and processor time is that of the receiving process alone, as the system counts it.
 */
package io.fleetgauge.load.measure;
