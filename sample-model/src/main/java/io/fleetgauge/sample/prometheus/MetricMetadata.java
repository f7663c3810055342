package io.fleetgauge.sample.prometheus;

/**
 * What a metric is.
 *
 * @param type counter, gauge, histogram, gaugehistogram, summary, info, stateset or unknown
 * @param help one sentence; empty when not known
 * @param unit such as seconds; empty when it has none
 */
public record MetricMetadata(String type, String help, String unit) {}
