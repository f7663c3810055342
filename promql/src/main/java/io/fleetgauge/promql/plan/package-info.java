/**
 * How a query over many shards is answered: which parts the shards evaluate, which samples are
 * fetched, and what is left to do with both.
 *
 * <p>In: a {@link io.fleetgauge.promql.query.Query} and the scope of who asks. Out: a {@link
 * io.fleetgauge.promql.plan.Planned}: the query as it will be evaluated, its {@link
 * io.fleetgauge.promql.plan.Plan} to be shown, and the parts that are cut out for the shards. Each
 * rewrite is a pure function in a file of its own:
 *
 * <ol>
 *   <li>{@link io.fleetgauge.promql.plan.Scope}: every selector gets the matchers of the asker
 *   <li>{@link io.fleetgauge.promql.plan.ConstantFolding}: arithmetic of numbers is done once
 *   <li>{@link io.fleetgauge.promql.plan.HostKeepingSubtrees}: what each shard can evaluate alone
 *   <li>{@link io.fleetgauge.promql.plan.AggregationSplit}: folds begun by shards, finished here
 *   <li>{@link io.fleetgauge.promql.plan.RollupUse}: folds that were kept from before
 *   <li>{@link io.fleetgauge.promql.plan.StepInvariantParts}: what is the same at every step
 * </ol>
 *
 * <p>A shard is a gateway with all series of some hosts. Two shards never have series of one label
 * set; a shard that cannot prove it says so, and the query is evaluated from samples.
 *
 * <p>Law: a plan changes what an answer costs and never a bit of it. What depends on the order of
 * series is cut out only where the order is known.
 */
package io.fleetgauge.promql.plan;
