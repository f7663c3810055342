package io.fleetgauge.promql.kernel;

/**
 * Folds columns into one, step by step: what {@code sum}, {@code avg}, {@code min}, {@code max} and
 * {@code count} do as series arrive.
 *
 * <p>Sums are Neumaier's: the low bits that a sum loses are carried in a second column, so that the
 * order of the series hardly matters (Neumaier, 1974, "Rundungsfehleranalyse einiger Verfahren zur
 * Summation endlicher Summen"). Once a sum is infinite its carry means nothing and is 0.
 */
public final class Reductions {
  private Reductions() {}

  /**
   * Adds a column to a sum. The result at a step is {@code sum + carry}.
   *
   * @param count how many samples each step has so far; counted on
   */
  public static void sum(double[] in, double[] sum, double[] carry, int[] count) {
    for (int i = 0; i < in.length; i++) {
      double x = in[i];
      if (Columns.isAbsent(x)) {
        continue;
      }
      if (count[i]++ == 0) {
        sum[i] = x;
        continue;
      }
      double s = sum[i];
      double t = s + x;
      if (Double.isInfinite(t)) {
        carry[i] = 0;
      } else if (Math.abs(s) >= Math.abs(x)) {
        carry[i] += (s - t) + x;
      } else {
        carry[i] += (x - t) + s;
      }
      sum[i] = t;
    }
  }

  /**
   * Adds a column to a mean: a sum as long as it is finite, from then on a mean that moves with
   * each value, as Prometheus does it.
   *
   * @param sum the sum, or the mean where {@code moving}
   * @param moving whether a step has left the sum for the moving mean
   */
  public static void mean(
      double[] in, double[] sum, double[] carry, int[] count, boolean[] moving) {
    for (int i = 0; i < in.length; i++) {
      double x = in[i];
      if (Columns.isAbsent(x)) {
        continue;
      }
      int n = ++count[i];
      if (n == 1) {
        sum[i] = x;
        continue;
      }
      double s = sum[i];
      double c = carry[i];
      if (!moving[i]) {
        double t = s + x;
        if (!Double.isInfinite(t)) {
          carry[i] = c + (Math.abs(s) >= Math.abs(x) ? (s - t) + x : (x - t) + s);
          sum[i] = t;
          continue;
        }
        moving[i] = true;
        s /= n - 1;
        c /= n - 1;
      }
      double q = (n - 1.0) / n;
      s *= q;
      c *= q;
      x /= n;
      double t = s + x;
      if (Double.isInfinite(t)) {
        carry[i] = 0;
      } else {
        carry[i] = c + (Math.abs(s) >= Math.abs(x) ? (s - t) + x : (x - t) + s);
      }
      sum[i] = t;
    }
  }

  /** NaN loses to every number. */
  public static void min(double[] in, double[] min, int[] count) {
    for (int i = 0; i < in.length; i++) {
      double x = in[i];
      if (!Columns.isAbsent(x) && (count[i]++ == 0 || x < min[i] || min[i] != min[i])) {
        min[i] = x;
      }
    }
  }

  /** NaN loses to every number. */
  public static void max(double[] in, double[] max, int[] count) {
    for (int i = 0; i < in.length; i++) {
      double x = in[i];
      if (!Columns.isAbsent(x) && (count[i]++ == 0 || x > max[i] || max[i] != max[i])) {
        max[i] = x;
      }
    }
  }

  /**
   * Adds a column to a population variance by Welford's method. The result at a step is {@code
   * squares / count}; a first value that is no finite number makes it NaN.
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
        squares[i] = x - x; // 0, or NaN for what is not finite
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
}
