package io.fleetgauge.sample.vocabulary;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A stored series as an asker sees it.
 *
 * @param metric the alias that gives it another name; empty when it keeps its own
 * @param labels names of stored labels by the names under which they are seen too; a series that
 *     has a label of that name keeps its own
 */
public record SeriesAliases(Optional<MetricAlias> metric, Map<String, String> labels) {
  /** As it is stored. */
  public static final SeriesAliases AS_STORED = new SeriesAliases(Optional.empty(), Map.of());

  public Factor factor() {
    return metric.map(MetricAlias::factor).orElse(Factor.ONE);
  }

  /** The labels under which a series is seen. */
  public Labels labels(Labels stored) {
    String[] added = new String[2 * labels.size() + 2];
    int size = 0;
    if (metric.isPresent()) {
      added[size++] = Labels.NAME;
      added[size++] = metric.get().name();
    }
    for (var label : labels.entrySet()) {
      String value = stored.value(label.getValue());
      if (!value.isEmpty() && stored.value(label.getKey()).isEmpty()) {
        added[size++] = label.getKey();
        added[size++] = value;
      }
    }
    return size == 0 ? stored : stored.with(Labels.of(Arrays.copyOf(added, size)));
  }

  /** A series as it is seen. Native histograms are not scaled; see {@link #cannotShow}. */
  public Series series(Series stored) {
    double[] values = stored.values();
    Factor factor = factor();
    if (!factor.isOne()) {
      values = new double[stored.size()];
      for (int i = 0; i < values.length; i++) {
        values[i] = factor.apply(stored.values()[i]);
      }
    }
    return new Series(labels(stored.labels()), stored.times(), values, stored.histograms());
  }

  /** Why a series cannot be seen so; empty when it can. */
  public Optional<String> cannotShow(Series stored) {
    return stored.histograms() == null || factor().isOne()
        ? Optional.empty()
        : Optional.of(
            "the metric "
                + metric.orElseThrow().name()
                + " is an alias with the factor "
                + factor()
                + ", by which native histograms cannot be scaled; query "
                + metric.orElseThrow().stored());
  }

  @Override
  public String toString() {
    String name = metric.map(each -> each.stored() + " * " + each.factor()).orElse("");
    return labels.isEmpty() ? name : name + new TreeMap<>(labels);
  }
}
