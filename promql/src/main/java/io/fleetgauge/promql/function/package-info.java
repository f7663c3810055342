/**
 * PromQL's functions: each maps columns of values, or reduces the samples of a window.
 *
 * <p>In: columns or series, and the function's scalar arguments at each step. Out: columns. The
 * evaluator in {@code promql.exec} walks the tree and calls this room; this room never evaluates an
 * argument itself.
 *
 * <p>Law: each function equals Prometheus 3.5's on the same samples; functions that need native
 * histogram arithmetic refuse with an error instead of giving a wrong number.
 */
package io.fleetgauge.promql.function;
