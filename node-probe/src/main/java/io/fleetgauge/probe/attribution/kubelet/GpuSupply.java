package io.fleetgauge.probe.attribution.kubelet;

import io.fleetgauge.probe.attribution.DeviceIds;
import io.fleetgauge.probe.gpu.snapshot.GpuIdentity;
import io.fleetgauge.probe.sampling.GpuOwners;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The devices that the kubelet has to give away.
 *
 * @param byResource healthy devices by resource, given or free
 * @param withheld GPUs and MIG instances of the node that are in no resource, so that no pod can
 *     get them; empty when no resource has ever had one, or when it is not known which ones they
 *     have
 */
record GpuSupply(Map<String, Count> byResource, OptionalLong withheld) {
  static final GpuSupply UNKNOWN = new GpuSupply(Map.of(), OptionalLong.empty());

  /**
   * Devices of a resource.
   *
   * @param allocatable all healthy ones
   * @param free those that no pod has
   */
  record Count(long allocatable, long free) {}

  /**
   * @param known resources that had devices before
   * @param devices those of pods
   */
  static GpuSupply of(
      List<PodResources.Offered> offered,
      Set<String> known,
      List<PodDevice> devices,
      List<GpuIdentity> gpus) {
    Set<PodResources.Offered> given = new HashSet<>();
    devices.forEach(each -> given.add(new PodResources.Offered(each.resource(), each.id())));
    Set<String> resources = new TreeSet<>(known);
    offered.forEach(each -> resources.add(each.resource()));
    Map<String, Count> counts = new TreeMap<>();
    for (String resource : resources) {
      List<PodResources.Offered> own =
          offered.stream().filter(each -> each.resource().equals(resource)).toList();
      long free = own.stream().filter(each -> !given.contains(each)).count();
      counts.put(resource, new Count(own.size(), free));
    }
    return new GpuSupply(
        counts, resources.isEmpty() ? OptionalLong.empty() : withheld(offered, devices, gpus));
  }

  private static OptionalLong withheld(
      List<PodResources.Offered> offered, List<PodDevice> devices, List<GpuIdentity> gpus) {
    DeviceIds ids = new DeviceIds(gpus);
    Set<GpuOwners.Gpu> reachable = new HashSet<>();
    for (PodResources.Offered each : offered) {
      Optional<GpuOwners.Gpu> gpu = ids.find(each.id());
      if (gpu.isEmpty()) {
        return OptionalLong.empty(); // ids of a plugin's own: nobody knows which GPUs they are
      }
      reachable.add(gpu.get());
    }
    devices.stream()
        .filter(PodDevice::isDynamic)
        .flatMap(each -> each.names().stream())
        .forEach(name -> ids.find(name).ifPresent(reachable::add));
    long withheld = 0;
    for (GpuIdentity gpu : gpus) {
      if (!reachable.contains(GpuOwners.Gpu.whole(gpu.uuid()))) {
        withheld += parts(gpu).filter(part -> !reachable.contains(part)).count();
      }
    }
    return OptionalLong.of(withheld);
  }

  /** A GPU that is divided is given away by its instances. */
  private static Stream<GpuOwners.Gpu> parts(GpuIdentity gpu) {
    return gpu.instances().isEmpty()
        ? Stream.of(GpuOwners.Gpu.whole(gpu.uuid()))
        : gpu.instances().stream().map(instance -> GpuOwners.Gpu.of(instance.labels())).distinct();
  }
}
