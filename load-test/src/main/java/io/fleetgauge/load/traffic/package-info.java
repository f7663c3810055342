/**
 * What a fleet in production sends: hosts with GPUs whose jobs change, and the requests that probes
 * and remote writers make of their samples.
 *
 * <p>In: how many hosts, how many ticks, a seed. Out: {@link io.fleetgauge.load.traffic.GpuFleet
 * samples}, {@link io.fleetgauge.load.traffic.Bodies requests} of them, and a {@link
 * io.fleetgauge.load.traffic.Backlog} of hours. Law: the same numbers make the same bytes.
 */
package io.fleetgauge.load.traffic;
