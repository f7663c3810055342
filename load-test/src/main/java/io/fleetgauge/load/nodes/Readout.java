package io.fleetgauge.load.nodes;

import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.DoubleSupplier;

/** A reader of series that are always the same. */
final class Readout implements Reader {
  private final String name;
  private final TickClass tickClass;
  private final List<Labels> series = new ArrayList<>();
  private final List<DoubleSupplier> values = new ArrayList<>();

  Readout(String name, TickClass tickClass) {
    this.name = name;
    this.tickClass = tickClass;
  }

  /**
   * Adds a series.
   *
   * @param labels names and values
   */
  Readout add(String metric, DoubleSupplier value, String... labels) {
    series.add(Labels.of(labels).with(Labels.NAME, metric));
    values.add(value);
    return this;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Set<TickClass> classes() {
    return Set.of(tickClass);
  }

  @Override
  public void read(Set<TickClass> due, Readings out) {
    for (int i = 0; i < series.size(); i++) {
      out.add(tickClass, series.get(i), values.get(i).getAsDouble());
    }
  }
}
