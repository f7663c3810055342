package io.fleetgauge.cluster.limits;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/** Arithmetic of dividing a limit. */
final class Division {
  private Division() {}

  /**
   * The share of one query API when a limit is divided evenly. The shares of all add up to the
   * limit.
   *
   * @param rank 0 to {@code count - 1}
   */
  static int even(int limit, int count, int rank) {
    return limit / count + (rank < limit % count ? 1 : 0);
  }

  /** The share that a query API may take without asking: never more than an even one, but 1. */
  static int silent(int limit, int count) {
    return Math.max(1, limit / count);
  }

  /**
   * Divides a budget by demand: nobody gets more than it demands while another lacks (max-min
   * fairness), and what nobody demands is divided evenly on top.
   *
   * @param turn index of the one that comes first where a budget cannot be divided evenly
   */
  static int[] byDemand(int budget, int[] demands, int turn) {
    int count = demands.length;
    int[] shares = new int[count];
    int left = budget;
    int without = count;
    int[] order =
        IntStream.range(0, count)
            .boxed()
            .sorted(
                Comparator.<Integer>comparingInt(i -> demands[i])
                    .thenComparingInt(i -> Math.floorMod(turn - 1 - i, count)))
            .mapToInt(i -> i)
            .toArray();
    for (int i : order) {
      shares[i] = Math.min(demands[i], left / without);
      left -= shares[i];
      without--;
    }
    if (Arrays.stream(demands).sum() < budget) {
      for (int i = 0; i < count; i++) {
        shares[i] += even(left, count, i);
      }
    }
    return shares;
  }

  /**
   * Places that one lends to each, so that each has its share. All who know the same come to loans
   * that fit together.
   *
   * @param rights number of places that each owns
   * @param shares number of places that each gets; as many together
   */
  static int[] loans(int[] rights, int[] shares, int lender) {
    int[] loans = new int[rights.length];
    int before = 0;
    for (int i = 0; i < lender; i++) {
      before += Math.max(0, rights[i] - shares[i]);
    }
    int end = before + Math.max(0, rights[lender] - shares[lender]);
    int lack = 0;
    for (int i = 0; i < rights.length; i++) {
      int next = lack + Math.max(0, shares[i] - rights[i]);
      loans[i] = Math.max(0, Math.min(end, next) - Math.max(before, lack));
      lack = next;
    }
    return loans;
  }
}
