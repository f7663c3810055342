package io.fleetgauge.sample;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Samples of one series over a period: its samples in order of time, staleness markers among them.
 * A sample is a number or a histogram.
 *
 * @param labels the series
 * @param times ms since the epoch, strictly ascending
 * @param values same length as {@code times}; the staleness marker for a histogram, so that code
 *     for numbers skips it
 * @param histograms null when there are none, as usual; else as long as {@code times}, null for a
 *     number or a marker
 */
public record Series(Labels labels, long[] times, double[] values, Histogram[] histograms) {
  public Series {
    if (times.length != values.length || histograms != null && histograms.length != values.length) {
      throw new IllegalArgumentException(
          "a series needs a sample for each time, got "
              + values.length
              + " values and "
              + (histograms == null ? 0 : histograms.length)
              + " histograms for "
              + times.length
              + " times");
    }
  }

  /** A period with numbers only. */
  public Series(Labels labels, long[] times, double[] values) {
    this(labels, times, values, null);
  }

  public int size() {
    return times.length;
  }

  /** The samples from one index up to another. */
  public Series part(int from, int to) {
    return from == 0 && to == size()
        ? this
        : new Series(
            labels,
            Arrays.copyOfRange(times, from, to),
            Arrays.copyOfRange(values, from, to),
            histograms == null ? null : Arrays.copyOfRange(histograms, from, to));
  }

  /** First index whose time is above {@code time}; {@link #size()} when there is none. */
  public static int firstAfter(long[] times, int from, int to, long time) {
    int low = from;
    int high = to;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (times[middle] <= time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * Merges neighbours with equal label sets. Samples are facts, so the union of two sources is
   * correct.
   */
  public static List<Series> joinEqual(List<Series> sorted) {
    List<Series> joined = new ArrayList<>(sorted.size());
    for (Series series : sorted) {
      if (!joined.isEmpty() && joined.getLast().labels().equals(series.labels())) {
        joined.add(union(joined.removeLast(), series));
      } else {
        joined.add(series);
      }
    }
    return joined;
  }

  /**
   * All samples of two periods of one series; at equal times, that of {@code a} unless that of
   * {@code b} replaces it.
   */
  public static Series union(Series a, Series b) {
    long[] times = new long[a.size() + b.size()];
    double[] values = new double[times.length];
    boolean plain = a.histograms() == null && b.histograms() == null;
    Histogram[] histograms = plain ? null : new Histogram[times.length];
    int size = 0;
    int i = 0;
    int j = 0;
    while (i < a.size() || j < b.size()) {
      boolean fromA = j == b.size() || i < a.size() && a.times()[i] <= b.times()[j];
      if (fromA && j < b.size() && a.times()[i] == b.times()[j]) {
        if (SameTime.replaces(
            a.labels(), a.values()[i], a.histogram(i), b.values()[j], b.histogram(j))) {
          i++;
          fromA = false;
        } else {
          j++; // of two samples at one time the first source's counts
        }
      }
      Series from = fromA ? a : b;
      int at = fromA ? i++ : j++;
      times[size] = from.times()[at];
      values[size] = from.values()[at];
      if (histograms != null && from.histograms() != null) {
        histograms[size] = from.histograms()[at];
      }
      size++;
    }
    return new Series(
        a.labels(),
        Arrays.copyOf(times, size),
        Arrays.copyOf(values, size),
        plain ? null : Arrays.copyOf(histograms, size));
  }

  private Histogram histogram(int i) {
    return histograms == null ? null : histograms[i];
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof Series that) || !labels.equals(that.labels) || size() != that.size()) {
      return false;
    }
    for (int i = 0; i < values.length; i++) {
      if (Double.doubleToRawLongBits(values[i]) != Double.doubleToRawLongBits(that.values[i])) {
        return false;
      }
    }
    return Arrays.equals(times, that.times) && Arrays.equals(histograms, that.histograms);
  }

  @Override
  public int hashCode() {
    return 31 * labels.hashCode() + Arrays.hashCode(times);
  }

  @Override
  public String toString() {
    return labels
        + " "
        + Arrays.toString(times)
        + " "
        + Arrays.toString(values)
        + (histograms == null ? "" : " " + Arrays.toString(histograms));
  }
}
