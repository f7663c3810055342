/**
 * Answers that are kept and still valid.
 *
 * <p>In: what the shards report as changed ({@link io.fleetgauge.query.cache.ChangeFeed}), and
 * answers with the time that they were read from. Out: whole answers ({@link
 * io.fleetgauge.query.cache.RecentAnswers}) and the steps of a range query that need not be
 * evaluated again ({@link io.fleetgauge.query.cache.ExtentCache}).
 *
 * <p>An answer is valid while no host has changed in the time that it was read from ({@link
 * io.fleetgauge.query.cache.Versions}). The shards are asked before a kept answer is used: in one
 * small round for all callers that wait, or by the requests that read what is not kept.
 *
 * <p>Law: what is taken from here equals what would be answered now. Nothing incomplete is kept,
 * nor a step for which a host may still send samples.
 */
package io.fleetgauge.query.cache;
