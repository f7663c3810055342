package io.fleetgauge.probe.gpu.snapshot;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.gpu.Tier;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The samples of one reading, by tier. A tier that was not due has no builder: its series neither
 * repeat nor end.
 */
public final class GpuSnapshot {
  private static final Tier[] TIERS = Tier.values();

  private final Tick.Builder[] byTier = new Tick.Builder[TIERS.length];
  private final List<GpuProcesses> processes = new ArrayList<>();

  public GpuSnapshot(Set<Tier> due) {
    for (Tier tier : due) {
      byTier[tier.ordinal()] = new Tick.Builder();
    }
  }

  public boolean isDue(Tier tier) {
    return byTier[tier.ordinal()] != null;
  }

  /** The samples of a tier that was due. */
  public Tick.Builder of(Tier tier) {
    return byTier[tier.ordinal()];
  }

  /**
   * Processes of each GPU, or of the instances that it is divided into, where the driver lists
   * them.
   */
  public List<GpuProcesses> processes() {
    return List.copyOf(processes);
  }

  public void add(GpuProcesses of) {
    processes.add(of);
  }

  public void add(Tier tier, Labels series, double value) {
    Tick.Builder out = byTier[tier.ordinal()];
    if (out != null) {
      out.add(series, value);
    }
  }
}
