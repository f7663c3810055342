/**
 * The probe's process: reads its node and streams what it read, and serves its last readings.
 *
 * <p>In: a {@link io.fleetgauge.probe.config.ProbeConfig}. Out: {@link
 * io.fleetgauge.probe.ProbeProcess}, a list of {@link io.fleetgauge.probe.sampling.ProbePart}s: the
 * uplink, the host, GPUs, XIDs, the last minutes, schedulers, owners, scraped exporters, ports and
 * the sampler.
 *
 * <p>Law: a part starts after those that it uses, and stops before them.
 */
package io.fleetgauge.probe;
