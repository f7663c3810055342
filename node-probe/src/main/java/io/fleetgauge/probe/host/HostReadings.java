package io.fleetgauge.probe.host;

import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import java.util.Set;

/** The node itself. */
public final class HostReadings implements Reader {
  private final HostReader host;
  private final TickClass core;

  public HostReadings(HostReader host, TickClass core) {
    this.host = host;
    this.core = core;
  }

  @Override
  public String name() {
    return "host";
  }

  @Override
  public Set<TickClass> classes() {
    return Set.of(core);
  }

  @Override
  public void read(Set<TickClass> due, Readings out) {
    host.read(out.of(core));
  }
}
