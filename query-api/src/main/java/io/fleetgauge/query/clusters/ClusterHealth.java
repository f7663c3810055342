package io.fleetgauge.query.clusters;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How soon a cluster answers, and whether it does. It is gone when a request had no answer in its
 * time and no other request had one meanwhile; and back with the next answer. Thread-safe.
 */
final class ClusterHealth {
  static final long MIN_MILLIS = 2_000;

  /** Until enough answers came. */
  private static final long FIRST_MILLIS = 5_000;

  private static final int KEPT = 256;
  private static final int ENOUGH = 16;
  private static final int TIMES = 3;

  private final long maxMillis;
  private final LongSupplier nanoTime;
  private final long[] nanos = new long[KEPT];
  private long count;
  private long lastAnswer;
  private boolean answered;
  private String gone = "";

  /**
   * @param maxMillis longest deadline
   * @param nanoTime ns of a clock that is never set
   */
  ClusterHealth(long maxMillis, LongSupplier nanoTime) {
    this.maxMillis = maxMillis;
    this.nanoTime = nanoTime;
  }

  long now() {
    return nanoTime.getAsLong();
  }

  /**
   * Notes an answer.
   *
   * @param began when it was asked for, ns
   * @param counts whether it is one of those that tell how soon there are answers
   */
  synchronized void answered(long began, boolean counts) {
    lastAnswer = now();
    answered = true;
    gone = "";
    if (counts) {
      nanos[(int) (count++ % KEPT)] = lastAnswer - began;
    }
  }

  /**
   * Notes that there was no answer in time.
   *
   * @param began when it was asked for, ns
   * @param waited time that was waited, ms
   */
  synchronized void late(long began, long waited, String why) {
    if (answered && lastAnswer - began > 0) {
      // It is slow, and not gone: the next ones may take longer.
      nanos[(int) (count++ % KEPT)] = TimeUnit.MILLISECONDS.toNanos(waited);
    } else {
      gone = why;
    }
  }

  /**
   * Notes that it could not be reached.
   *
   * @param began when it was tried first, ns
   */
  synchronized void unreachable(long began, String why) {
    if (!answered || lastAnswer - began <= 0) {
      gone = why;
    }
  }

  /** Why it is gone; empty when it is not. */
  synchronized String gone() {
    return gone;
  }

  /** Longest time to wait for an answer: three times that of 99 of 100 answers, within bounds. */
  synchronized long deadlineMillis() {
    if (count < ENOUGH) {
      return Math.min(FIRST_MILLIS, maxMillis);
    }
    long[] sorted = Arrays.copyOf(nanos, (int) Math.min(count, KEPT));
    Arrays.sort(sorted);
    long p99 = TimeUnit.NANOSECONDS.toMillis(sorted[sorted.length * 99 / 100]) + 1;
    return Math.clamp(TIMES * p99, Math.min(MIN_MILLIS, maxMillis), maxMillis);
  }
}
