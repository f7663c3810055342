package io.fleetgauge.sample.prometheus;

/**
 * Metadata of a metric.
 *
 * @param type counter, gauge, histogram, gaugehistogram, summary, info, stateset or unknown
 * @param help one sentence; empty when unknown
 * @param unit such as seconds or bytes/s; empty when it has none or is unknown
 */
public record MetricMetadata(String type, String help, String unit) {
  /** The type as the text format names it. */
  public String textType() {
    return type.equals("unknown") ? "untyped" : type;
  }
}
