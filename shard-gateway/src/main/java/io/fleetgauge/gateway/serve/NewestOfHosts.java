package io.fleetgauge.gateway.serve;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.read.NewestSamples;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.sample.Labels;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The newest samples of many hosts for one question that is asked repeatedly. Safe for all threads.
 *
 * @param <M> what the caller knows of a series
 */
final class NewestOfHosts<M> {
  /** Limit of series over all questions; each takes some hundred bytes. */
  private static final long MAX_SERIES = 100_000;

  /** A question that was not asked for this long is removed. */
  private static final Duration EXPIRES_AFTER = Duration.ofMinutes(10);

  private final List<List<Matcher>> selectors;
  private final Function<Labels, M> marks;
  private final Map<String, NewestSamples<M>> byHost = new ConcurrentHashMap<>();

  /** A question about newest samples. */
  interface Known {
    NewestOfHosts<?> hosts();
  }

  NewestOfHosts(List<List<Matcher>> selectors, Function<Labels, M> marks) {
    this.selectors = selectors;
    this.marks = marks;
  }

  /**
   * A cache by question. An entry has to be put again when it has been used: its weight changes.
   */
  static <Q, K extends Known> Cache<Q, K> cache() {
    return Caffeine.newBuilder()
        .executor(Runnable::run)
        .maximumWeight(MAX_SERIES)
        .weigher((Q question, K known) -> known.hosts().weight())
        .expireAfterAccess(EXPIRES_AFTER)
        .recordStats()
        .build();
  }

  private int weight() {
    long series = 1;
    for (NewestSamples<M> samples : byHost.values()) {
      series += samples.size();
    }
    return (int) Math.min(Integer.MAX_VALUE, series);
  }

  /** The newest samples of each host that has a lane; entries of other hosts are removed. */
  List<NewestSamples<M>> of(Store store, List<String> hosts) {
    byHost.keySet().removeIf(host -> store.find(host).isEmpty());
    List<NewestSamples<M>> all = new ArrayList<>(hosts.size());
    for (String host : hosts) {
      Optional<Lane> lane = store.find(host);
      if (lane.isPresent()) {
        NewestSamples<M> samples = byHost.get(host);
        if (samples == null || !samples.isOf(lane.get().view())) {
          samples = new NewestSamples<>(lane.get().view(), selectors, marks);
          byHost.put(host, samples);
        }
        all.add(samples);
      }
    }
    return all;
  }
}
