package io.fleetgauge.query.fanout;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/**
 * How many have come within the last second, and so how long it pays to wait for more of them
 * before all gateways are asked for all. One who asks again as soon as it is answered is no crowd;
 * many who share a few connections are. Safe for all threads.
 */
final class Crowd {
  private static final int PLACES = 256;
  private static final long LATELY_NANOS = 1_000_000_000;

  /** Who asks so soon after its answer has waited for it. */
  private static final long AT_ONCE_NANOS = 2_000_000;

  private static final int FEW = 8;
  private static final int MOST_MILLIS = 50;

  private final AtomicLongArray answeredAt = new AtomicLongArray(PLACES);
  private final long[] cameAt = new long[MOST_MILLIS];
  private final LongSupplier nanoTime;
  private int came;

  /**
   * @param nanoTime as {@link System#nanoTime}
   */
  Crowd(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    long longAgo = nanoTime.getAsLong() - LATELY_NANOS;
    for (int place = 0; place < PLACES; place++) {
      answeredAt.set(place, longAgo);
    }
    Arrays.fill(cameAt, longAgo);
  }

  /**
   * Somebody asks.
   *
   * @param asker the connection; of a thousand some count as one
   */
  void asks(int asker) {
    long now = nanoTime.getAsLong();
    if (now - answeredAt.get(place(asker)) > AT_ONCE_NANOS) {
      synchronized (this) {
        cameAt[came] = now;
        came = (came + 1) % MOST_MILLIS;
      }
    }
  }

  /** Somebody's answer is on its way. */
  void answered(int asker) {
    answeredAt.set(place(asker), nanoTime.getAsLong());
  }

  private static int place(int asker) {
    return asker * 0x9E3779B9 >>> 24;
  }

  /** How long to wait for others, ms: nothing for a few, and a ms for each of many. */
  synchronized int patienceMillis() {
    long now = nanoTime.getAsLong();
    int count = 0;
    for (long at : cameAt) {
      count += now - at < LATELY_NANOS ? 1 : 0;
    }
    return count < FEW ? 0 : count;
  }
}
