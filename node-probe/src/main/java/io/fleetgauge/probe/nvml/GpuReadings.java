package io.fleetgauge.probe.nvml;

import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.sample.Tick;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;

/** The node's GPUs. */
public final class GpuReadings implements Reader {
  private final GpuThread thread;
  private final TickClass core;
  private final Duration limit;

  /**
   * @param limit how long the driver may take
   */
  public GpuReadings(GpuThread thread, TickClass core, Duration limit) {
    this.thread = thread;
    this.core = core;
    this.limit = limit;
  }

  @Override
  public String name() {
    return "gpu";
  }

  @Override
  public Set<TickClass> classes() {
    return Set.of(core);
  }

  @Override
  public void read(Set<TickClass> due, Readings out) throws IOException, InterruptedException {
    Tick reading =
        thread
            .read(limit)
            .orElseThrow(() -> new IOException("the driver has not answered for " + limit))
            .at(0);
    for (int i = 0; i < reading.size(); i++) {
      out.add(core, reading.series().get(i), reading.values()[i]);
    }
  }
}
