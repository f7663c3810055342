package io.fleetgauge.query.cache;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/**
 * How long to wait for more requests before one round answers them all, from how many came within
 * the last second. A client that asks again as soon as it is answered does not count; many clients
 * that share a few connections do. Thread-safe.
 */
final class BatchWindow {
  private static final int CLIENT_SLOTS = 256;
  private static final long RECENT_NANOS = 1_000_000_000;

  /** A request this soon after an answer on its connection was waiting for that answer. */
  private static final long FOLLOW_UP_NANOS = 2_000_000;

  /** Fewer requests within a second do not wait. */
  private static final int MIN_REQUESTS = 8;

  private static final int MAX_MILLIS = 50;

  private final AtomicLongArray answeredAt = new AtomicLongArray(CLIENT_SLOTS);
  private final long[] requestedAt = new long[MAX_MILLIS];
  private final LongSupplier nanoTime;
  private int next;

  /**
   * @param nanoTime as {@link System#nanoTime}
   */
  BatchWindow(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    long longAgo = nanoTime.getAsLong() - RECENT_NANOS;
    for (int slot = 0; slot < CLIENT_SLOTS; slot++) {
      answeredAt.set(slot, longAgo);
    }
    Arrays.fill(requestedAt, longAgo);
  }

  /**
   * A request came.
   *
   * @param client its connection; connections share slots when there are many
   */
  void asked(int client) {
    long now = nanoTime.getAsLong();
    if (now - answeredAt.get(slot(client)) > FOLLOW_UP_NANOS) {
      synchronized (this) {
        requestedAt[next] = now;
        next = (next + 1) % MAX_MILLIS;
      }
    }
  }

  /** A request was answered. */
  void answered(int client) {
    answeredAt.set(slot(client), nanoTime.getAsLong());
  }

  private static int slot(int client) {
    return client * 0x9E3779B9 >>> 24;
  }

  /** How long to wait, ms: nothing for a few requests within a second, else 1 ms for each. */
  synchronized int waitMillis() {
    long now = nanoTime.getAsLong();
    int count = 0;
    for (long at : requestedAt) {
      count += now - at < RECENT_NANOS ? 1 : 0;
    }
    return count < MIN_REQUESTS ? 0 : count;
  }
}
