/**
 * The only way to data: admission, plan, cache, single-flight, deadline, completeness.
 *
 * <p>In: an {@link io.fleetgauge.query.answer.Ask}: a caller (tenant, scope, limits), a {@link
 * io.fleetgauge.query.answer.Request} (PromQL as text or parsed, labels, series, samples, newest
 * samples, metadata, hosts) and how to answer it. Out: a {@link io.fleetgauge.query.answer.Reply}
 * with the hosts that it covers, or a {@link io.fleetgauge.promql.query.QueryFailure} that names
 * the limit, the figure and the tenant. Nothing here knows HTTP.
 *
 * <p>A query goes from top to bottom: {@link io.fleetgauge.query.answer.Querier}, {@code
 * Evaluations} with its plans and caches, {@code Execution}, and what is read behind it; none of
 * them calls back. {@code RunningQuery} is what all of them know of it: its time, its cancellation,
 * its cost and its place. The room has more than 20 files because all of that one way stands in it.
 *
 * <p>Cost. Every request has a cost before it reads anything. That of PromQL and of samples comes
 * from the shards' indexes, remembered for five minutes. Lookups in the index, newest samples and
 * metadata ask no shard for it: their cost follows from what the same request found the last time,
 * and at first from the number of hosts. A label lookup is so cheap that it always is a light
 * request; it takes a place when one is free without waiting and without a change of thread. A
 * federation of hundreds of thousands of series is heavy.
 *
 * <p>Series of usage. {@code SampleReads} reads them by reads of usage where others are read as
 * samples, and {@code UsageLookups} knows their labels; see {@link
 * io.fleetgauge.promql.usage.series}.
 *
 * <p>Law: the answer is that of one evaluation over all samples, whatever came from rollups, shards
 * or a cache. Every request passes the scope, the limits, admission, the deadline and the
 * cancellation. Scopes that matchers cannot express exactly are an error, never a wider scope. An
 * answer that does not cover all hosts says so, and is never kept. A query whose time is over, or
 * whose callers have all left, stops here and on the shards.
 */
package io.fleetgauge.query.answer;
