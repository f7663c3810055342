/**
 * A query's answer from its tree and the samples it selects.
 *
 * <p>In: a {@link io.fleetgauge.promql.exec.Query} and a {@link
 * io.fleetgauge.promql.exec.SeriesSource}. Out: an {@link io.fleetgauge.promql.exec.Answer}, or a
 * {@link io.fleetgauge.promql.exec.QueryFailure}. No clock, no network, no thread of its own.
 *
 * <p>An expression is evaluated once for all steps: a series becomes a column with one value a
 * step, operators work on columns, and aggregations fold columns as they arrive. What the evaluator
 * does not know yet is refused before anything is read, with its name ({@link
 * io.fleetgauge.promql.exec.Engine#check}).
 *
 * <p>Law: the answer is Prometheus 3.5's on the same samples; integers to the bit, other numbers
 * within 1e-12 relative ({@code PrometheusComparisonTest}).
 */
package io.fleetgauge.promql.exec;
