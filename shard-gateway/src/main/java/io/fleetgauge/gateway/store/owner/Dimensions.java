package io.fleetgauge.gateway.store.owner;

import io.fleetgauge.sample.Labels;
import java.util.Set;

/**
 * Which labels of a GPU say who owns it and therefore change: they are kept as intervals of time
 * beside its series, so that a change of owner makes no new series.
 *
 * @param identifier the label that a series of a GPU has; series without it have no dimensions
 * @param names the labels that change
 */
public record Dimensions(String identifier, Set<String> names) {
  /** As dcgm-exporter and the schedulers name them. */
  public static final Dimensions DEFAULT =
      new Dimensions("UUID", Set.of("job", "tenant", "pod", "namespace", "container"));

  /** Whether series with these labels have an owner, if only "nobody". */
  public boolean apply(Labels labels) {
    return !labels.value(identifier).isEmpty();
  }

  /** What of the labels never changes. */
  public Labels identity(Labels labels) {
    Labels rest = labels;
    for (String name : names) {
      if (!rest.value(name).isEmpty()) {
        rest = rest.without(name);
      }
    }
    return rest;
  }

  /** What of the labels says who owns the GPU. */
  public Labels owner(Labels labels) {
    return labels.only(names);
  }
}
