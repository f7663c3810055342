/**
 * The configuration of a probe: what it reads of GPUs and of the host, how it finds out who owns
 * the GPUs, what its page shows, and where it sends its readings.
 *
 * <p>In: the text of a file in YAML. Out: {@link io.fleetgauge.probe.config.ProbeConfig}, with a
 * record for each section, or a {@link io.fleetgauge.runtime.key.ConfigException} that lists all
 * problems at once, each with its key, its value and what is allowed.
 *
 * <p>Law: every key has a default, and an empty file is a valid configuration.
 */
package io.fleetgauge.probe.config;
