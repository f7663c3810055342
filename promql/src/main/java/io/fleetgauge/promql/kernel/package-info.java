/**
 * The loops over samples: static methods over primitive arrays, without allocation, boxing or
 * lambdas.
 *
 * <p>In: times and values of one series without staleness markers where a method says so, and a
 * stretch of them. Out: one number, or one column over the steps of a query. "No sample" in a
 * column is the staleness marker's bit pattern, which arithmetic cannot produce.
 *
 * <p>Law: each method equals its plain twin in the tests of this room, and Prometheus 3.5 to the
 * last bit where the order of operations decides it. Benchmarks stand in {@code load-test}.
 */
package io.fleetgauge.promql.kernel;
