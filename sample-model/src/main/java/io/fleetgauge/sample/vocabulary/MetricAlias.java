package io.fleetgauge.sample.vocabulary;

/**
 * Another name for a stored metric.
 *
 * @param name the alias
 * @param stored the metric under whose name samples are stored
 * @param factor what stored values are multiplied by
 * @param unit of the values under this name; empty when it is that of the stored metric
 * @param help one sentence; empty when it is that of the stored metric
 */
public record MetricAlias(String name, String stored, Factor factor, String unit, String help) {}
