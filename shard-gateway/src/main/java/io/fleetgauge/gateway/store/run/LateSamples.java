package io.fleetgauge.gateway.store.run;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Series;
import java.util.Arrays;

/**
 * Samples of one series that arrived after newer ones, in order of time. The lane's writer adds;
 * readers use the samples below the size that they read first.
 */
public final class LateSamples {
  public final long[] times;
  public final double[] values;

  /** Null if there are none. */
  public final Histogram[] histograms;

  private volatile int size;

  private LateSamples(long[] times, double[] values, Histogram[] histograms, int size) {
    this.times = times;
    this.values = values;
    this.histograms = histograms;
    this.size = size;
  }

  public int size() {
    return size;
  }

  /** Where a time is or would be inserted. */
  public int indexOf(long time) {
    return Series.firstAfter(times, 0, size, time - 1);
  }

  /**
   * These samples and one more, which replaces one of its time. The same object is returned if the
   * sample could be added after the last one.
   */
  public static LateSamples with(LateSamples now, long time, double value, Histogram histogram) {
    if (now == null) {
      now = new LateSamples(new long[4], new double[4], null, 0);
    }
    int at = now.indexOf(time);
    int size = now.size;
    if (at < size && now.times[at] == time) {
      return now.replaced(at, value, histogram);
    }
    boolean behind = at == size && size < now.times.length;
    if (!behind || histogram != null && now.histograms == null) {
      int capacity = size < now.times.length ? now.times.length : 2 * size;
      boolean mixed = now.histograms != null || histogram != null;
      LateSamples larger =
          new LateSamples(
              new long[capacity],
              new double[capacity],
              mixed ? new Histogram[capacity] : null,
              size);
      now.copy(0, at, larger, 0);
      now.copy(at, size, larger, at + 1);
      now = larger;
    }
    now.times[at] = time;
    now.values[at] = value;
    if (histogram != null) {
      now.histograms[at] = histogram;
    }
    now.size = size + 1;
    return now;
  }

  /** Readers may be reading these: the result is a copy. */
  private LateSamples replaced(int at, double value, Histogram histogram) {
    boolean mixed = histograms != null || histogram != null;
    LateSamples other =
        new LateSamples(
            new long[times.length],
            new double[times.length],
            mixed ? new Histogram[times.length] : null,
            size);
    copy(0, size, other, 0);
    other.values[at] = value;
    if (mixed) {
      other.histograms[at] = histogram;
    }
    return other;
  }

  private void copy(int from, int to, LateSamples target, int at) {
    System.arraycopy(times, from, target.times, at, to - from);
    System.arraycopy(values, from, target.values, at, to - from);
    if (histograms != null) {
      System.arraycopy(histograms, from, target.histograms, at, to - from);
    }
  }

  /** The samples from a time on; null if there are none. */
  public LateSamples from(long time) {
    int at = indexOf(time);
    return at == size
        ? null
        : new LateSamples(
            Arrays.copyOfRange(times, at, size),
            Arrays.copyOfRange(values, at, size),
            histograms == null ? null : Arrays.copyOfRange(histograms, at, size),
            size - at);
  }

  public int bytes() {
    return 16 * times.length;
  }
}
