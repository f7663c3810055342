package io.fleetgauge.gateway.store;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.Arrays;
import java.util.Objects;

/**
 * One series in memory. Its lane's writer appends; anyone reads.
 *
 * <p>A reader takes the run of samples that is published. Samples below its size are never changed,
 * so no lock is needed; growing and forgetting make a new run.
 */
final class StoredSeries {
  private static final int FIRST_CAPACITY = 32;

  private static final class Run {
    final long[] times;
    final double[] values;

    /** Null as long as the series has numbers only. */
    final Histogram[] histograms;

    /** Written last, so that a reader that sees it also sees the samples below it. */
    volatile int size;

    Run(long[] times, double[] values, Histogram[] histograms, int size) {
      this.times = times;
      this.values = values;
      this.histograms = histograms;
      this.size = size;
    }
  }

  final Labels labels;
  private volatile Run run = new Run(new long[FIRST_CAPACITY], new double[FIRST_CAPACITY], null, 0);

  /** Set by the writer when the lane has forgotten the series; it must be opened anew. */
  boolean closed;

  StoredSeries(Labels labels) {
    this.labels = labels;
  }

  /** Time of the newest sample; {@link Long#MIN_VALUE} when there is none. */
  long newest() {
    Run now = run;
    int size = now.size;
    return size == 0 ? Long.MIN_VALUE : now.times[size - 1];
  }

  /** Whether the newest sample is this one. */
  boolean newestIs(double value, Histogram histogram) {
    Run now = run;
    int at = now.size - 1;
    return Double.doubleToRawLongBits(now.values[at]) == Double.doubleToRawLongBits(value)
        && Objects.equals(now.histograms == null ? null : now.histograms[at], histogram);
  }

  /**
   * @param histogram null when the sample is a number
   * @param keepFrom samples before this time may go
   */
  void append(long time, double value, Histogram histogram, long keepFrom) {
    Run now = run;
    if (histogram != null && now.histograms == null) {
      now = new Run(now.times, now.values, new Histogram[now.times.length], now.size);
      run = now;
    }
    if (now.size == now.times.length) {
      int expired = Series.firstAfter(now.times, 0, now.size, keepFrom - 1);
      int kept = now.size - expired;
      // Half of a run must have expired before it is worth keeping its capacity.
      int capacity = kept <= now.size / 2 ? now.times.length : 2 * now.times.length;
      long[] times = Arrays.copyOf(Arrays.copyOfRange(now.times, expired, now.size), capacity);
      double[] values = Arrays.copyOf(Arrays.copyOfRange(now.values, expired, now.size), capacity);
      Histogram[] histograms =
          now.histograms == null
              ? null
              : Arrays.copyOf(Arrays.copyOfRange(now.histograms, expired, now.size), capacity);
      now = new Run(times, values, histograms, kept);
      run = now;
    }
    now.times[now.size] = time;
    now.values[now.size] = value;
    if (histogram != null) {
      now.histograms[now.size] = histogram;
    }
    now.size = now.size + 1;
  }

  /** Whether any sample is at {@code from} to {@code to}, both included. */
  boolean hasSampleIn(long from, long to) {
    Run now = run;
    int size = now.size;
    int first = Series.firstAfter(now.times, 0, size, from - 1);
    return first < size && now.times[first] <= to;
  }

  /** The samples after {@code after}, up to and with {@code to}; null when there are none. */
  Series between(long after, long to) {
    Run now = run;
    int size = now.size;
    int first = Series.firstAfter(now.times, 0, size, after);
    int end = Series.firstAfter(now.times, first, size, to);
    return first == end
        ? null
        : new Series(
            labels,
            Arrays.copyOfRange(now.times, first, end),
            Arrays.copyOfRange(now.values, first, end),
            now.histograms == null ? null : Arrays.copyOfRange(now.histograms, first, end));
  }
}
