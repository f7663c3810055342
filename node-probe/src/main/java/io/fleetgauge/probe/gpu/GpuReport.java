package io.fleetgauge.probe.gpu;

import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import java.util.Set;

/** What is known of the reading of GPUs; it never waits for the driver. */
public final class GpuReport implements Reader {
  private final GpuThread thread;
  private final TickClass core;

  public GpuReport(GpuThread thread, TickClass core) {
    this.thread = thread;
    this.core = core;
  }

  @Override
  public String name() {
    return "gpu_probe";
  }

  @Override
  public Set<TickClass> classes() {
    return Set.of(core);
  }

  @Override
  public void read(Set<TickClass> due, Readings out) {
    thread.report(out.of(core));
  }
}
