/**
 * The configuration of a gateway.
 *
 * <p>In: the text of a file in YAML. Out: {@link io.fleetgauge.gateway.config.GatewayConfig}, or a
 * {@link io.fleetgauge.runtime.key.ConfigException} that lists all problems at once.
 *
 * <p>Law: every key has a default, and an empty file is a valid configuration.
 */
package io.fleetgauge.gateway.config;
