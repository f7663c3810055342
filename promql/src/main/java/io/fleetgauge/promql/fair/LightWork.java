package io.fleetgauge.promql.fair;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/** Knows whether light queries are running, so that heavy ones can yield to them. Thread-safe. */
public final class LightWork {
  /** The time after the last light query for which light queries still count as running. */
  private static final long QUIET_NANOS = 50_000_000;

  private final LongSupplier nanoTime;
  private final AtomicInteger underWay = new AtomicInteger();
  private volatile long last;

  public LightWork() {
    this(System::nanoTime);
  }

  LightWork(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.last = nanoTime.getAsLong() - QUIET_NANOS;
  }

  /** A light query starts; {@link #end} has to follow. */
  public void begin() {
    underWay.incrementAndGet();
  }

  public void end() {
    last = nanoTime.getAsLong();
    underWay.decrementAndGet();
  }

  /**
   * Returns true if light queries are running, or one has just ended and others may follow.
   *
   * @param since one that ended before this time, as {@link System#nanoTime}, does not count
   */
  boolean isGoingOn(long since) {
    long ended = last;
    return underWay.get() > 0 || ended - since >= 0 && nanoTime.getAsLong() - ended < QUIET_NANOS;
  }
}
