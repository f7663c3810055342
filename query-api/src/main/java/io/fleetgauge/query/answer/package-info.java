/**
 * The way of a query: what is known from before, who asks the same already, what it would cost, a
 * place, the shards, and what is left to evaluate.
 *
 * <p>In: an {@link io.fleetgauge.query.answer.Ask}: a tenant, a {@link
 * io.fleetgauge.promql.query.Query}, a scope and a time limit. Out: an {@link
 * io.fleetgauge.query.answer.Answered} with what it is missing, what it cost and how it was made,
 * or a {@link io.fleetgauge.promql.query.QueryFailure} that names the limit, the figure and the
 * tenant.
 *
 * <p>Law: the answer is that of one evaluation over all samples, whatever was taken from rollups,
 * shards or from before. No more queries run or wait than are allowed; tenants that wait are served
 * by their weights, and heavy queries give way to light ones. A query whose time is over or whose
 * asker has left stops, here and on the shards.
 */
package io.fleetgauge.query.answer;
