package io.fleetgauge.probe.gpu;

import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import java.util.Set;

/** Series of the reading of GPUs itself; it never waits for the driver. */
public final class GpuReport implements Reader {
  private final GpuThread thread;
  private final TickClass core;
  private final TickClass other;

  /**
   * @param other when durations of calls are told: there are many series of them
   */
  public GpuReport(GpuThread thread, TickClass core, TickClass other) {
    this.thread = thread;
    this.core = core;
    this.other = other;
  }

  @Override
  public String name() {
    return "gpu_probe";
  }

  @Override
  public Set<TickClass> classes() {
    return core.equals(other) ? Set.of(core) : Set.of(core, other);
  }

  @Override
  public void read(Set<TickClass> due, Readings out) {
    if (due.contains(core)) {
      thread.report(out.of(core));
    }
    if (due.contains(other)) {
      thread.reportDurations(out.of(other));
    }
  }
}
