package io.fleetgauge.load.measure;

import java.util.Arrays;

/** Durations in ms. Not for several threads. */
final class Timings {
  private double[] values = new double[64];
  private int size;

  void add(double millis) {
    if (size == values.length) {
      values = Arrays.copyOf(values, 2 * size);
    }
    values[size++] = millis;
  }

  int size() {
    return size;
  }

  /** NaN when there is none. */
  double quantile(double q) {
    if (size == 0) {
      return Double.NaN;
    }
    double[] sorted = Arrays.copyOf(values, size);
    Arrays.sort(sorted);
    return sorted[(int) Math.min(size - 1, Math.floor(q * size))];
  }

  double median() {
    return quantile(0.5);
  }
}
