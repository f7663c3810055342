package io.fleetgauge.probe.attribution.kubelet;

import io.fleetgauge.probe.attribution.Claim;
import io.fleetgauge.probe.attribution.DeviceIds;
import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.relabel.Relabelling;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Claims of pods to the GPUs of this node.
 *
 * @param unresolved devices that are none of the node's GPUs
 */
record PodClaims(List<Claim> claims, long unresolved) {
  private static final String RESOURCE = "resource";
  private static final String DEVICE = "device";

  /**
   * @param uids of the pods, where they are known
   */
  static PodClaims of(
      List<PodDevice> devices, Map<Pod, String> uids, Relabelling rules, DeviceIds ids) {
    Set<Claim> claims = new LinkedHashSet<>();
    long unresolved = 0;
    for (PodDevice device : devices) {
      Labels labels =
          Labels.of(
              "pod",
              device.pod().name(),
              "namespace",
              device.pod().namespace(),
              "pod_uid",
              uids.getOrDefault(device.pod(), ""),
              "container",
              device.container(),
              RESOURCE,
              device.resource(),
              DEVICE,
              device.id());
      Optional<Labels> kept;
      try {
        kept = rules.apply(labels);
      } catch (IllegalArgumentException e) {
        unresolved++; // a rule made a label without a name
        continue;
      }
      if (kept.isPresent()) {
        Optional<GpuOwners.Gpu> gpu = find(device, kept.get().value(DEVICE), ids);
        Labels owner = owner(kept.get());
        gpu.ifPresent(found -> claims.add(new Claim(found, owner)));
        unresolved += gpu.isEmpty() ? 1 : 0;
      }
    }
    return new PodClaims(new ArrayList<>(claims), unresolved);
  }

  /** Without what only rules see; names of two underscores are for rules, as in Prometheus. */
  private static Labels owner(Labels labels) {
    Labels owner = labels.without(RESOURCE).without(DEVICE);
    for (int i = owner.size() - 1; i >= 0; i--) {
      if (owner.name(i).startsWith("__")) {
        owner = owner.without(owner.name(i));
      }
    }
    return owner;
  }

  /** A name with a UUID is the surest; one that a rule has made is the only one. */
  private static Optional<GpuOwners.Gpu> find(PodDevice device, String id, DeviceIds ids) {
    if (!id.equals(device.id())) {
      return ids.find(id);
    }
    return device.names().stream()
        .sorted((one, other) -> Boolean.compare(hasUuid(other), hasUuid(one)))
        .map(ids::find)
        .flatMap(Optional::stream)
        .findFirst();
  }

  private static boolean hasUuid(String name) {
    return name.contains("GPU-") || name.contains("MIG-");
  }
}
