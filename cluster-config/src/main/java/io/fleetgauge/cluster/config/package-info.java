/**
 * Typed configuration: one record for each process, read from YAML.
 *
 * <p>In: the text of a file. Out: {@link io.fleetgauge.cluster.config.ProbeConfig}, {@link
 * io.fleetgauge.cluster.config.GatewayConfig} or {@link io.fleetgauge.cluster.config.QueryConfig},
 * or a {@link io.fleetgauge.cluster.config.key.ConfigException} that lists all problems at once.
 * Every key has a default; an empty file is a valid configuration.
 *
 * <p>Law: an unknown key, a wrong unit and a value out of range are errors that name the key, the
 * value and what is allowed.
 */
package io.fleetgauge.cluster.config;
