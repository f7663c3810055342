/**
 * A query's answer from its tree and the samples it selects.
 *
 * <p>In: a {@link io.fleetgauge.promql.exec.Query} and a {@link
 * io.fleetgauge.promql.exec.SeriesSource}. Out: an {@link io.fleetgauge.promql.exec.Answer}, or a
 * {@link io.fleetgauge.promql.exec.QueryFailure}. No clock, no network, no thread of its own.
 *
 * <p>An expression is evaluated once for all steps: a series becomes a column with one sample a
 * step, and columns are pushed one by one from the selectors towards the root. Operators that need
 * several columns together hold them; the others, most aggregations among them, keep nothing of a
 * column. A subquery is evaluated once, on a grid of its own that covers all its windows, and what
 * {@code @} fixes is evaluated at one step. What is held is counted against a limit, and a stop
 * sign is looked at every few ten thousand samples of work.
 *
 * <p>Law: the answer is Prometheus 3.5's on the same samples; integers to the bit, other numbers
 * within 1e-12 relative ({@code PrometheusComparisonTest}).
 */
package io.fleetgauge.promql.exec;
