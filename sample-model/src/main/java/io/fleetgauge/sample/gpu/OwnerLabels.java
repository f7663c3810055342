package io.fleetgauge.sample.gpu;

import java.util.List;

/** Labels of a GPU's series that say who has it. */
public final class OwnerLabels {
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

  private OwnerLabels() {}
}
