package io.fleetgauge.promql.lookup;

/**
 * The size of a selection.
 *
 * @param series how many series match
 * @param samples about how many samples they have in the selection's time
 */
public record Extent(long series, long samples) {}
