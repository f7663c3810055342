package io.fleetgauge.query.store;

import io.fleetgauge.runtime.process.Meters;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/** What is counted of one store. Thread-safe. */
public final class StoreCounts {
  final LongAdder requests = new LongAdder();
  final LongAdder errors = new LongAdder();
  final LongAdder bytes = new LongAdder();
  final LongAdder droppedSeries = new LongAdder();
  final DoubleAdder seconds = new DoubleAdder();

  /** Declares the metrics of some stores. */
  public static void declare(Meters meters, List<ForeignStore> stores) {
    meters.counters(
        "source_requests",
        "Requests to each source.",
        "source",
        () -> figures(stores, counts -> counts.requests.sum()));
    meters.counters(
        "source_errors",
        "Requests to each source without a proper response.",
        "source",
        () -> figures(stores, counts -> counts.errors.sum()));
    meters.counters(
        "source_bytes",
        "Bytes of the responses of each source, as they were received.",
        "source",
        () -> figures(stores, counts -> counts.bytes.sum()));
    meters.counters(
        "source_seconds",
        "Time of all requests to each source, from their start to the end of the response.",
        "source",
        () -> figures(stores, counts -> counts.seconds.sum()));
    meters.counters(
        "source_dropped_series",
        "Series of each source that were dropped because they had not been asked for.",
        "source",
        () -> figures(stores, counts -> counts.droppedSeries.sum()));
  }

  private static Map<String, Number> figures(
      List<ForeignStore> stores, Function<StoreCounts, Number> figure) {
    Map<String, Number> all = new TreeMap<>();
    stores.forEach(store -> all.put(store.name(), figure.apply(store.counts())));
    return all;
  }
}
