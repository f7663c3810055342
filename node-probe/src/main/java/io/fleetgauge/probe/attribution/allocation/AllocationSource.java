package io.fleetgauge.probe.attribution.allocation;

import io.fleetgauge.probe.attribution.Basis;
import io.fleetgauge.probe.attribution.Claim;
import io.fleetgauge.probe.attribution.DeviceIds;
import io.fleetgauge.probe.attribution.OwnerSource;
import io.fleetgauge.probe.gpu.snapshot.GpuIdentity;
import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/** The owners that schedulers told. */
public final class AllocationSource implements OwnerSource {
  private final Allocations allocations;
  private final Supplier<List<GpuIdentity>> gpus;

  /**
   * @param gpus the GPUs of the node
   */
  public AllocationSource(Allocations allocations, Supplier<List<GpuIdentity>> gpus) {
    this.allocations = allocations;
    this.gpus = gpus;
  }

  @Override
  public String name() {
    return "allocations";
  }

  @Override
  public Basis basis() {
    return Basis.ALLOCATION;
  }

  @Override
  public Knowledge newest() {
    DeviceIds devices = new DeviceIds(gpus.get());
    List<Claim> claims = new ArrayList<>();
    long unresolved = 0;
    for (ReportedAllocation allocation : allocations.now()) {
      for (String id : allocation.gpus()) {
        Optional<GpuOwners.Gpu> gpu = devices.find(id);
        gpu.ifPresent(of -> claims.addAll(claims(devices, of, allocation.owner())));
        unresolved += gpu.isPresent() ? 0 : 1;
      }
    }
    return new Knowledge(claims, true, OptionalLong.of(0), allocations.fileErrors(), unresolved);
  }

  /** The GPUs of an allocation that the node does not have. */
  List<String> unknown(ReportedAllocation allocation) {
    DeviceIds devices = new DeviceIds(gpus.get());
    return allocation.gpus().stream().filter(id -> devices.find(id).isEmpty()).toList();
  }

  /** Who has a GPU has its MIG instances too. */
  public static List<Claim> claims(DeviceIds devices, GpuOwners.Gpu gpu, Labels owner) {
    List<Claim> claims = new ArrayList<>();
    claims.add(new Claim(gpu, owner));
    if (gpu.instance().isEmpty()) {
      devices.gpus().stream()
          .filter(each -> each.uuid().equals(gpu.uuid()))
          .flatMap(each -> each.instances().stream())
          .map(instance -> new Claim(GpuOwners.Gpu.of(instance.labels()), owner))
          .distinct()
          .forEach(claims::add);
    }
    return claims;
  }
}
