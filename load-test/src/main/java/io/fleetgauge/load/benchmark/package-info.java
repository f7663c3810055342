/**
 * Benchmarks of the hot loops, by JMH: {@code ./fleetgauge bench [PATTERN]}.
 *
 * <p>Each stands beside a baseline in the same run, so that its result is a ratio; the header of a
 * benchmark keeps the last one. In: nothing. Out: JMH's table.
 */
package io.fleetgauge.load.benchmark;
