package io.fleetgauge.gateway.store;

import io.fleetgauge.gateway.store.block.BlockCounts;
import java.util.concurrent.atomic.LongAdder;

/** Outcomes of every sample that was passed to a store. */
public final class StoreCounts {
  /** New samples, including late ones. */
  public final LongAdder stored = new LongAdder();

  /** Stored samples that arrived after newer ones of their series. */
  public final LongAdder late = new LongAdder();

  /** Samples that were stored already, with the same value. */
  public final LongAdder repeated = new LongAdder();

  /** Samples at a time at which the series has another value. */
  public final LongAdder conflicting = new LongAdder();

  /** Samples older than the window for late samples. */
  public final LongAdder tooOld = new LongAdder();

  /** Samples too far ahead of the clock. */
  public final LongAdder future = new LongAdder();

  /** Samples of new series above a limit of series. */
  public final LongAdder overLimit = new LongAdder();

  public final BlockCounts blocks = new BlockCounts();

  /** Counts an attempt to write a block that failed. */
  public void blockFailed() {
    blocks.failures.increment();
  }
}
