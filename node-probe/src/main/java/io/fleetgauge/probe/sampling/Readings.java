package io.fleetgauge.probe.sampling;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import java.util.HashMap;
import java.util.Map;

/** What a reader reads in one call. Not for several threads. */
public final class Readings {
  private final Map<TickClass, Tick.Builder> byClass = new HashMap<>();

  /** Takes the samples of one class; those of a class that is not due are left out. */
  public Tick.Builder of(TickClass tickClass) {
    return byClass.computeIfAbsent(tickClass, key -> new Tick.Builder());
  }

  public Readings add(TickClass tickClass, Labels series, double value) {
    of(tickClass).add(series, value);
    return this;
  }

  Tick at(TickClass tickClass, long time) {
    return of(tickClass).at(time);
  }
}
