package io.fleetgauge.promql.kernel;

/**
 * Sums without error, column by column: whatever the order of the series and however they are split
 * among those who add them, the sum is the same to the last bit. Only so can a sum that several
 * shards began, or that was kept from before, pass for the one that all samples make.
 *
 * <p>A sum is three doubles that together are its exact value: {@code sum}, what it lost to
 * rounding in {@code carry}, and what that lost in {@code rest}, each found by Knuth's TwoSum
 * (Knuth, "The Art of Computer Programming", volume 2, 4.2.2; Shewchuk 1997, "Adaptive Precision
 * Floating-Point Arithmetic"). Some 150 bits hold what metrics are; a number that does not fit, an
 * infinite one and NaN are left to the caller.
 */
public final class Sums {
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
        if (x - x != 0) {
          return i;
        }
        count[i] = 1;
        sum[i] = x;
        continue;
      }
      double s = sum[i];
      double t = s + x;
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

  /** The double next to the exact value of three. */
  public static double rounded(double sum, double carry, double rest) {
    if (carry == 0 && rest == 0) {
      return sum;
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
