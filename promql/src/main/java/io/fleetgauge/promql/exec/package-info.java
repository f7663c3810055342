/**
 * The evaluator: a query's answer from its tree and the samples it selects.
 *
 * <p>In: a {@link io.fleetgauge.promql.query.Query} and a {@link
 * io.fleetgauge.promql.query.SeriesSource}. Out: an {@link io.fleetgauge.promql.query.Answer}, or a
 * {@link io.fleetgauge.promql.query.QueryFailure}. No clock, no network, no thread of its own.
 *
 * <p>An expression is evaluated once for all steps: a series becomes a column with one sample for
 * each step, and columns are pushed one by one from the selectors towards the root. Operators that
 * need several columns together hold them; the others, including most aggregations, hold none. A
 * subquery is evaluated once, on its own grid, which covers all its windows; an expression fixed by
 * {@code @} is evaluated at one step. Samples in memory are counted against a limit, and
 * cancellation is checked every few ten thousand samples of work.
 *
 * <p>Law: the answer equals Prometheus 3.5's on the same samples; integers to the bit, other
 * numbers within 1e-12 relative ({@code PrometheusComparisonTest}).
 */
package io.fleetgauge.promql.exec;
