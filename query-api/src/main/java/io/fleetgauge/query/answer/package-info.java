/**
 * The way of a query: a place among those that run, the samples from the gateways, the evaluation.
 *
 * <p>In: a {@link io.fleetgauge.promql.exec.Query} and its time limit. Out: an {@link
 * io.fleetgauge.promql.exec.Answer} with what it is missing, or a {@link
 * io.fleetgauge.promql.exec.QueryFailure}.
 *
 * <p>Law: no more queries run than are allowed, no more wait than are allowed, and whoever waits is
 * served in turn. A query whose time is over or whose asker has left stops.
 */
package io.fleetgauge.query.answer;
