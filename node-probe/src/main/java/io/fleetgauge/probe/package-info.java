/**
 * The probe's process: reads its node and streams what it read, and serves its last readings.
 *
 * <p>In: a {@link io.fleetgauge.probe.config.ProbeConfig}. Out: {@link
 * io.fleetgauge.probe.ProbeProcess}, which starts sampling and uplink in order and stops them in
 * reverse.
 */
package io.fleetgauge.probe;
