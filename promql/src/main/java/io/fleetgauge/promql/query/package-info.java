/**
 * The vocabulary of evaluation: a query, its steps, what it reads, its result and its limits.
 *
 * <p>In: values built by the planner, the storage and the HTTP layer. Out: the types that they
 * exchange with the evaluator: {@link io.fleetgauge.promql.query.Query}, {@link
 * io.fleetgauge.promql.query.Selection}, {@link io.fleetgauge.promql.query.SeriesSource}, {@link
 * io.fleetgauge.promql.query.Column}, {@link io.fleetgauge.promql.query.Partial}, {@link
 * io.fleetgauge.promql.query.Answer}, {@link io.fleetgauge.promql.query.QueryFailure}.
 *
 * <p>Law: this room evaluates nothing. Every sample that a running query holds in memory is counted
 * in its {@link io.fleetgauge.promql.query.Budget}.
 */
package io.fleetgauge.promql.query;
