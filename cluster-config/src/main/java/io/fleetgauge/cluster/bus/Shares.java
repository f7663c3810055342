package io.fleetgauge.cluster.bus;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Arithmetic of dividing a limit. */
final class Shares {
  private Shares() {}

  /**
   * The share of one query API when a limit is divided evenly. The shares of all add up to the
   * limit.
   *
   * @param rank 0 to {@code count - 1}
   */
  static int even(int limit, int count, int rank) {
    return limit / count + (rank < limit % count ? 1 : 0);
  }

  /**
   * The rank of a query API among all. While not all are known, it is that of the last: no two take
   * the same part of what cannot be divided evenly.
   */
  static int rank(List<Peer> counted, int count, Peer peer) {
    return counted.size() == count ? counted.indexOf(peer) : count - 1;
  }

  /** The share that a query API may take without asking: never more than an even one, but 1. */
  static int silent(int limit, int count) {
    return Math.max(1, limit / count);
  }

  /**
   * As below, where queries run that cannot be interrupted: what runs beyond a share is taken from
   * the others until it has ended.
   */
  static int[] byDemand(int budget, int[] demands, int[] running, int turn) {
    int[] shares = byDemand(budget, demands, turn);
    boolean[] isBeyond = new boolean[shares.length];
    for (boolean changed = true; changed; ) {
      changed = false;
      int left = budget;
      for (int i = 0; i < shares.length; i++) {
        changed |= !isBeyond[i] && running[i] > shares[i];
        isBeyond[i] |= running[i] > shares[i];
        left -= isBeyond[i] ? running[i] : 0;
      }
      if (changed) {
        int[] others = IntStream.range(0, shares.length).filter(i -> !isBeyond[i]).toArray();
        int[] dealt =
            byDemand(Math.max(0, left), Arrays.stream(others).map(i -> demands[i]).toArray(), turn);
        for (int i = 0; i < others.length; i++) {
          shares[others[i]] = dealt[i];
        }
      }
    }
    return shares;
  }

  /**
   * Divides a budget by demand: nobody gets more than it demands while another lacks (max-min
   * fairness), and what nobody demands is divided evenly on top.
   *
   * @param turn who comes first where a budget cannot be divided evenly
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
}
