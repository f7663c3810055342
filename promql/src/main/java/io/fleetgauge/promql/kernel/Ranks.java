package io.fleetgauge.promql.kernel;

import java.util.Arrays;

/**
 * Selection: the number at a given index of the sorted order, without a full sort (Hoare 1961,
 * "Algorithm 65: find").
 */
final class Ranks {
  /** Ranges up to this size are sorted; partitioning them further is slower. */
  private static final int FEW = 12;

  private Ranks() {}

  /**
   * Moves a number to the index that it has when all are sorted: no number before it is larger,
   * none after it is smaller. Negative zeros come before positive ones.
   *
   * @param values no NaN among them; reordered
   * @param place the index in the sorted order
   */
  static void find(double[] values, int from, int to, int place) {
    int low = from;
    int high = to - 1;
    // Without this limit, an adversarial order would take quadratic time.
    int rounds = 2 * (32 - Integer.numberOfLeadingZeros(to - from));
    while (high - low > FEW && rounds-- > 0) {
      double pivot = median(values[low], values[(low + high) >>> 1], values[high]);
      int i = low;
      int j = high;
      while (i <= j) {
        while (values[i] < pivot) {
          i++;
        }
        while (values[j] > pivot) {
          j--;
        }
        if (i <= j) {
          double value = values[i];
          values[i++] = values[j];
          values[j--] = value;
        }
      }
      if (place <= j) {
        high = j;
      } else if (place >= i) {
        low = i;
      } else {
        low = place;
        high = place;
      }
    }
    Arrays.sort(values, low, high + 1);
    if (values[place] == 0 && hasNegativeZero(values, from, to)) {
      Arrays.sort(values, from, to); // the index decides which of the zeros it is
    }
  }

  private static boolean hasNegativeZero(double[] values, int from, int to) {
    for (int i = from; i < to; i++) {
      if (Double.doubleToRawLongBits(values[i]) == Long.MIN_VALUE) {
        return true;
      }
    }
    return false;
  }

  private static double median(double a, double b, double c) {
    return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
  }
}
