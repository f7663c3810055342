package io.fleetgauge.query.fanout;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** Times that a gateway took for its last answers. Thread-safe. */
final class Delays {
  private static final int KEPT = 128;

  /** After so many answers the delay is computed again. */
  private static final int INTERVAL = 16;

  /** Until the first interval is over. */
  private static final long INITIAL_MILLIS = 100;

  private static final long MIN_MILLIS = 10;

  /** A frozen gateway is hedged within a second, however long its answers took before. */
  private static final long MAX_MILLIS = 500;

  private final long[] nanos = new long[KEPT];
  private int count;
  private volatile long p95Millis = INITIAL_MILLIS;

  synchronized void took(long time) {
    nanos[count++ % KEPT] = time;
    if (count % INTERVAL == 0) {
      p95Millis = p95();
    }
  }

  /** The 95th percentile when it was last computed, from 10 to 500 ms. */
  long p95Millis() {
    return p95Millis;
  }

  private long p95() {
    long[] sorted = Arrays.copyOf(nanos, Math.min(count, KEPT));
    Arrays.sort(sorted);
    long p95 = TimeUnit.NANOSECONDS.toMillis(sorted[sorted.length * 19 / 20]) + 1;
    return Math.clamp(p95, MIN_MILLIS, MAX_MILLIS);
  }
}
