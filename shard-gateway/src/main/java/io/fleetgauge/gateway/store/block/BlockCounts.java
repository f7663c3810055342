package io.fleetgauge.gateway.store.block;

import java.util.concurrent.atomic.LongAdder;

/** Counts of events of the block files of a store. */
public final class BlockCounts {
  /** Blocks written. */
  public final LongAdder written = new LongAdder();

  /** Attempts to write a block that failed. */
  public final LongAdder failures = new LongAdder();

  /** Blocks, or series or rollups within them, whose bytes are not the bytes that were written. */
  public final LongAdder damaged = new LongAdder();

  /** Damaged blocks that were replaced by the block of another gateway. */
  public final LongAdder replaced = new LongAdder();
}
