package io.fleetgauge.probe.attribution;

import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** A source that knows what the test says. */
final class ScriptedSource implements OwnerSource {
  private final String name;
  private final Basis basis;
  private List<Claim> claims = new ArrayList<>();
  private boolean isUp = true;

  ScriptedSource(String name, Basis basis) {
    this.name = name;
    this.basis = basis;
  }

  ScriptedSource claim(GpuOwners.Gpu gpu, String... labels) {
    claims.add(new Claim(gpu, Labels.of(labels)));
    return this;
  }

  void forget() {
    claims = new ArrayList<>();
  }

  void fail() {
    forget();
    isUp = false;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Basis basis() {
    return basis;
  }

  @Override
  public Knowledge newest() {
    return new Knowledge(claims, isUp, OptionalLong.of(2_500), isUp ? 0 : 1, 0);
  }
}
