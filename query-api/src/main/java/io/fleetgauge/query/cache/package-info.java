/**
 * What has been answered before and still holds.
 *
 * <p>In: what the gateways say has changed, and answers with the time that they were read from.
 * Out: of a question, the steps that need not be answered again.
 *
 * <p>An answer is kept in extents: stretches of {@link io.fleetgauge.query.cache.Extents#STEPS}
 * steps of one question, whatever window of it was asked for. It holds exactly while no host has
 * changed in the time that it was read from; the gateways are asked before it is used, by one small
 * question for all who wait ({@link io.fleetgauge.query.cache.Versions}).
 *
 * <p>Law: what is taken from here is what would be answered now. Nothing incomplete is kept, and no
 * step that a host may not have sent all samples for.
 */
package io.fleetgauge.query.cache;
