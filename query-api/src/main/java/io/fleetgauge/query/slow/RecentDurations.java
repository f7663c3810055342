package io.fleetgauge.query.slow;

import java.util.Arrays;

/** The last durations of something, in ms. Not for several threads. */
final class RecentDurations {
  static final int KEPT = 128;

  private final long[] last = new long[KEPT];
  private long count;

  void add(long millis) {
    last[(int) (count++ % KEPT)] = millis;
  }

  /** The smallest one that is not exceeded by this share of them; 0 if there are none. */
  long quantile(double share) {
    int kept = (int) Math.min(count, KEPT);
    if (kept == 0) {
      return 0;
    }
    long[] sorted = Arrays.copyOf(last, kept);
    Arrays.sort(sorted);
    return sorted[(int) Math.max(0, Math.ceil(share * kept) - 1)];
  }
}
