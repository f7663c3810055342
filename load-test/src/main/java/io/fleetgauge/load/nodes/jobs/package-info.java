/**
 * What runs on a simulated fleet, and what goes wrong there.
 *
 * <p>In: a {@link io.fleetgauge.load.nodes.jobs.FleetLayout}, a seed, incidents, time. Out: the job
 * that holds each GPU, by a schedule ({@link io.fleetgauge.load.nodes.jobs.Jobs}); what every rank
 * of a job does on its GPU, its host and its network ({@link
 * io.fleetgauge.load.nodes.jobs.Activity}), by the kind of the job; and how incidents change it for
 * the GPU that has one and for those that wait for it.
 *
 * <p>Law: the schedule, and what a healthy job does, are functions of the seed and of the time; an
 * incident changes a job only from its beginning to its end.
 */
package io.fleetgauge.load.nodes.jobs;
