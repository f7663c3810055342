/**
 * The cost of a query before it reads anything, and its place.
 *
 * <p>In: what a request selects, and at how many steps; a tenant and a deadline; what the cluster's
 * other query APIs use. Out: the {@link io.fleetgauge.query.admission.Cost}, from the shards'
 * indexes ({@link io.fleetgauge.query.admission.CostEstimates}); a place that is released when the
 * query ends, or a failure that names the limit, the figures and the tenant ({@link
 * io.fleetgauge.query.admission.Admission}).
 *
 * <p>Law: never more queries run or wait than are allowed; waiting tenants are served by their
 * weights; a tenant that asks for much does not keep others waiting, and a tenant that was away has
 * not saved up turns. An estimate comes soon: when the shards do not answer in time, it is a bound,
 * and no request is refused for a bound.
 */
package io.fleetgauge.query.admission;
