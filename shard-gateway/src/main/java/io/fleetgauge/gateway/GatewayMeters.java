package io.fleetgauge.gateway;

import io.fleetgauge.cluster.process.Guard;
import io.fleetgauge.cluster.process.Meters;
import io.fleetgauge.cluster.table.Assignment;
import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.gateway.ingest.IngestCounts;
import io.fleetgauge.gateway.ingest.MemoryWatermark;
import io.fleetgauge.gateway.remotewrite.RemoteWriteCounts;
import io.fleetgauge.gateway.store.CacheUse;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.StoreCounts;
import io.fleetgauge.sample.journal.Journal;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What a gateway counts. The law between them: every sample of a frame that is kept is counted once
 * in {@code fleetgauge_gateway_samples_total}, under the one outcome it had.
 */
final class GatewayMeters {
  private GatewayMeters() {}

  static Meters of(
      Store store,
      Journal journal,
      IngestCounts ingest,
      RemoteWriteCounts remoteWrites,
      BooleanSupplier recovered,
      LongSupplier copiesEqualAt,
      MemoryWatermark memory,
      LongAdder fragments,
      LongAdder shed,
      LongAdder stopped,
      Supplier<ClusterView> view,
      String self,
      Guard guard,
      Supplier<Map<String, CacheUse>> caches) {
    StoreCounts samples = store.counts();
    Meters meters = new Meters("fleetgauge_gateway");
    meters.counter(
        "requests_refused", "Requests without a token that allows them.", guard::refused);
    meters.counter(
        "tenants_failures", "How often the file of tenants was wrong.", guard::fileFailures);
    meters.counters(
        "samples",
        "Samples taken in, by what became of them.",
        "outcome",
        () ->
            Map.of(
                "stored", samples.stored.sum(),
                "repeated", samples.repeated.sum(),
                "conflicting", samples.conflicting.sum(),
                "too_old", samples.tooOld.sum(),
                "future", samples.future.sum(),
                "over_limit", samples.overLimit.sum()));
    meters.counters(
        "frames",
        "Frames, by what was answered.",
        "outcome",
        () ->
            Map.of(
                "kept", ingest.framesKept.sum(),
                "refused", ingest.framesRefused.sum(),
                "dictionary_wanted", ingest.dictionariesWanted.sum(),
                "moved", ingest.moved.sum()));
    meters.counters(
        "slow_downs",
        "Bodies that were told to come again, by what was short.",
        "reason",
        () ->
            Map.of(
                "queue", ingest.queueFull.sum(),
                "table", ingest.unsettled.sum(),
                "memory", ingest.memoryShort.sum(),
                "disk", ingest.diskTrouble.sum()));
    meters.counters(
        "remote_writes",
        "Remote writes, by what was answered.",
        "outcome",
        () ->
            Map.of(
                "written", remoteWrites.written.sum(),
                "refused", remoteWrites.refused.sum(),
                "put_off", remoteWrites.putOff.sum()));
    meters.counter("remote_write_samples", "Samples written remotely.", remoteWrites.samples::sum);
    meters.counter(
        "remote_write_bad_series",
        "Series of remote writes without a name or with labels that are none.",
        remoteWrites.badSeries::sum);
    meters.gauge(
        "remote_write_key_bytes",
        "Bytes by which series are known that have been written before.",
        remoteWrites.keyBytes::get);
    meters.counter(
        "remote_write_forgotten",
        "How often a tenant's series had to be made known anew, because there were too many.",
        remoteWrites.forgotten::sum);
    meters.counter("late_samples", "Samples stored behind newer ones.", samples.late::sum);
    meters.gauge("rollup_memory_bytes", "Bytes of rollups of steps in memory.", store::rollupBytes);
    meters.counter("fragments", "Fragments of queries that were run.", fragments::sum);
    meters.counter(
        "fragments_stopped",
        "Fragments that ended early because nobody waited for them any more.",
        stopped::sum);
    meters.counter("fragments_shed", "Fragments refused for want of memory.", shed::sum);
    meters.gauge("memory_ratio", "Heap in use after the last collections, 0 to 1.", memory::ratio);
    meters.gauge("series", "Series that are kept.", store::seriesCount);
    meters.gauge("head_bytes", "Bytes of samples in memory.", store::payloadBytes);
    meters.gauge("block_bytes", "Bytes of blocks on disk.", store::blockBytes);
    meters.gauge("blocks", "Blocks on disk.", store::blockCount);
    meters.counter("blocks_written", "Blocks written.", samples.blocks.written::sum);
    meters.counter(
        "block_failures", "Blocks that failed to be written.", samples.blocks.failures::sum);
    meters.counter(
        "damaged_blocks",
        "Blocks, or series in them, that are damaged.",
        samples.blocks.damaged::sum);
    journal(meters, journal, ingest);
    caches(meters, caches);
    copies(meters, ingest, view, self);
    meters.gauge(
        "copies_equal_timestamp_seconds",
        "When all copies here had been compared with their owners' and were equal.",
        () -> copiesEqualAt.getAsLong() / 1_000.0);
    meters.gauge(
        "recovered",
        "1 when all that was kept before the start is back.",
        () -> recovered.getAsBoolean() ? 1 : 0);
    meters.gauge("stored_hosts", "Hosts that samples are kept of.", store::hostCount);
    meters.gauge(
        "owned_hosts",
        "Hosts that the table gives this gateway.",
        () -> view.get().table().load().getOrDefault(self, 0L));
    meters.gauge("table_epoch", "Version of the table.", () -> view.get().table().epoch());
    meters.gauge("members", "Gateways in the cluster.", () -> view.get().gateways().size());
    return meters;
  }

