package io.fleetgauge.gateway;

import io.fleetgauge.cluster.member.ClusterView;
import io.fleetgauge.gateway.ingest.IngestCounts;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.StoreCounts;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * What a gateway counts. The law between them: every sample of a frame that is kept is counted once
 * in {@code fleetgauge_gateway_samples_total}, under the one outcome it had.
 */
final class GatewayMeters {
  private GatewayMeters() {}

  static void register(
      PrometheusRegistry registry,
      Store store,
      IngestCounts ingest,
      LongAdder fragments,
      Supplier<ClusterView> view,
      String self) {
    StoreCounts samples = store.counts();
    Map<String, LongAdder> sampleOutcomes = new LinkedHashMap<>();
    sampleOutcomes.put("stored", samples.stored);
    sampleOutcomes.put("repeated", samples.repeated);
    sampleOutcomes.put("conflicting", samples.conflicting);
    sampleOutcomes.put("out_of_order", samples.outOfOrder);
    sampleOutcomes.put("future", samples.future);
    sampleOutcomes.put("over_limit", samples.overLimit);
    counter(registry, "samples", "Samples taken in, by what became of them.", sampleOutcomes);
    Map<String, LongAdder> frameOutcomes = new LinkedHashMap<>();
    frameOutcomes.put("kept", ingest.framesKept);
    frameOutcomes.put("repeated", ingest.framesRepeated);
    frameOutcomes.put("refused", ingest.framesRefused);
    frameOutcomes.put("dictionary_wanted", ingest.dictionariesWanted);
    frameOutcomes.put("moved", ingest.moved);
    frameOutcomes.put("slowed_down", ingest.slowedDown);
    counter(registry, "frames", "Frames, by what was answered.", frameOutcomes);
    CounterWithCallback.builder()
        .name("fleetgauge_gateway_fragments_total")
        .help("Fragments of queries that were run.")
        .callback(out -> out.call(fragments.sum()))
        .register(registry);
    gauge(registry, "series", "Series in memory.", store::seriesCount);
    gauge(registry, "stored_hosts", "Hosts that samples are kept of.", store::hostCount);
    gauge(
        registry,
        "owned_hosts",
        "Hosts that the table gives this gateway.",
        () -> view.get().table().load().getOrDefault(self, 0L));
    gauge(registry, "table_epoch", "Version of the table.", () -> view.get().table().epoch());
    gauge(registry, "members", "Gateways in the cluster.", () -> view.get().gateways().size());
  }

  private static void counter(
      PrometheusRegistry registry, String name, String help, Map<String, LongAdder> outcomes) {
    CounterWithCallback.builder()
        .name("fleetgauge_gateway_" + name + "_total")
        .help(help)
        .labelNames("outcome")
        .callback(out -> outcomes.forEach((outcome, count) -> out.call(count.sum(), outcome)))
        .register(registry);
  }

  private static void gauge(
      PrometheusRegistry registry, String name, String help, Supplier<? extends Number> value) {
    GaugeWithCallback.builder()
        .name("fleetgauge_gateway_" + name)
        .help(help)
        .callback(out -> out.call(value.get().doubleValue()))
        .register(registry);
  }
}
