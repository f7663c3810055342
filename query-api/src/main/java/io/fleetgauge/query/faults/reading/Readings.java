package io.fleetgauge.query.faults.reading;

import java.util.Arrays;

/** The readings of one entity at a tick. Written while the tick is made, and then read only. */
public final class Readings {
  private static final double MILLIS = 1_000;

  private final Entity entity;
  private final double[] values;

  /** Time that an increase took, ms. */
  private final double[] millis;

  public Readings(Entity entity) {
    this.entity = entity;
    this.values = new double[Signal.count(entity)];
    this.millis = new double[values.length];
    Arrays.fill(values, Double.NaN);
    Arrays.fill(millis, Double.NaN);
  }

  /** The newest value of a gauge; the increase of a counter, if it was read at this tick. */
  public double get(Signal signal) {
    return values[place(signal)];
  }

  /** As {@link #get}, with another value for none. */
  public double get(Signal signal, double otherwise) {
    double value = get(signal);
    return Double.isNaN(value) ? otherwise : value;
  }

  public boolean has(Signal signal) {
    return !Double.isNaN(get(signal));
  }

  /** The increase of a counter for each second, if it was read at this tick. */
  public double rate(Signal signal) {
    int place = place(signal);
    return values[place] / (millis[place] / MILLIS);
  }

  /** Adds a reading to those that the signal has already. */
  public void add(Signal signal, double value, double tookMillis) {
    int place = place(signal);
    values[place] = Double.isNaN(values[place]) ? value : values[place] + value;
    millis[place] = Double.isNaN(millis[place]) ? tookMillis : Math.max(millis[place], tookMillis);
  }

  private int place(Signal signal) {
    if (signal.entity() != entity) {
      throw new IllegalArgumentException(signal + " is no signal of a " + entity);
    }
    return signal.index();
  }
}
