package io.fleetgauge.gateway.store;

import java.util.concurrent.atomic.LongAdder;

/** What became of every sample that a store was given. */
public final class StoreCounts {
  /** New samples. */
  public final LongAdder stored = new LongAdder();

  /** Samples that were there already, with the same value. */
  public final LongAdder repeated = new LongAdder();

  /** Samples at a time that the series has with another value. */
  public final LongAdder conflicting = new LongAdder();

  /** Samples before the series' newest. */
  public final LongAdder outOfOrder = new LongAdder();

  /** Samples ahead of the clock. */
  public final LongAdder future = new LongAdder();

  /** Samples of series beyond the host's limit. */
  public final LongAdder overLimit = new LongAdder();
}
