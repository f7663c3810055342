/**
 * Reads typed values by dotted key from YAML and collects everything that is wrong with them.
 *
 * <p>In: the text of a file. Out: values, or a {@link
 * io.fleetgauge.cluster.config.key.ConfigException} that lists all problems at once. Only this
 * package uses the YAML parser.
 */
package io.fleetgauge.cluster.config.key;
