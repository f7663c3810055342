package io.fleetgauge.probe.host.reading;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Metrics that are named after fields of a file, found by the field.
 *
 * @see Metric
 */
public final class Fields {
  /** Most fields; a file has hundreds at most. */
  private static final int MAX_FIELDS = 4_096;

  private final Map<String, Metric> metrics = new HashMap<>();
  private final Function<String, Metric> make;

  /**
   * @param make the metric of a field, or null if the field is not wanted
   */
  public Fields(Function<String, Metric> make) {
    this.make = make;
  }

  /** The metric of a field; null if it is not wanted. */
  public Metric of(String field) {
    Metric metric = metrics.get(field);
    if (metric == null && !metrics.containsKey(field)) {
      if (metrics.size() == MAX_FIELDS) {
        metrics.clear();
      }
      metric = make.apply(field);
      metrics.put(field, metric);
    }
    return metric;
  }
}
