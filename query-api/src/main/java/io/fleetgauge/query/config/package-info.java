/**
 * The configuration of a query API.
 *
 * <p>In: the text of a file in YAML. Out: {@link io.fleetgauge.query.config.QueryConfig}, or a
 * {@link io.fleetgauge.runtime.key.ConfigException} that lists all problems at once.
 *
 * <p>Law: every key has a default, and an empty file is a valid configuration.
 */
package io.fleetgauge.query.config;
