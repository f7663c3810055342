package io.fleetgauge.query.fanout;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** How long one gateway took for its last answers. Safe for all threads. */
final class Delays {
  private static final int REMEMBERED = 128;

  /** So often the delay is told anew. */
  private static final int FEW = 16;

  /** While little is known. */
  private static final long FIRST_GUESS_MILLIS = 100;

  private static final long LEAST_MILLIS = 10;

  /** Reads turn away from a frozen gateway within a second, however long its answers were. */
  private static final long MOST_MILLIS = 500;

  private final long[] nanos = new long[REMEMBERED];
  private int count;
  private volatile long p95Millis = FIRST_GUESS_MILLIS;

  synchronized void took(long time) {
    nanos[count++ % REMEMBERED] = time;
    if (count % FEW == 0) {
      p95Millis = p95();
    }
  }

  /** Nineteen of twenty answers took no longer, when it was last looked; within bounds, ms. */
  long p95Millis() {
    return p95Millis;
  }

  private long p95() {
    long[] sorted = Arrays.copyOf(nanos, Math.min(count, REMEMBERED));
    Arrays.sort(sorted);
    long p95 = TimeUnit.NANOSECONDS.toMillis(sorted[sorted.length * 19 / 20]) + 1;
    return Math.clamp(p95, LEAST_MILLIS, MOST_MILLIS);
  }
}
