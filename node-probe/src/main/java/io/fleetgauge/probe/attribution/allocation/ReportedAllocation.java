package io.fleetgauge.probe.attribution.allocation;

import io.fleetgauge.sample.Labels;
import java.util.List;
import java.util.OptionalLong;

/**
 * GPUs that a scheduler has given to somebody. Immutable.
 *
 * @param id names it
 * @param gpus as {@link io.fleetgauge.probe.attribution.DeviceIds} reads them
 * @param expires when it ends by itself, ms since the epoch
 * @param hadCgroup whether the cgroup of its job has been seen
 */
public record ReportedAllocation(
    String id, List<String> gpus, Labels owner, OptionalLong expires, boolean hadCgroup) {
  private static final String JOB = "hpc_job";

  public ReportedAllocation {
    gpus = List.copyOf(gpus);
  }

  /** The batch job that it was made for; empty when it was not. */
  public String job() {
    return owner.value(JOB);
  }

  ReportedAllocation withCgroup() {
    return new ReportedAllocation(id, gpus, owner, expires, true);
  }

  /** Tells whether both say the same of an owner, whatever has been seen of its cgroup. */
  boolean isSameAs(ReportedAllocation other) {
    return withCgroup().equals(other.withCgroup());
  }

  boolean isOver(long now) {
    return expires.isPresent() && expires.getAsLong() <= now;
  }
}
