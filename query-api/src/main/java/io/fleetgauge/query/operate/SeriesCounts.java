package io.fleetgauge.query.operate;

import io.fleetgauge.sample.Labels;
import java.util.HashMap;
import java.util.Map;

/** Counts series by metric, label, host and tenant. Not for several threads. */
final class SeriesCounts {
  /** Further values of labels are not counted by themselves. */
  static final int MAX_VALUES = 300_000;

  /** Stands for series without such a label. */
  static final String NONE = "";

  private long series;
  private int values;
  private boolean isCut;
  private final Map<String, Long> metrics = new HashMap<>();
  private final Map<String, Map<String, Long>> labels = new HashMap<>();
  private final Map<String, Long> hosts = new HashMap<>();
  private final Map<String, Long> tenants = new HashMap<>();

  void add(Labels of) {
    series++;
    metrics.merge(of.metric(), 1L, Long::sum);
    String host = of.value("Hostname");
    hosts.merge(host.isEmpty() ? of.value("instance") : host, 1L, Long::sum);
    tenants.merge(of.value("tenant"), 1L, Long::sum);
    for (int i = 0; i < of.size(); i++) {
      if (!of.name(i).equals(Labels.NAME)) {
        addValue(labels.computeIfAbsent(of.name(i), none -> new HashMap<>()), of.value(i));
      }
    }
  }

  private void addValue(Map<String, Long> counts, String value) {
    if (counts.containsKey(value)) {
      counts.merge(value, 1L, Long::sum);
    } else if (values < MAX_VALUES) {
      values++;
      counts.put(value, 1L);
    } else {
      isCut = true;
    }
  }

  /** Says that there are more series. */
  void cut() {
    isCut = true;
  }

  /** Tells whether there are more series or values than were counted. */
  boolean isCut() {
    return isCut;
  }

  long series() {
    return series;
  }

  Map<String, Long> metrics() {
    return metrics;
  }

  Map<String, Long> hosts() {
    return hosts;
  }

  Map<String, Long> tenants() {
    return tenants;
  }

  /** The number of values of each label. */
  Map<String, Long> labels() {
    Map<String, Long> counts = new HashMap<>();
    labels.forEach((label, each) -> counts.put(label, (long) each.size()));
    return counts;
  }

  /** The number of series with each value of a label. */
  Map<Pair, Long> pairs() {
    Map<Pair, Long> pairs = new HashMap<>();
    labels.forEach(
        (label, each) -> each.forEach((value, count) -> pairs.put(new Pair(label, value), count)));
    return pairs;
  }

  /** A label and its value. */
  record Pair(String label, String value) implements Comparable<Pair> {
    @Override
    public int compareTo(Pair other) {
      int byLabel = label.compareTo(other.label);
      return byLabel == 0 ? value.compareTo(other.value) : byLabel;
    }
  }
}
