package io.fleetgauge.gateway.serve;

import io.fleetgauge.gateway.store.CacheUse;
import io.fleetgauge.runtime.process.Meters;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Supplier;

/** Outcomes of fragments. */
public final class FragmentCounts {
  final LongAdder answered = new LongAdder();
  final LongAdder shed = new LongAdder();
  final LongAdder stopped = new LongAdder();

  /**
   * Declares the metrics of this package.
   *
   * @param caches the caches that fragments use, by name
   */
  public void declare(Meters meters, Supplier<Map<String, CacheUse>> caches) {
    meters.counter("fragments", "Fragments of queries that were executed.", answered::sum);
    meters.counter(
        "fragments_stopped",
        "Fragments that ended early because of their timeout or because the query was canceled.",
        stopped::sum);
    meters.counter(
        "fragments_shed", "Fragments rejected with 503 because memory was low.", shed::sum);
    meters.gauges(
        "cache_used_ratio",
        "Fill ratio of a cache, 0 to 1.",
        "cache",
        () -> each(caches.get(), use -> (double) use.held() / use.limit()));
    meters.gauges(
        "cache_limit",
        "Limit of a cache, in what it counts: bytes, series or entries.",
        "cache",
        () -> each(caches.get(), use -> (double) use.limit()));
    meters.counters(
        "cache_hits",
        "Lookups that found an entry.",
        "cache",
        () -> each(caches.get(), CacheUse::hits));
    meters.counters(
        "cache_misses",
        "Lookups that found no entry.",
        "cache",
        () -> each(caches.get(), CacheUse::misses));
    meters.counters(
        "cache_evictions",
        "Entries removed because of the limit or because they expired.",
        "cache",
        () -> each(caches.get(), CacheUse::evicted));
  }

  private static <T> Map<String, T> each(
      Map<String, CacheUse> caches, Function<CacheUse, T> figure) {
    Map<String, T> figures = new TreeMap<>();
    caches.forEach((name, use) -> figures.put(name, figure.apply(use)));
    return figures;
  }
}
