package io.fleetgauge.query.shards;

/**
 * How shards are read.
 *
 * @param heavy whether the read is so much work that light ones must not wait behind it
 * @param timeoutMillis time for the whole read, above 0
 * @param cancellation ends the read early, here and on the shards
 */
public record ReadOptions(boolean heavy, long timeoutMillis, Cancellation cancellation) {}
