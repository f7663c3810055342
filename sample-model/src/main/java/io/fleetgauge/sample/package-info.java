/**
 * Samples: a label set, a time and a value each.
 *
 * <p>In: nothing. Out: the types that every other package uses: {@link
 * io.fleetgauge.sample.Labels}, {@link io.fleetgauge.sample.Tick}, {@link
 * io.fleetgauge.sample.Series}, {@link io.fleetgauge.sample.Staleness}.
 *
 * <p>Law: a value is moved, never computed with: the bit pattern of a staleness marker or of any
 * other NaN survives every one of these types. Times are milliseconds since the epoch everywhere.
 */
package io.fleetgauge.sample;
