package io.fleetgauge.query.seam;

import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.query.source.Coverage;
import io.fleetgauge.query.store.ForeignStore;
import io.fleetgauge.sample.frame.PseudoHosts;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The hosts of one store with older samples: those that only it has, and those that gateways have
 * had for a short time and of which it has nothing older, as it is with a host that is new. It is
 * asked about once a minute. Thread-safe.
 */
final class StoreHosts {
  private static final Logger LOG = LoggerFactory.getLogger(StoreHosts.class);
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** A store that did not answer is asked again after this time. */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Whether a store has older samples of a new host is asked again after this time. */
  private static final long CHECKED_NANOS = TimeUnit.HOURS.toNanos(1);

  /** So is whether it has newer samples of a host that only it has. */
  private static final long ONLY_CHECKED_NANOS = TimeUnit.MINUTES.toNanos(10);

  /** So many hosts are asked about in one query. */
  private static final int MOST_CHECKED = 50;

  private final ForeignStore store;
  private final LongSupplier clock;
  private final LongSupplier nanoTime;
  private final Map<String, Checked> checked = new HashMap<>();
  private Set<String> hosts = Set.of();
  private boolean isKnown;
  private boolean wasAsked;
  private long at;
  private boolean isChecking;
  private Optional<Future<Void>> asking = Optional.empty();

  /**
   * What the store said of a host.
   *
   * @param seam it was asked for samples from before this time
   * @param hasSamples whether it has any
   * @param at when it was asked
   */
  private record Checked(long seam, boolean hasSamples, long at) {
    boolean isNothingBefore(long time) {
      return !hasSamples && time <= seam;
    }
  }

  /**
   * @param clock ms since the epoch
   * @param nanoTime ns of a clock that is never set
   */
  StoreHosts(ForeignStore store, LongSupplier clock, LongSupplier nanoTime) {
    this.store = store;
    this.clock = clock;
    this.nanoTime = nanoTime;
  }

  String name() {
    return store.name();
  }

  /** What is not known of it. */
  synchronized List<Coverage.Lack> lacks() {
    return isKnown
        ? List.of()
        : List.of(new Coverage.Lack(name(), "did not say which hosts it has; they may be missing"));
  }

  /**
   * Hosts of which it may have samples from after the time that retention reaches back to, with
   * their seams. Series without a host have an empty name.
   */
  synchronized Map<String, Long> later(HostSeams seams) {
    Map<String, Long> later = new TreeMap<>();
    long withoutHost = seams.earliest();
    for (Map.Entry<String, Long> each : seams.young().entrySet()) {
      Checked known = checked.get(each.getKey());
      if (known == null || !known.isNothingBefore(each.getValue())) {
        withoutHost = Math.max(withoutHost, each.getValue());
        if (!PseudoHosts.isOne(each.getKey())) {
          later.put(each.getKey(), each.getValue());
        }
      }
    }
    if (withoutHost > seams.reach()) {
      later.put("", withoutHost);
    }
    for (String host : hosts) {
      Checked known = checked.get(host);
      if (!seams.has(host) && (known == null || known.hasSamples)) {
        later.put(host, HostSeams.NEVER);
      }
    }
    return later;
  }

  /** Completes when it has been asked once. */
  Future<Void> asked(HostSeams seams) {
    Promise<Void> promise = Promise.promise();
    synchronized (this) {
      long age = nanoTime.getAsLong() - at;
      if (asking.isPresent()) {
        return wasAsked ? Future.succeededFuture() : asking.get();
      }
      if (wasAsked && age < (isKnown ? FRESH_NANOS : RETRY_NANOS)) {
        return Future.succeededFuture();
      }
      asking = Optional.of(promise.future());
    }
    boolean isFirst = !wasAsked();
    ask(seams, promise);
    return isFirst ? promise.future() : Future.succeededFuture();
  }

  private synchronized boolean wasAsked() {
    return wasAsked;
  }

  private void ask(HostSeams seams, Promise<Void> promise) {
    long from = seams.reach() == HostSeams.NEVER ? 0 : seams.reach();
    SeriesSearch search = new SeriesSearch(from, Math.max(from, clock.getAsLong()), 0, List.of());
    store
        .labelValues(store.settings().hostLabels().getFirst(), search, Seams.options())
        .onComplete(
            done -> {
              boolean isNews;
              synchronized (this) {
                asking = Optional.empty();
                isNews = !wasAsked || isKnown != done.succeeded();
                wasAsked = true;
                at = nanoTime.getAsLong();
                if (done.succeeded()) {
                  hosts = Set.copyOf(done.result().value());
                  isKnown = true;
                }
              }
              if (done.failed() && isNews) {
                LOG.warn("the source {} {}", name(), done.cause().getMessage());
              }
              promise.complete();
              if (done.succeeded()) {
                check(seams);
              }
            });
  }

  // --- hosts that are new ---

  /** Finds out of which hosts it has nothing from before their seams. */
  private void check(HostSeams seams) {
    Map<String, Long> asked = new LinkedHashMap<>();
    synchronized (this) {
      if (isChecking) {
        return;
      }
      long now = nanoTime.getAsLong();
      checked.keySet().removeIf(host -> !seams.has(host) && !hosts.contains(host));
      for (Map.Entry<String, Long> each : seams.young().entrySet()) {
        Checked known = checked.get(each.getKey());
        boolean isDue =
            known == null
                || known.seam < each.getValue() && !known.hasSamples
                || now - known.at > CHECKED_NANOS;
        if (isDue && !PseudoHosts.isOne(each.getKey()) && asked.size() < MOST_CHECKED) {
          asked.put(each.getKey(), each.getValue());
        }
      }
      // A store lists hosts by its blocks, which may begin long before the samples that are meant.
      for (String host : hosts) {
        Checked known = checked.get(host);
        boolean isDue = known == null || now - known.at > ONLY_CHECKED_NANOS;
        if (isDue && !seams.has(host) && asked.size() < MOST_CHECKED) {
          asked.put(host, clock.getAsLong() + 1);
        }
      }
      if (asked.isEmpty()) {
        return;
      }
      isChecking = true;
    }
    long begin = nanoTime.getAsLong();
    store
        .haveSamples(asked, seams.reach(), Seams.options())
        .onComplete(
            done -> {
              synchronized (this) {
                isChecking = false;
                if (done.failed()) {
                  return;
                }
                asked.forEach(
                    (host, seam) ->
                        checked.put(host, new Checked(seam, done.result().contains(host), begin)));
              }
              check(seams);
            });
  }
}
