/**
 * Who owns the node's GPUs now.
 *
 * <p>In: {@link io.fleetgauge.probe.attribution.OwnerSource}s, in order of trust: what schedulers
 * say, what the processes on a GPU show, what was configured. Out: {@link
 * io.fleetgauge.probe.sampling.GpuOwners}, the labels that every series of a GPU or MIG instance
 * gets, and {@link io.fleetgauge.probe.attribution.AttributionSampling}, the series about it.
 *
 * <p>Law: a scheduler's record wins over processes, and processes over the configuration. A GPU
 * that several owners share has the labels that all of them have in common, so that no value counts
 * twice. What nobody knows is no owner, never a guess; sources that disagree are counted.
 */
package io.fleetgauge.probe.attribution;
