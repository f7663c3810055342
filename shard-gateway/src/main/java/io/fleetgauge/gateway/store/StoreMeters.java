package io.fleetgauge.gateway.store;

import io.fleetgauge.runtime.process.Meters;
import java.util.Map;

/**
 * The metrics of a store. Law: every sample that a sender or another gateway passes to the store is
 * counted once in {@code samples}, under the one outcome that it had.
 */
public final class StoreMeters {
  private StoreMeters() {}

  public static void declare(Meters meters, Store store) {
    StoreCounts counts = store.counts();
    meters.counters(
        "samples",
        "Samples passed to the store, by outcome.",
        "outcome",
        () ->
            Map.of(
                "stored", counts.stored.sum(),
                "repeated", counts.repeated.sum(),
                "conflicting", counts.conflicting.sum(),
                "too_old", counts.tooOld.sum(),
                "future", counts.future.sum(),
                "over_limit", counts.overLimit.sum()));
    meters.counter(
        "late_samples", "Samples stored although their series had newer ones.", counts.late::sum);
    meters.gauge("stored_hosts", "Hosts with samples on this gateway.", store::hostCount);
    meters.gauge("series", "Series on this gateway.", store::seriesCount);
    meters.gauge("head_bytes", "Bytes of samples in memory.", store::payloadBytes);
    meters.gauge(
        "rollup_memory_bytes",
        "Estimated bytes of the rollups that queries have computed.",
        store::rollupBytes);
    meters.gauge("blocks", "Block files on disk.", store::blockCount);
    meters.gauge("block_bytes", "Bytes of block files on disk.", store::blockBytes);
    meters.counter("blocks_written", "Block files written.", counts.blocks.written::sum);
    meters.counter(
        "block_failures", "Failed attempts to write a block file.", counts.blocks.failures::sum);
    meters.counter(
        "damaged_blocks",
        "Block files, or series or rollups in them, found to be damaged.",
        counts.blocks.damaged::sum);
    meters.counter(
        "replaced_blocks",
        "Damaged block files replaced by the same block of another gateway.",
        counts.blocks.replaced::sum);
  }
}
