package io.fleetgauge.promql.kernel;

import io.fleetgauge.sample.Staleness;

/** Columns: one value for each step of a query, or "no sample". */
public final class Columns {
  private Columns() {}

  public static boolean isAbsent(double value) {
    return Double.doubleToRawLongBits(value) == Staleness.MARKER_BITS;
  }

  /**
   * The values of an instant selector: at each step the newest sample within the lookback, unless
   * it is a staleness marker.
   *
   * @param times ascending, ms
   * @param values as stored, staleness markers included
   * @param start the time that the selector reads at the first step, ms
   * @param step ms between steps
   * @param lookback length of the window (t - lookback, t], ms
   * @param out one value for each step
   * @return the number of steps that have a sample
   */
  public static int latest(
      long[] times, double[] values, long start, long step, long lookback, double[] out) {
    return latest(times, values, 0, times.length, start, step, lookback, out);
  }

  /**
   * As above, of a part of the samples.
   *
   * @param from index of the first sample
   * @param to index after the last
   */
  public static int latest(
      long[] times,
      double[] values,
      int from,
      int to,
      long start,
      long step,
      long lookback,
      double[] out) {
    int found = 0;
    int next = from;
    for (int i = 0; i < out.length; i++) {
      long t = start + i * step;
      while (next < to && times[next] <= t) {
        next++;
      }
      double value = Staleness.MARKER;
      if (next > from && times[next - 1] > t - lookback) {
        value = values[next - 1];
        found += isAbsent(value) ? 0 : 1;
      }
      out[i] = value;
    }
    return found;
  }

  /**
   * Like {@link #latest}, but gives the index of the sample; -1 where there is none. The sample may
   * be a staleness marker.
   */
  public static void latestIndex(long[] times, long start, long step, long lookback, int[] out) {
    int next = 0;
    for (int i = 0; i < out.length; i++) {
      long t = start + i * step;
      while (next < times.length && times[next] <= t) {
        next++;
      }
      out[i] = next > 0 && times[next - 1] > t - lookback ? next - 1 : -1;
    }
  }

  /** The number of steps that have a sample. */
  public static int count(double[] column) {
    int count = 0;
    for (double value : column) {
      count += isAbsent(value) ? 0 : 1;
    }
    return count;
  }
}
