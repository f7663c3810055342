package io.fleetgauge.gateway.store;

import io.fleetgauge.gateway.store.block.BlockCounts;
import io.fleetgauge.runtime.process.Meters;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Outcomes of every sample that was passed to a store, and the metrics of the store. Law: every
 * sample that a sender or another gateway passes to the store is counted once in {@code samples},
 * under the one outcome that it had.
 */
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

  /** Declares the metrics of the store that these counts are of. */
  public void declare(Meters meters, Store store) {
    meters.counters(
        "samples",
        "Samples passed to the store, by outcome.",
        "outcome",
        () ->
            Map.of(
                "stored", stored.sum(),
                "repeated", repeated.sum(),
                "conflicting", conflicting.sum(),
                "too_old", tooOld.sum(),
                "future", future.sum(),
                "over_limit", overLimit.sum()));
    meters.counter(
        "late_samples", "Samples stored although their series had newer ones.", late::sum);
    meters.gauge("stored_hosts", "Hosts with samples on this gateway.", store::hostCount);
    meters.gauge("series", "Series on this gateway.", store::seriesCount);
    meters.gauge("head_bytes", "Bytes of samples in memory.", store::payloadBytes);
    meters.gauge(
        "rollup_memory_bytes",
        "Estimated bytes of the rollups that queries have computed.",
        store::rollupBytes);
    meters.gauge("blocks", "Block files on disk.", store::blockCount);
    meters.gauge("block_bytes", "Bytes of block files on disk.", store::blockBytes);
    meters.counter("blocks_written", "Block files written.", blocks.written::sum);
    meters.counter(
        "block_failures", "Failed attempts to write a block file.", blocks.failures::sum);
    meters.counter(
        "damaged_blocks",
        "Block files, or series or rollups in them, found to be damaged.",
        blocks.damaged::sum);
    meters.counter(
        "replaced_blocks",
        "Damaged block files replaced by the same block of another gateway.",
        blocks.replaced::sum);
    store.usage().counts().declare(meters, store.usage());
  }
}
