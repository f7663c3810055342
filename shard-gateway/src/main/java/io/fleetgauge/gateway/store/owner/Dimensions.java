package io.fleetgauge.gateway.store.owner;

import io.fleetgauge.sample.Labels;
import java.util.List;
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

  /**
   * The names that dcgm-exporter, also after a scrape that has renamed them, schedulers and probes
   * use.
   */
  public static final List<String> KNOWN =
      List.of(
          "job",
          "tenant",
          "pod",
          "namespace",
          "container",
          "pod_uid",
          "hpc_job",
          "user",
          "account",
          "exported_pod",
          "exported_namespace",
          "exported_container",
          "shared",
          "partition",
          "array_job",
          "array_task",
          "unit",
          "container_id",
          "container_name",
          "pid",
          "process_name");

  public static final Dimensions DEFAULT = new Dimensions(UUID, Set.copyOf(KNOWN));

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
