package io.fleetgauge.sample.prometheus;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.wire.WireException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/** Samples of one series as they are read, in whatever order. Not for several threads. */
final class SampleList {
  private final ReadBudget budget;
  private long[] times = new long[16];
  private double[] values = new double[16];

  /** Null until there is one. */
  private Histogram[] histograms;

  private int size;
  private boolean isAscending = true;

  SampleList(ReadBudget budget) {
    this.budget = budget;
  }

  /**
   * @throws WireException if there are more samples than may be read
   */
  void add(long time, double value) throws WireException {
    budget.sample();
    if (size == times.length) {
      times = Arrays.copyOf(times, 2 * size);
      values = Arrays.copyOf(values, 2 * size);
      histograms = histograms == null ? null : Arrays.copyOf(histograms, 2 * size);
    }
    isAscending &= size == 0 || times[size - 1] < time;
    times[size] = time;
    values[size++] = value;
  }

  /** As above. */
  void add(long time, Histogram histogram) throws WireException {
    add(time, Staleness.MARKER);
    if (histograms == null) {
      histograms = new Histogram[times.length];
    }
    histograms[size - 1] = histogram;
  }

  int size() {
    return size;
  }

  /** In order of time; of several samples of one time the first one. */
  Series series(Labels labels) {
    int[] order = IntStream.range(0, size).toArray();
    int kept = size;
    if (!isAscending) {
      order =
          IntStream.of(order)
              .boxed()
              .sorted(Comparator.comparingLong(i -> times[i])) // a stable order
              .mapToInt(Integer::intValue)
              .toArray();
      kept = 0;
      for (int i = 0; i < size; i++) {
        if (kept == 0 || times[order[kept - 1]] < times[order[i]]) {
          order[kept++] = order[i];
        }
      }
    }
    long[] someTimes = new long[kept];
    double[] someValues = new double[kept];
    Histogram[] someHistograms = histograms == null ? null : new Histogram[kept];
    for (int i = 0; i < kept; i++) {
      someTimes[i] = times[order[i]];
      someValues[i] = values[order[i]];
      if (someHistograms != null) {
        someHistograms[i] = histograms[order[i]];
      }
    }
    return new Series(labels, someTimes, someValues, someHistograms);
  }
}
