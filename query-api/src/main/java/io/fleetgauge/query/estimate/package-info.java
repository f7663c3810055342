/**
 * Estimates of what requests will read, before anything is read for them.
 *
 * <p>In: what a request selects, and at how many steps. Out: its {@link
 * io.fleetgauge.query.admission.Cost}, from the shards' indexes.
 *
 * <p>Law: an estimate comes soon. When the shards do not answer in time, it is a bound; no request
 * is refused for a bound.
 */
package io.fleetgauge.query.estimate;
