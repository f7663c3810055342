/**
 * Typed configuration: one record for each process, read from YAML.
 *
 * <p>In: the text of a file. Out: {@link io.fleetgauge.cluster.config.ProbeConfig}, {@link
 * io.fleetgauge.cluster.config.GatewayConfig} or {@link io.fleetgauge.cluster.config.QueryConfig},
 * and {@link io.fleetgauge.cluster.config.TenantList} of a file of its own, or a {@link
 * io.fleetgauge.cluster.config.ConfigException} that tells all problems at once. Every key has a
 * default; an empty file is a valid configuration.
 *
 * <p>Law: a key that is not known, a unit that is wrong and a value that is out of range are errors
 * that name the key, the value and what is allowed. This room alone knows the YAML reader.
 */
package io.fleetgauge.cluster.config;
