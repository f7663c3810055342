package io.fleetgauge.query.shards;

/**
 * How much a selection would read.
 *
 * @param series how many series match
 * @param samples about how many samples they have in the selection's time
 */
public record Extent(long series, long samples) {}
