/**
 * The loops over samples: static methods over primitive arrays, without allocation, boxing or
 * lambdas.
 *
 * <p>In: the times and values of one series, and a range of their indexes; without staleness
 * markers where a method says so. Out: one number, or one column over the steps of a query. "No
 * sample" in a column is the bit pattern of the staleness marker, which arithmetic cannot produce.
 *
 * <p>Law: each method equals its simple definition in the tests of this package, and Prometheus 3.5
 * to the last bit where the order of operations decides it. Benchmarks are in {@code load-test}.
 */
package io.fleetgauge.promql.kernel;
