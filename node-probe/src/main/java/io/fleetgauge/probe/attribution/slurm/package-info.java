/**
 * Jobs of Slurm, as the probe finds out about them by itself.
 *
 * <p>In: the cgroups of jobs, dcgm-exporter's folder with a file for each GPU, and on one probe of
 * the cluster what {@code squeue --json} prints. Out: the end of allocations whose job has gone, an
 * {@link io.fleetgauge.probe.attribution.OwnerSource}, and the series {@code slurm_job_info}.
 *
 * <p>Law: a job that has ended owns nothing, even if nobody told its end. Slurm's controller is
 * asked by one probe, at a slow pace; nothing here runs for a tick.
 */
package io.fleetgauge.probe.attribution.slurm;
