package io.fleetgauge.sample.relabel;

import io.fleetgauge.sample.Labels;
import java.util.List;
import java.util.Optional;

/**
 * Rules that are applied one after the other. Immutable and safe for all threads.
 *
 * @param rules in order
 */
public record Relabelling(List<RelabelRule> rules) {
  /** Changes nothing. */
  public static final Relabelling NONE = new Relabelling(List.of());

  public Relabelling {
    rules = List.copyOf(rules);
  }

  public boolean isEmpty() {
    return rules.isEmpty();
  }

  /**
   * @return the new label set; empty if the series is dropped
   * @throws IllegalArgumentException if the rules made a label with an empty name
   */
  public Optional<Labels> apply(Labels labels) {
    if (rules.isEmpty()) {
      return Optional.of(labels);
    }
    LabelChanges changes = new LabelChanges(labels);
    for (RelabelRule rule : rules) {
      if (!rule.keeps(changes)) {
        return Optional.empty();
      }
    }
    return Optional.of(changes.labels());
  }
}
