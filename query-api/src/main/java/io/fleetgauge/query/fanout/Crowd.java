package io.fleetgauge.query.fanout;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/**
 * How many have asked within the last second, and so how long it pays to wait for more of them
 * before all gateways are asked for all. One who asks again and again is no crowd. Safe for all
 * threads.
 */
final class Crowd {
  private static final int PLACES = 256;
  private static final long LATELY_NANOS = 1_000_000_000;
  private static final int FEW = 8;
  private static final int MOST_MILLIS = 25;

  private final AtomicLongArray askedAt = new AtomicLongArray(PLACES);
  private final LongSupplier nanoTime;

  /**
   * @param nanoTime as {@link System#nanoTime}
   */
  Crowd(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    long longAgo = nanoTime.getAsLong() - LATELY_NANOS;
    for (int place = 0; place < PLACES; place++) {
      askedAt.set(place, longAgo);
    }
  }

  /**
   * Somebody asks.
   *
   * @param asker tells them apart; of a thousand some count as one
   */
  void asks(int asker) {
    int hash = asker * 0x9E3779B9;
    askedAt.set(hash >>> 24, nanoTime.getAsLong());
  }

  /** How long to wait for others, ms: nothing for a few, and a ms for each of many. */
  int patienceMillis() {
    long now = nanoTime.getAsLong();
    int count = 0;
    for (int place = 0; place < PLACES; place++) {
      count += now - askedAt.get(place) < LATELY_NANOS ? 1 : 0;
    }
    return count < FEW ? 0 : Math.min(count, MOST_MILLIS);
  }
}
