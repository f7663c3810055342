package io.fleetgauge.gateway.store;

import io.fleetgauge.gateway.store.block.BlockCounts;
import java.util.concurrent.atomic.LongAdder;

/** What became of every sample that a store was given, and of what it kept. */
public final class StoreCounts {
  /** New samples, late ones among them. */
  public final LongAdder stored = new LongAdder();

  /** Samples that came behind newer ones of their series and were stored. */
  public final LongAdder late = new LongAdder();

  /** Samples that were there already, with the same value. */
  public final LongAdder repeated = new LongAdder();

  /** Samples at a time that the series has with another value. */
  public final LongAdder conflicting = new LongAdder();

  /** Samples older than the window for late ones. */
  public final LongAdder tooOld = new LongAdder();

  /** Samples ahead of the clock. */
  public final LongAdder future = new LongAdder();

  /** Samples of new series beyond a limit. */
  public final LongAdder overLimit = new LongAdder();

  public final BlockCounts blocks = new BlockCounts();

  /** Counts an attempt to write a block that failed. */
  public void blockFailed() {
    blocks.failures.increment();
  }
}
