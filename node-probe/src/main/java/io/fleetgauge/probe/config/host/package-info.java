/**
 * What a probe reads of its host: collectors by node_exporter's names, and their filters.
 *
 * <p>In: configuration. Out: {@link io.fleetgauge.probe.config.host.HostSettings}.
 */
package io.fleetgauge.probe.config.host;
