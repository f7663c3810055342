/**
 * The judge of the detectors of faults.
 *
 * <p>In: labelled traces ({@link io.fleetgauge.load.nodes.Trace}), whose samples the engine of the
 * query API gets as it gets them from gateways. Out: {@link io.fleetgauge.load.judge.Scores}, for
 * each kind of fault what was found, missed and told by mistake, and how late.
 *
 * <p>Law: a score is a function of the seeds.
 */
package io.fleetgauge.load.judge;
