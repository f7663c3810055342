/**
 * What detectors look at: readings of hosts, GPUs, links, ports and ranks, made of stored samples.
 *
 * <p>In: raw samples of the metrics that {@link io.fleetgauge.query.faults.reading.Signal} lists,
 * host by host, in order of time. Out: {@link io.fleetgauge.query.faults.reading.HostTick}, all
 * that one host read at one time; and {@link io.fleetgauge.query.faults.reading.JobStep}, the GPUs
 * of one job at one step of the grid, over all hosts.
 *
 * <p>Law: a tick is a function of the samples of its host up to its time, whenever they arrive; a
 * step of the ticks of the job's hosts. What was not read is {@code NaN}, never a zero.
 */
package io.fleetgauge.query.faults.reading;
