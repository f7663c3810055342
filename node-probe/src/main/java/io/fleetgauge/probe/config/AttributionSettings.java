package io.fleetgauge.probe.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import io.fleetgauge.sample.Labels;
import java.util.List;
import java.util.Map;

/**
 * Settings of how a probe finds the owners of its GPUs.
 *
 * @param owner {@code attribution.owner}
 * @param tenantLabels {@code attribution.tenantLabels}
 * @param kubelet how the kubelet is asked
 * @param allocations how schedulers tell whom they have given GPUs to
 * @param slurm what is found out about Slurm's jobs
 * @param processes what is looked for in the processes on GPUs
 * @param runtimes who tells the names of containers
 */
public record AttributionSettings(
    Labels owner,
    List<String> tenantLabels,
    KubeletSettings kubelet,
    AllocationSettings allocations,
    SlurmSettings slurm,
    ProcessSettings processes,
    RuntimeSettings runtimes) {
  private static final Key<Map<String, String>> OWNER =
      Key.of(
          "attribution.owner",
          KeyType.labels(),
          Map.of(),
          "Labels of the owner of the node's GPUs, such as `tenant`, for GPUs whose owner is"
              + " known from neither a scheduler nor a process.");
  private static final Key<List<String>> TENANT_LABELS =
      Key.of(
          "attribution.tenantLabels",
          KeyType.listOf(KeyType.text(), 0),
          List.of("namespace", "account"),
          "Labels of a scheduler's record that name the tenant; the first that is present"
              + " becomes the label `tenant`.");

  public static AttributionSettings read(ConfigReader in) {
    return new AttributionSettings(
        Labels.of(in.get(OWNER)),
        in.get(TENANT_LABELS),
        KubeletSettings.read(in),
        AllocationSettings.read(in),
        SlurmSettings.read(in),
        ProcessSettings.read(in),
        RuntimeSettings.read(in));
  }
}
