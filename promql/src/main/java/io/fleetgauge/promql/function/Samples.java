package io.fleetgauge.promql.function;

import io.fleetgauge.promql.kernel.Columns;
import io.fleetgauge.sample.Series;

/**
 * The numbers of a series without staleness markers, as functions over ranges take them.
 *
 * @param size how many of the arrays' places are used
 * @param histogramTimes when the series has a histogram, ms; null when it has none
 */
public record Samples(long[] times, double[] values, int size, long[] histogramTimes) {
  public static Samples of(Series series) {
    long[] histogramTimes = histogramTimes(series);
    int size = Columns.count(series.values());
    if (size == series.size()) {
      return new Samples(series.times(), series.values(), size, histogramTimes);
    }
    long[] times = new long[size];
    double[] values = new double[size];
    int next = 0;
    for (int i = 0; i < series.size(); i++) {
      double value = series.values()[i];
      if (!Columns.isAbsent(value)) {
        times[next] = series.times()[i];
        values[next++] = value;
      }
    }
    return new Samples(times, values, size, histogramTimes);
  }

  private static long[] histogramTimes(Series series) {
    if (series.histograms() == null) {
      return null;
    }
    long[] times = new long[series.size()];
    int size = 0;
    for (int i = 0; i < series.size(); i++) {
      if (series.histograms()[i] != null) {
        times[size++] = series.times()[i];
      }
    }
    return java.util.Arrays.copyOf(times, size);
  }

  public boolean hasHistograms() {
    return histogramTimes != null && histogramTimes.length > 0;
  }

  public boolean hasFloats() {
    return size > 0;
  }
}
