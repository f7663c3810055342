/**
 * The sharing of a process's time among the queries of tenants.
 *
 * <p>In: queries, each with its {@link io.fleetgauge.promql.fair.Load}: whose it is and how much
 * work. Out: the order in which they are executed ({@link io.fleetgauge.promql.fair.FairQueue}),
 * and pauses of heavy ones beside light ones ({@link
 * io.fleetgauge.promql.fair.YieldToLightQueries}).
 *
 * <p>Law: whether a query is light or heavy is decided by its work, here and nowhere else. Waiting
 * tenants are served in proportion to their weights, counted in work, whoever asks more often.
 *
 * <p>The room is in this module because a load travels in fragments, and because a heavy query
 * pauses where the evaluator asks whether to stop. Of the rest of the module only fragments know
 * it.
 */
package io.fleetgauge.promql.fair;
