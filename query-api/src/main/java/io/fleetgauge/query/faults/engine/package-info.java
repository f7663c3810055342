/**
 * The engine: from raw samples of hosts to episodes.
 *
 * <p>In: new raw samples of each host, in order of time, however late; the steps of the grid. Out:
 * {@link io.fleetgauge.query.faults.engine.FaultEngine#changes}, episodes that have begun, tell
 * more than before, or are over.
 *
 * <p>Law: the episodes are a function of the samples and the steps; samples that come late change
 * what is told from then on to what it would have been without delay, and nothing is told twice. No
 * clock, no network; the query API and the judge of detectors run the same.
 */
package io.fleetgauge.query.faults.engine;
