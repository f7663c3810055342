/**
 * Requests of a fleet in production: the samples of simulated nodes, as probes and remote writers
 * send them.
 *
 * <p>In: how many hosts, how many ticks, a seed, the first time. Out: {@link
 * io.fleetgauge.load.traffic.GpuFleet samples}, {@link io.fleetgauge.load.traffic.Bodies requests}
 * of them, and a {@link io.fleetgauge.load.traffic.Backlog} of hours. Law: the same numbers make
 * the same bytes.
 */
package io.fleetgauge.load.traffic;
