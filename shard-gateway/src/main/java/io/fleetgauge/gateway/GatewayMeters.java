package io.fleetgauge.gateway;

import io.fleetgauge.cluster.member.ClusterView;
import io.fleetgauge.cluster.process.Meters;
import io.fleetgauge.gateway.ingest.IngestCounts;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.StoreCounts;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * What a gateway counts. The law between them: every sample of a frame that is kept is counted once
 * in {@code fleetgauge_gateway_samples_total}, under the one outcome it had.
 */
final class GatewayMeters {
  private GatewayMeters() {}

  static Meters of(
      Store store,
      IngestCounts ingest,
      LongAdder fragments,
      Supplier<ClusterView> view,
      String self) {
    StoreCounts samples = store.counts();
    Meters meters = new Meters("fleetgauge_gateway");
    meters.counters(
        "samples",
        "Samples taken in, by what became of them.",
        "outcome",
        () ->
            Map.of(
                "stored", samples.stored.sum(),
                "repeated", samples.repeated.sum(),
                "conflicting", samples.conflicting.sum(),
                "out_of_order", samples.outOfOrder.sum(),
                "future", samples.future.sum(),
                "over_limit", samples.overLimit.sum()));
    meters.counters(
        "frames",
        "Frames, by what was answered.",
        "outcome",
        () ->
            Map.of(
                "kept", ingest.framesKept.sum(),
                "repeated", ingest.framesRepeated.sum(),
                "refused", ingest.framesRefused.sum(),
                "dictionary_wanted", ingest.dictionariesWanted.sum(),
                "moved", ingest.moved.sum(),
                "slowed_down", ingest.slowedDown.sum()));
    meters.counter("fragments", "Fragments of queries that were run.", fragments::sum);
    meters.gauge("series", "Series in memory.", store::seriesCount);
    meters.gauge("stored_hosts", "Hosts that samples are kept of.", store::hostCount);
    meters.gauge(
        "owned_hosts",
        "Hosts that the table gives this gateway.",
        () -> view.get().table().load().getOrDefault(self, 0L));
    meters.gauge("table_epoch", "Version of the table.", () -> view.get().table().epoch());
    meters.gauge("members", "Gateways in the cluster.", () -> view.get().gateways().size());
    return meters;
  }
}
