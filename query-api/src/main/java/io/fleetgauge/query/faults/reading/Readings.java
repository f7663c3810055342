package io.fleetgauge.query.faults.reading;

import java.util.Arrays;

/** The readings of one entity at a tick. Written while the tick is made, and then read only. */
public final class Readings {
  private static final double MILLIS = 1_000;

  private final Entity entity;
  private final double[] values;

  /** Time that the increases took, ms, if it is the same for all of them; {@code NaN} for none. */
  private double tookMillis = Double.NaN;

  /** Time that each increase took, ms; null while it is the same for all. */
  private double[] millis;

  public Readings(Entity entity) {
    this.entity = entity;
    this.values = new double[Signal.count(entity)];
    Arrays.fill(values, Double.NaN);
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
    return values[place(signal)] / (millis(signal) / MILLIS);
  }

  /** The value of a gauge, or the rate of a counter. */
  public double read(Signal signal) {
    return signal.form() == Signal.Form.INCREASE ? rate(signal) : get(signal);
  }

  /** The time that an increase took, ms. */
  public double millis(Signal signal) {
    return millis == null ? tookMillis : millis[place(signal)];
  }

  /** Adds a reading to those that the signal has already. */
  public void add(Signal signal, double value, double took) {
    int place = place(signal);
    boolean isFirst = Double.isNaN(values[place]);
    values[place] = isFirst ? value : values[place] + value;
    if (signal.form() == Signal.Form.LAST) {
      return;
    }
    if (millis == null) {
      if (Double.isNaN(tookMillis) || tookMillis == took) {
        tookMillis = took;
        return;
      }
      millis = new double[values.length];
      Arrays.fill(millis, tookMillis);
      millis[place] = isFirst ? took : Math.max(tookMillis, took);
      return;
    }
    millis[place] = isFirst ? took : Math.max(millis[place], took);
  }

  private int place(Signal signal) {
    if (signal.entity() != entity) {
      throw new IllegalArgumentException(signal + " is no signal of a " + entity);
    }
    return signal.index();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Readings that
        && entity == that.entity
        && Arrays.equals(values, that.values)
        && Arrays.equals(millis, that.millis)
        && Double.compare(tookMillis, that.tookMillis) == 0;
  }

  @Override
  public int hashCode() {
    return 31 * entity.hashCode() + Arrays.hashCode(values);
  }
}
