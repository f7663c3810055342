package io.fleetgauge.probe.attribution;

import io.fleetgauge.probe.gpu.snapshot.GpuIdentity;
import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;

/** The owner that the configuration of the node names, for GPUs that nobody else knows one of. */
public final class ConfiguredOwner implements OwnerSource {
  private final Labels owner;
  private final Supplier<List<GpuIdentity>> gpus;

  public ConfiguredOwner(Labels owner, Supplier<List<GpuIdentity>> gpus) {
    this.owner = owner;
    this.gpus = gpus;
  }

  @Override
  public String name() {
    return "configuration";
  }

  @Override
  public Basis basis() {
    return Basis.CONFIGURATION;
  }

  @Override
  public Knowledge newest() {
    List<Claim> claims = new ArrayList<>();
    for (GpuIdentity gpu : gpus.get()) {
      claims.add(new Claim(GpuOwners.Gpu.whole(gpu.uuid()), owner));
      gpu.instances().stream()
          .map(instance -> new Claim(GpuOwners.Gpu.of(instance.labels()), owner))
          .distinct()
          .forEach(claims::add);
    }
    return new Knowledge(claims, true, OptionalLong.of(0), 0, 0);
  }
}
