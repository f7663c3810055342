package io.fleetgauge.query.shards;

import io.fleetgauge.promql.fair.Load;

/**
 * How shards are read.
 *
 * @param load whose read it is and how much work
 * @param timeoutMillis time for the whole read, above 0
 * @param cancellation ends the read early, here and on the shards
 */
public record ReadOptions(Load load, long timeoutMillis, Cancellation cancellation) {}
