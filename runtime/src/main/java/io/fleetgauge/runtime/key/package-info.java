/**
 * Configuration keys that describe themselves, and the reader that reads by them.
 *
 * <p>In: the text of a YAML file, and {@link io.fleetgauge.runtime.key.Key}s: name, type, default,
 * range and meaning. Out: typed values, or a {@link io.fleetgauge.runtime.key.ConfigException} that
 * lists all problems at once. {@link io.fleetgauge.runtime.key.ConfigReader#keysReadBy} lists the
 * keys that some code reads; the reference page of all keys is written from that list, so it cannot
 * miss one.
 *
 * <p>Law: an unknown key, a wrong unit and a value out of range are errors that name the key, the
 * value and what is allowed; a value that may be a secret is not repeated.
 */
package io.fleetgauge.runtime.key;
