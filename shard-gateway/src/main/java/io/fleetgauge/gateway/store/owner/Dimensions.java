package io.fleetgauge.gateway.store.owner;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.OwnerLabels;
import java.util.Set;

/**
 * The labels of a GPU that name its owner and change over time. They are stored as intervals of
 * time beside its series, so that a change of owner adds no series.
 *
 * @param identifier the label that identifies a GPU; series without it have no dimensions
 * @param names the dimensions
 */
public record Dimensions(String identifier, Set<String> names) {
  /** The identifier of NVML and of exporters. */
  public static final String UUID = "UUID";

  public static final Dimensions DEFAULT = new Dimensions(UUID, Set.copyOf(OwnerLabels.KNOWN));

  /** Returns true if series with these labels have an owner, which may be nobody. */
  public boolean apply(Labels labels) {
    return !labels.value(identifier).isEmpty();
  }

  /** The labels without the dimensions. */
  public Labels identity(Labels labels) {
    Labels rest = labels;
    for (String name : names) {
      if (!rest.value(name).isEmpty()) {
        rest = rest.without(name);
      }
    }
    return rest;
  }

  /** The dimensions among the labels. */
  public Labels owner(Labels labels) {
    return labels.only(names);
  }
}
