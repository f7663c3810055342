package io.fleetgauge.promql.kernel;

/**
 * Exact sums, column by column: the sum is the same to the last bit, whatever the order of the
 * series and however they are split into partial sums. Therefore a sum that is merged from shards
 * or from a rollup equals the sum of all samples.
 *
 * <p>A sum is three doubles that together are its exact value: {@code sum}, its rounding error in
 * {@code carry}, and the rounding error of that in {@code rest}, each computed by Knuth's TwoSum
 * (Knuth, "The Art of Computer Programming", volume 2, 4.2.2; Shewchuk 1997, "Adaptive Precision
 * Floating-Point Arithmetic"). Some 150 bits suffice for metrics. The caller has to add what does
 * not fit, what is larger than {@link #LARGE}, and NaN.
 */
public final class Sums {
  /** The caller adds sums beyond this, so that no order of additions overflows here. */
  public static final double LARGE = 0x1p1000;

  private Sums() {}

  /**
   * Adds a column to sums.
   *
   * @param from the first step to add
   * @param count the number of samples of each step so far; updated
   * @return the first step whose number could not be added, and which is unchanged; the length of
   *     {@code in} if all were added
   */
  public static int add(
      double[] in, int from, double[] sum, double[] carry, double[] rest, int[] count) {
    for (int i = from; i < in.length; i++) {
      double x = in[i];
      if (Columns.isAbsent(x)) {
        continue;
      }
      if (count[i] == 0) {
        if (!(Math.abs(x) < LARGE)) {
          return i;
        }
        count[i] = 1;
        sum[i] = x;
        continue;
      }
      double s = sum[i];
      double t = s + x;
      if (!(Math.abs(t) < LARGE)) {
        return i;
      }
      double part = t - s;
      double lost = (s - (t - part)) + (x - part);
      if (lost == 0) {
        // The common case: whole numbers, and others of few digits.
        sum[i] = t;
      } else {
        double c = carry[i];
        double u = c + lost;
        part = u - c;
        double lostAgain = (c - (u - part)) + (lost - part);
        if (lostAgain != 0) {
          double r = rest[i];
          double v = r + lostAgain;
          part = v - r;
          if ((r - (v - part)) + (lostAgain - part) != 0) {
            return i;
          }
          rest[i] = v;
        }
        sum[i] = t;
        carry[i] = u;
      }
      count[i]++;
    }
    return in.length;
  }

  /**
   * Adds stored sums, every {@code stride}th of them, to others.
   *
   * @param kept three rows: the sums and their two rounding errors, of which the latter may be null
   * @param from the first cell of the stored rows that is added
   * @param cells the number of cells to add
   * @param into three rows: the sums and their two rounding errors
   * @param at the index to which the first of them is added
   * @return the number of cells added; less than {@code cells} if the next one does not fit, which
   *     is unchanged
   */
  public static int addKept(
      int[] keptCount,
      double[][] kept,
      int from,
      int stride,
      int cells,
      double[][] into,
      int[] count,
      int at) {
    double[] sum = into[0];
    double[] carry = into[1];
    double[] rest = into[2];
    double[] keptSum = kept[0];
    double[] keptCarry = kept[1];
    double[] keptRest = kept[2];
    for (int i = 0; i < cells; i++) {
      int in = from + i * stride;
      int more = keptCount[in];
      if (more == 0) {
        continue;
      }
      int out = at + i;
      double c = keptCarry == null ? 0 : keptCarry[in];
      double r = keptRest == null ? 0 : keptRest[in];
      if (count[out] == 0) {
        sum[out] = keptSum[in];
        carry[out] = c;
        rest[out] = r;
      } else {
        double s = sum[out];
        double lost = carry[out];
        double lostAgain = rest[out];
        if (!addOne(keptSum[in], sum, carry, rest, out)
            || c != 0 && !addOne(c, sum, carry, rest, out)
            || r != 0 && !addOne(r, sum, carry, rest, out)) {
          sum[out] = s;
          carry[out] = lost;
          rest[out] = lostAgain;
          return i;
        }
      }
      count[out] += more;
    }
    return cells;
  }

  private static boolean addOne(double x, double[] sum, double[] carry, double[] rest, int i) {
    double s = sum[i];
    double t = s + x;
    if (!(Math.abs(t) < LARGE)) {
      return false;
    }
    double lost = lost(s, x, t);
    if (lost != 0) {
      double c = carry[i];
      double u = c + lost;
      double lostAgain = lost(c, lost, u);
      if (lostAgain != 0) {
        double r = rest[i];
        double v = r + lostAgain;
        if (lost(r, lostAgain, v) != 0) {
          return false;
        }
        rest[i] = v;
      }
      carry[i] = u;
    }
    sum[i] = t;
    return true;
  }

  /** The double nearest to the exact sum of the three. */
  public static double rounded(double sum, double carry, double rest) {
    if (carry == 0 && rest == 0) {
      return sum + 0.0; // a sum of negative zeros is 0
    }
    if (rest == 0) {
      return sum + carry;
    }
    double a = sum + carry;
    double b = lost(sum, carry, a);
    double e = b + rest;
    double f = lost(b, rest, e);
    double g = a + e;
    double h = lost(a, e, g);
    double k = h + f;
    double m = lost(h, f, k);
    double result = g + k;
    double left = lost(g, k, result);
    // Halfway between two doubles, the remaining error decides, not round-to-even.
    if (left != 0 && m != 0 && left > 0 == m > 0) {
      double twice = 2 * left;
      double next = result + twice;
      if (next - result == twice) {
        return next;
      }
    }
    return result;
  }

  /** The rounding error of {@code total}, the rounded sum of two numbers. */
  private static double lost(double a, double b, double total) {
    double part = total - a;
    return (a - (total - part)) + (b - part);
  }
}
