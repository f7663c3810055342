package io.fleetgauge.gateway.ingest;

import io.fleetgauge.gateway.ingest.host.IngestCounts;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.sample.journal.Journal;
import java.util.Map;

/** The metrics of intake, of copies and of the journal. */
public final class IngestMeters {
  private IngestMeters() {}

  public static void declare(
      Meters meters, Intake intake, Journal journal, MemoryWatermark memory) {
    IngestCounts counts = intake.counts();
    meters.counters(
        "frames",
        "Frames received, by response.",
        "outcome",
        () ->
            Map.of(
                "kept", counts.framesKept.sum(),
                "refused", counts.framesRefused.sum(),
                "dictionary_wanted", counts.dictionariesWanted.sum(),
                "moved", counts.moved.sum()));
    meters.counters(
        "slow_downs",
        "Requests rejected with 503, by exhausted resource.",
        "reason",
        () ->
            Map.of(
                "queue", counts.queueFull.sum(),
                "replica", counts.replicaSlow.sum(),
                "table", counts.unsettled.sum(),
                "memory", counts.memoryShort.sum(),
                "disk", counts.diskTrouble.sum()));
    meters.counters(
        "hosts_refused",
        "Requests that were rejected because a new host would exceed a limit of its tenant or of"
            + " the cluster, by limit.",
        "limit",
        () ->
            Map.of(
                "cluster", counts.overCluster.sum(),
                "hosts", counts.overHosts.sum(),
                "newHosts", counts.overNewHosts.sum()));
    meters.gauge(
        "dictionary_bytes",
        "Approximate memory of the label dictionaries of senders.",
        counts.dictionaryBytes::sum);
    meters.gauge("memory_ratio", "Heap in use after the last collections, 0 to 1.", memory::ratio);
    meters.gauge(
        "recovered",
        "1 if all samples from before the start are loaded.",
        () -> intake.isRecovered() ? 1 : 0);
    copies(meters, counts, intake);
    journal(meters, counts, journal);
  }

  private static void copies(Meters meters, IngestCounts counts, Intake intake) {
    meters.counter(
        "copied_frames", "Frames of hosts that other gateways own.", counts.framesCopied::sum);
    meters.counter(
        "copies_repeated",
        "Requests to replicas that were sent again, because the replica did not respond or was"
            + " busy.",
        counts.copiesRepeated::sum);
    meters.counters(
        "replicas_lost",
        "Times a replica of a host that is owned here fell behind, by reason.",
        "reason",
        counts::replicasLost);
    meters.counter(
        "kept_alone",
        "Requests that were synced to the local disk because no replica could be reached.",
        counts.keptAlone::sum);
    meters.counter(
        "silent_ticks",
        "Synthetic ticks written for silent probes: staleness markers, and up 0.",
        counts.syntheticTicks::sum);
    meters.counter(
        "gaps_found",
        "Times that acknowledged samples were missing on this gateway.",
        counts.gapsFound::sum);
    meters.counters(
        "comparisons",
        "Comparisons of the samples of a host with another gateway, by outcome.",
        "outcome",
        () ->
            Map.of(
                "equal", counts.comparedEqual.sum(),
                "filled", counts.comparedAndFilled.sum(),
                "failed", counts.compareFailed.sum()));
    meters.counter(
        "pages_merged", "Pages of samples copied from other gateways.", counts.pagesMerged::sum);
    meters.counter(
        "strays_removed",
        "Copies of hosts removed because the table assigns the hosts to other gateways.",
        counts.straysRemoved::sum);
    meters.counter(
        "removals",
        "Hosts whose samples were removed here because an operator removed the host.",
        counts.hostsRemoved::sum);
    meters.gauge(
        "copies_equal_timestamp_seconds",
        "Time of the last comparison in which all replicas on this gateway were equal to their"
            + " owners'.",
        () -> intake.copiesEqualAt() / 1_000.0);
  }

  private static void journal(Meters meters, IngestCounts counts, Journal journal) {
    meters.counter(
        "journal_records", "Records written to the journal.", () -> journal.counts().records());
    meters.counter(
        "journal_bytes",
        "Bytes of records written to the journal.",
        () -> journal.counts().bytes());
    meters.counter(
        "journal_syncs", "Syncs of the journal to disk.", () -> journal.counts().syncs());
    meters.counter(
        "journal_failures", "Failed writes to the journal.", () -> journal.counts().failures());
    meters.counter(
        "journal_torn_bytes",
        "Bytes of incomplete records cut off at the end of a segment.",
        () -> journal.counts().tornBytes());
    meters.counter(
        "journal_damaged_bytes",
        "Bytes of damaged records skipped.",
        () -> journal.counts().damagedBytes());
    meters.counter(
        "journal_packed_segments",
        "Closed segments of the journal written in fewer bytes.",
        () -> journal.counts().packed());
    meters.counter(
        "journal_packing_failures",
        "Failed attempts to write a closed segment of the journal in fewer bytes.",
        counts.packingsFailed::sum);
    meters.counter(
        "journal_lost_records",
        "Records of the journal that could not be decoded.",
        counts.recordsLost::sum);
    meters.counter(
        "journal_replayed_ticks",
        "Ticks replayed from the journal after the start.",
        counts.ticksReplayed::sum);
    meters.gauge("journal_size_bytes", "Bytes of all segments of the journal.", journal::bytes);
    meters.gauge("journal_segments", "Segments of the journal.", journal::segments);
    meters.gauge(
        "disk_trouble",
        "1 while the journal cannot be written.",
        () -> journal.trouble().isPresent() ? 1 : 0);
    meters.gauge(
        "folder_lost",
        "1 while a folder of the gateway is not the one that was there at the start.",
        () -> journal.isFolderLost() ? 1 : 0);
  }
}
