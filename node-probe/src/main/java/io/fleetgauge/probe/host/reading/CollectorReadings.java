package io.fleetgauge.probe.host.reading;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import java.util.Arrays;

/** Takes the samples of one reading after the other. Not for several threads. */
public final class CollectorReadings {
  private final Faults faults;
  private Tick.Builder tick;
  private long number;

  /**
   * @param faults counts series that came twice
   */
  public CollectorReadings(Faults faults) {
    this.faults = faults;
  }

  /** Begins the next reading, whose samples go to a tick. */
  public void begin(Tick.Builder tick) {
    this.tick = tick;
    number++;
  }

  /** Adds a sample; NaN means that there is none. */
  public void add(Metric metric, double value, String... labels) {
    if (value == value) {
      Labels series = metric.series(number, labels);
      if (series == null) {
        faults.add("a series came twice: " + metric + Arrays.toString(labels));
      } else {
        tick.add(series, value);
      }
    }
  }

  /** Adds a sample of a series that has any labels; the caller must not add it twice. */
  public void add(Labels series, double value) {
    tick.add(series, value);
  }
}
