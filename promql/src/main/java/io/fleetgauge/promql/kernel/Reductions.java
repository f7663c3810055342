package io.fleetgauge.promql.kernel;

/**
 * Folds columns into one, step by step, as series arrive: {@code min}, {@code max}, {@code count}
 * and {@code stddev}. Sums are in {@link Sums}.
 */
public final class Reductions {
  private Reductions() {}

  /**
   * Any number replaces NaN. The negative zero is smaller than the positive one, so that the result
   * does not depend on the order of the series.
   */
  public static void min(double[] in, double[] min, int[] count) {
    for (int i = 0; i < in.length; i++) {
      double x = in[i];
      if (!Columns.isAbsent(x)
          && (count[i]++ == 0 || x < min[i] || min[i] != min[i] || x == 0 && min[i] == 0)) {
        // The smaller of two zeros is -0 if either is -0.
        min[i] = x == 0 && count[i] > 1 && min[i] == 0 ? -(-x - min[i]) : x;
      }
    }
  }

  /** Any number replaces NaN; the positive zero is greater than the negative one. */
  public static void max(double[] in, double[] max, int[] count) {
    for (int i = 0; i < in.length; i++) {
      double x = in[i];
      if (!Columns.isAbsent(x)
          && (count[i]++ == 0 || x > max[i] || max[i] != max[i] || x == 0 && max[i] == 0)) {
        max[i] = x == 0 && count[i] > 1 && max[i] == 0 ? x + max[i] : x;
      }
    }
  }

  /**
   * Adds a column to a population variance by Welford's method. The result at a step is {@code
   * squares / count}; a first value that is not finite makes it NaN.
   *
   * @param squares sum of the squared distances from the mean
   */
  public static void variance(double[] in, double[] mean, double[] squares, int[] count) {
    for (int i = 0; i < in.length; i++) {
      double x = in[i];
      if (Columns.isAbsent(x)) {
        continue;
      }
      int n = ++count[i];
      if (n == 1) {
        mean[i] = x;
        squares[i] = x - x; // 0, or NaN when x is not finite
        continue;
      }
      double delta = x - mean[i];
      mean[i] += delta / n;
      squares[i] += delta * (x - mean[i]);
    }
  }

  public static void count(double[] in, int[] count) {
    for (int i = 0; i < in.length; i++) {
      if (!Columns.isAbsent(in[i])) {
        count[i]++;
      }
    }
  }

  /**
   * Takes minima that were kept, every {@code stride}th of them, into others, as {@link #min} takes
   * values.
   *
   * @param from the first kept cell that is taken
   * @param cells how many are taken
   * @param at where the first of them goes
   */
  public static void minKept(
      int[] keptCount,
      double[] kept,
      int from,
      int stride,
      int cells,
      double[] min,
      int[] count,
      int at) {
    for (int i = 0; i < cells; i++) {
      int in = from + i * stride;
      int out = at + i;
      double x = kept[in];
      if (keptCount[in] > 0) {
        if (count[out] == 0 || x < min[out] || min[out] != min[out]) {
          min[out] = x;
        } else if (x == 0 && min[out] == 0) {
          min[out] = -(-x - min[out]);
        }
        count[out] += keptCount[in];
      }
    }
  }

  /** As {@link #minKept}, the greatest. */
  public static void maxKept(
      int[] keptCount,
      double[] kept,
      int from,
      int stride,
      int cells,
      double[] max,
      int[] count,
      int at) {
    for (int i = 0; i < cells; i++) {
      int in = from + i * stride;
      int out = at + i;
      double x = kept[in];
      if (keptCount[in] > 0) {
        if (count[out] == 0 || x > max[out] || max[out] != max[out]) {
          max[out] = x;
        } else if (x == 0 && max[out] == 0) {
          max[out] = x + max[out];
        }
        count[out] += keptCount[in];
      }
    }
  }

  /** As {@link #minKept}, how many there are. */
  public static void countKept(
      int[] keptCount, int from, int stride, int cells, int[] count, int at) {
    for (int i = 0; i < cells; i++) {
      count[at + i] += keptCount[from + i * stride];
    }
  }
}
