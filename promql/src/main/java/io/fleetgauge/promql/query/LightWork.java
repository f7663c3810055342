package io.fleetgauge.promql.query;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/** Whether light queries are being answered, for heavy ones to give way to. For all threads. */
public final class LightWork {
  /** They count as going on for so long behind the last. */
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

  /** A light query begins; it has to {@link #end}. */
  public void begin() {
    underWay.incrementAndGet();
  }

  public void end() {
    last = nanoTime.getAsLong();
    underWay.decrementAndGet();
  }

  boolean isGoingOn() {
    return underWay.get() > 0 || nanoTime.getAsLong() - last < QUIET_NANOS;
  }
}
