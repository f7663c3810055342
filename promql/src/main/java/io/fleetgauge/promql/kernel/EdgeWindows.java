package io.fleetgauge.promql.kernel;

import io.fleetgauge.sample.Staleness;

/**
 * Windows with extended edges: the newest sample before a window is used at its start ({@code
 * anchored}), or values are interpolated at both edges ({@code smoothed}).
 */
public final class EdgeWindows {
  private EdgeWindows() {}

  /**
   * The change of a series between the edges of a window.
   *
   * @param from first sample that may be used: in the window, or within the lookback before it
   * @param to one past the last: in the window, or for {@code smooth} within the lookback after it
   * @param windowStart ms, exclusive
   * @param windowEnd ms, inclusive
   * @param counter whether a decrease is a counter reset
   * @return absent when no sample is later than the start of the window
   */
  public static double change(
      long[] times,
      double[] values,
      int from,
      int to,
      long windowStart,
      long windowEnd,
      boolean smooth,
      boolean counter) {
    int first = from;
    while (first + 1 < to && times[first + 1] <= windowStart) {
      first++;
    }
    int last = to - 1;
    if (smooth) {
      last = first;
      while (last + 1 < to && times[last] < windowEnd) {
        last++;
      }
    }
    if (first > last || times[last] <= windowStart) {
      return Staleness.MARKER;
    }
    double left = values[first];
    if (smooth && times[first] < windowStart) {
      left = between(times, values, first, windowStart, counter);
    }
    double right = values[last];
    if (smooth && last > first && times[last] > windowEnd) {
      right = between(times, values, last - 1, windowEnd, counter);
    } else if (smooth && times[last] > windowEnd) {
      return Staleness.MARKER;
    }
    double change = right - left;
    if (!counter) {
      return change;
    }
    int begin = times[first] <= windowStart ? first + 1 : first;
    int end = times[last] >= windowEnd ? last - 1 : last;
    double previous = left;
    for (int i = begin; i <= end; i++) {
      if (values[i] < previous) {
        change += previous;
      }
      previous = values[i];
    }
    return right < previous ? change + previous : change;
  }

  /** The value at {@code time} on the line from sample {@code i} to the next. */
  private static double between(long[] times, double[] values, int i, long time, boolean counter) {
    double before = values[i];
    double after = values[i + 1];
    if (counter && after < before) {
      before = 0; // the counter was reset and rose from zero
    }
    return before + (after - before) * (time - times[i]) / (double) (times[i + 1] - times[i]);
  }

  /**
   * The values of a smoothed instant selector: at each step the sample of that time, else the value
   * interpolated between the neighbours within the lookback, else the sample before.
   *
   * @param size the number of samples
   * @param start the time that the selector reads at the first step, ms
   */
  public static void smoothed(
      long[] times, double[] values, int size, long start, long step, long lookback, double[] out) {
    int next = 0;
    for (int i = 0; i < out.length; i++) {
      long t = start + i * step;
      while (next < size && times[next] <= t) {
        next++;
      }
      boolean before = next > 0 && times[next - 1] > t - lookback;
      boolean after = next < size && times[next] <= t + lookback;
      if (!before) {
        out[i] = Staleness.MARKER;
      } else if (!after || times[next - 1] == t) {
        out[i] = values[next - 1];
      } else {
        out[i] = between(times, values, next - 1, t, false);
      }
    }
  }
}
