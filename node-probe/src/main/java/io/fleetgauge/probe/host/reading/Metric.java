package io.fleetgauge.probe.host.reading;

import io.fleetgauge.sample.Labels;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One metric and its series, whose label sets are made once. Type and help of all metrics are in
 * {@code sample.prometheus.KnownMetrics}. Not for several threads.
 */
public final class Metric {
  /** Most series of which the label set is remembered. */
  private static final int MAX_SERIES = 1 << 14;

  private static final class Series {
    final Labels labels;
    long reading;

    Series(Labels labels) {
      this.labels = labels;
    }
  }

  private final String name;
  private final String[] labelNames;
  private final Map<List<String>, Series> known = new HashMap<>();

  /**
   * @param labels names of its labels
   */
  public Metric(String name, String... labels) {
    this.name = name;
    this.labelNames = labels;
  }

  /**
   * The series of a reading; null if the reading had it before.
   *
   * @param reading its number
   * @param values in the order of the names
   */
  Labels series(long reading, String... values) {
    List<String> key = List.of(values);
    if (known.size() == MAX_SERIES && !known.containsKey(key)) {
      known.clear();
    }
    Series series = known.computeIfAbsent(key, this::made);
    if (series.reading == reading) {
      return null;
    }
    series.reading = reading;
    return series.labels;
  }

  private Series made(List<String> values) {
    String[] pairs = new String[2 * labelNames.length + 2];
    pairs[0] = Labels.NAME;
    pairs[1] = name;
    for (int i = 0; i < labelNames.length; i++) {
      pairs[2 * i + 2] = labelNames[i];
      pairs[2 * i + 3] = values.get(i);
    }
    return new Series(Labels.of(pairs));
  }

  @Override
  public String toString() {
    return name;
  }
}
