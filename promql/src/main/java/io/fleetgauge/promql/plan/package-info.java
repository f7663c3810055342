/**
 * Planning of a query over many shards: which parts the shards evaluate, which samples are fetched,
 * and what is left to do with both.
 *
 * <p>In: a {@link io.fleetgauge.promql.query.Query} and the scope of the tenant. Out: a {@link
 * io.fleetgauge.promql.plan.Planned}: the query as it will be evaluated, its {@link
 * io.fleetgauge.promql.plan.Plan} to be shown, and the parts that shards evaluate. Each rewrite is
 * a pure function in a file of its own:
 *
 * <ol>
 *   <li>{@link io.fleetgauge.promql.plan.Scope}: every selector gets the matchers of the scope
 *   <li>{@link io.fleetgauge.promql.plan.ConstantFolding}: arithmetic of constants is done once
 *   <li>{@link io.fleetgauge.promql.plan.HostKeepingSubtrees}: what each shard can evaluate
 *       separately
 *   <li>{@link io.fleetgauge.promql.plan.AggregationSplit}: aggregations that shards begin and the
 *       query API finishes
 *   <li>{@link io.fleetgauge.promql.plan.RollupUse}: aggregations that rollups can serve
 *   <li>{@link io.fleetgauge.promql.plan.StepInvariantParts}: expressions with the same value at
 *       every step
 * </ol>
 *
 * <p>Series of usage ({@link io.fleetgauge.promql.usage.series}) are stored by no shard: what
 * selects them is evaluated here.
 *
 * <p>A shard is a gateway with all series of some hosts. Two shards never have series with the same
 * label set. A shard that cannot guarantee this for a part refuses it, and the query is evaluated
 * from samples.
 *
 * <p>Law: a plan changes the cost of an answer and never a bit of it. An expression that depends on
 * the order of series is evaluated by shards only where that order is known.
 */
package io.fleetgauge.promql.plan;
