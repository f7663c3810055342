/**
 * Makes one value of the samples of a long time without having them in memory together.
 *
 * <p>In: a {@link io.fleetgauge.query.fold.SampleSource}, which reads the samples of any piece of
 * time, and a {@link io.fleetgauge.query.fold.SampleFold}. Out: the fold's value. Nothing here
 * knows tenants or limits: the source does.
 *
 * <p>Law: the fold gets every sample once, in pieces that cut time without gaps and overlaps.
 */
package io.fleetgauge.query.fold;
