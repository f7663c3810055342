package io.fleetgauge.promql.kernel;

/**
 * Sums without error, column by column: whatever the order of the series and however they are split
 * among those who add them, the sum is the same to the last bit. Only so can a sum that several
 * shards began, or that was kept from before, pass for the one that all samples make.
 *
 * <p>A sum is three doubles that together are its exact value: {@code sum}, what it lost to
 * rounding in {@code carry}, and what that lost in {@code rest}, each found by Knuth's TwoSum
 * (Knuth, "The Art of Computer Programming", volume 2, 4.2.2; Shewchuk 1997, "Adaptive Precision
 * Floating-Point Arithmetic"). Some 150 bits hold what metrics are; what does not fit, is larger
 * than {@link #LARGE} or NaN is left to the caller.
 */
public final class Sums {
  /** Sums beyond are left to the caller, so that no order of adding them up overflows here. */
  public static final double LARGE = 0x1p1000;

  private Sums() {}

  /**
   * Adds a column to sums.
   *
   * @param from the first step to add
   * @param count how many samples each step has so far; counted on
   * @return the first step whose number could not be added, which has not changed; the length of
   *     {@code in} when there is none
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
        // The rule, with whole numbers and others of few digits.
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
   * Adds sums that were kept, every {@code stride}th of them, to others.
   *
   * @param kept three rows: sums and what they lost, of which the latter may be null
   * @param from the first cell of the kept rows that is taken
   * @param cells how many are taken
   * @param at where the first of them is added
   * @return how many were added; less than {@code cells} when the next does not fit, which has not
   *     changed
   */
  public static int addKept(
      int[] keptCount,
      double[][] kept,
      int from,
      int stride,
      int cells,
      double[] sum,
      double[] carry,
      double[] rest,
      int[] count,
      int at) {
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

  /** The double next to the exact value of three. */
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
    // At the middle between two doubles, what is left beyond decides and not the even one.
    if (left != 0 && m != 0 && left > 0 == m > 0) {
      double twice = 2 * left;
      double next = result + twice;
      if (next - result == twice) {
        return next;
      }
    }
    return result;
  }

  /** What {@code total}, the rounded sum of two numbers, lost of them. */
  private static double lost(double a, double b, double total) {
    double part = total - a;
    return (a - (total - part)) + (b - part);
  }
}
