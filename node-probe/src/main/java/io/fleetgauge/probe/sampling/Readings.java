package io.fleetgauge.probe.sampling;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.gpu.GpuMetrics;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The samples that a reader reads in one call. Not for several threads. */
public final class Readings {
  private final Map<TickClass, Tick.Builder> byClass = new HashMap<>();
  private final Map<Long, Tick.Builder> byTime = new TreeMap<>();

  /** Takes the samples of one class; those of a class that is not due are left out. */
  public Tick.Builder of(TickClass tickClass) {
    return byClass.computeIfAbsent(tickClass, key -> new Tick.Builder());
  }

  public Readings add(TickClass tickClass, Labels series, double value) {
    of(tickClass).add(series, value);
    return this;
  }

  /**
   * Adds a sample of a metric of the table of GPUs.
   *
   * @throws IllegalArgumentException if the table lacks it
   */
  public Readings add(TickClass tickClass, String metric, Labels of, double value) {
    return add(tickClass, of.with(Labels.NAME, GpuMetrics.of(metric).name()), value);
  }

  /**
   * Adds a sample with a time of its own. Nothing is known of when such a series ends.
   *
   * @param time ms since the epoch
   */
  public Readings addAt(long time, Labels series, double value) {
    byTime.computeIfAbsent(time, key -> new Tick.Builder()).add(series, value);
    return this;
  }

  /** The samples with times of their own. */
  List<Tick> dated() {
    List<Tick> dated = new ArrayList<>();
    byTime.forEach((time, samples) -> dated.add(samples.at(time)));
    return dated;
  }

  Tick at(TickClass tickClass, long time) {
    return of(tickClass).at(time);
  }
}
