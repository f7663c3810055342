package io.fleetgauge.promql.lookup;

import java.util.List;

/**
 * The owners of series over time.
 *
 * @param series those that have an owner at any time asked for; ordered by identity, each once
 * @param omitted how many more series match than the limit allowed
 */
public record OwnerIntervals(List<OwnedSeries> series, long omitted) {}