  private static void caches(Meters meters, Supplier<Map<String, CacheUse>> caches) {
    meters.gauges(
        "cache_used_ratio",
        "How much of what a cache may hold is in it, 0 to 1.",
        "cache",
        () -> each(caches.get(), use -> (double) use.held() / use.limit()));
    meters.counters(
        "cache_hits",
        "What was asked of a cache and was there.",
        "cache",
        () -> each(caches.get(), CacheUse::hits));
    meters.counters(
        "cache_misses",
        "What was asked of a cache and was not there.",
        "cache",
        () -> each(caches.get(), CacheUse::misses));
    meters.counters(
        "cache_evictions",
        "What gave way to others, or to time.",
        "cache",
        () -> each(caches.get(), CacheUse::evicted));
  }

  private static <T> Map<String, T> each(
      Map<String, CacheUse> caches, Function<CacheUse, T> figure) {
    Map<String, T> figures = new TreeMap<>();
    caches.forEach((name, use) -> figures.put(name, figure.apply(use)));
    return figures;
  }

  private static void copies(
      Meters meters, IngestCounts ingest, Supplier<ClusterView> view, String self) {
    meters.counter("copied_frames", "Frames of hosts that others own.", ingest.framesCopied::sum);
    meters.counter(
        "kept_alone", "Bodies synced here because no copy took them.", ingest.keptAlone::sum);
    meters.counter(
        "gaps_found", "Times a sender had been told of more than was here.", ingest.gapsFound::sum);
    meters.counters(
        "comparisons",
        "Comparisons of a host with another holder.",
        "outcome",
        () ->
            Map.of(
                "equal", ingest.comparedEqual.sum(),
                "filled", ingest.comparedAndFilled.sum(),
                "failed", ingest.compareFailed.sum()));
    meters.counter("pages_merged", "Pages from other holders.", ingest.pagesMerged::sum);
    meters.counter(
        "strays_removed", "Hosts removed because others have them.", ingest.straysRemoved::sum);
    meters.gauge(
        "copied_hosts",
        "Hosts that the table gives this gateway a copy of.",
        () -> Assignment.copiesOn(view.get().table(), self).size());
    meters.gauge(
        "moving_hosts",
        "Hosts that are on the way to or from this gateway.",
        () -> Assignment.inFlight(view.get().table()).getOrDefault(self, 0L));
  }

  private static void journal(Meters meters, Journal journal, IngestCounts ingest) {
    meters.counter("journal_records", "Records written.", () -> journal.counts().records());
    meters.counter("journal_bytes", "Bytes of records written.", () -> journal.counts().bytes());
    meters.counter(
        "journal_syncs", "Times it was forced to the disk.", () -> journal.counts().syncs());
    meters.counter("journal_failures", "Writes that failed.", () -> journal.counts().failures());
    meters.counter(
        "journal_torn_bytes", "Unfinished bytes cut off.", () -> journal.counts().tornBytes());
    meters.counter(
        "journal_damaged_bytes",
        "Damaged bytes passed over.",
        () -> journal.counts().damagedBytes());
    meters.counter(
        "journal_lost_records", "Records that could not be read.", ingest.recordsLost::sum);
    meters.counter("journal_replayed_ticks", "Ticks that came back.", ingest.ticksReplayed::sum);
    meters.gauge("journal_size_bytes", "Bytes of all segments.", journal::bytes);
    meters.gauge("journal_segments", "Segments.", journal::segments);
    meters.gauge(
        "disk_trouble",
        "1 while the journal cannot be written.",
        () -> journal.trouble().isPresent() ? 1 : 0);
  }
}
