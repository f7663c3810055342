package io.fleetgauge.sample.vocabulary;

import java.util.Map;
import java.util.Optional;

/**
 * The aliases that are in effect for one question.
 *
 * @param metrics by the names under which they are asked for
 * @param labels names of stored labels by the names under which they are seen
 */
public record Aliases(Map<String, MetricAlias> metrics, Map<String, String> labels) {
  /** No name stands for another. */
  public static final Aliases NONE = new Aliases(Map.of(), Map.of());

  public Aliases {
    metrics = Map.copyOf(metrics);
    labels = Map.copyOf(labels);
  }

  public boolean isEmpty() {
    return metrics.isEmpty() && labels.isEmpty();
  }

  /** Series under their own names, with the labels of these aliases. */
  public SeriesAliases unnamed() {
    return new SeriesAliases(Optional.empty(), labels);
  }

  /** Series under the name of an alias, with the labels of these aliases. */
  public SeriesAliases named(MetricAlias alias) {
    return new SeriesAliases(Optional.of(alias), labels);
  }
}
