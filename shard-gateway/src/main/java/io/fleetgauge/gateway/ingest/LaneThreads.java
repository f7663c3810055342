package io.fleetgauge.gateway.ingest;

import io.fleetgauge.gateway.ingest.host.ClusterAccess;
import io.fleetgauge.gateway.ingest.host.IngestCounts;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.sample.journal.Journal;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/** The lane threads of a gateway and what all of them use. Safe for all threads. */
final class LaneThreads {
  final Store store;
  final Journal journal;
  final ClusterAccess cluster;
  final LongSupplier clock;
  final LongSupplier steadyMillis;
  final IngestCounts counts = new IngestCounts();
  final SegmentLedger segments = new SegmentLedger();

  /** Hosts of which this gateway has a copy with all that the owner has, which owns since then. */
  final Map<String, Long> wholeCopies = new ConcurrentHashMap<>();

  private final List<LaneThread> threads;
  private volatile boolean recovered;

  LaneThreads(
      Store store,
      Journal journal,
      ClusterAccess cluster,
      LongSupplier clock,
      LongSupplier steadyMillis,
      int count) {
    this.store = store;
    this.journal = journal;
    this.cluster = cluster;
    this.clock = clock;
    this.steadyMillis = steadyMillis;
    this.threads = IntStream.range(0, count).mapToObj(i -> new LaneThread(i, this)).toList();
  }

  LaneThread of(String host) {
    return threads.get(Math.floorMod(host.hashCode(), threads.size()));
  }

  List<LaneThread> all() {
    return threads;
  }

  boolean isRecovered() {
    return recovered;
  }

  void recovered() {
    recovered = true;
  }
}
