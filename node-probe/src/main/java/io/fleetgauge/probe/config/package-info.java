/**
 * The configuration of a probe.
 *
 * <p>In: the text of a file in YAML. Out: {@link io.fleetgauge.probe.config.ProbeConfig}, or a
 * {@link io.fleetgauge.runtime.key.ConfigException} that lists all problems at once.
 *
 * <p>Law: every key has a default, and an empty file is a valid configuration.
 */
package io.fleetgauge.probe.config;
