package io.fleetgauge.query.answer;

import io.fleetgauge.promql.plan.Planned;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.query.cache.AnsweredRange;
import io.fleetgauge.query.cache.ChangeFeed;
import io.fleetgauge.query.cache.ExtentCache;
import io.fleetgauge.query.cache.ReadTime;
import io.fleetgauge.query.cache.RecentAnswers;
import io.fleetgauge.query.cache.Versions;
import io.fleetgauge.runtime.process.Meters;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Answers and steps of answers that are kept while nothing that they read changes. Thread-safe. */
final class AnswerCaches {
  /** A window with more gaps than this between its cached steps is executed as a whole. */
  private static final int MAX_GAPS = 2;

  /** Number of tenants that can fill their share of the memory for extents. */
  private static final int CACHE_SHARES = 4;

  private final ChangeFeed feed;
  private final Versions versions;
  private final ExtentCache extents;
  private final RecentAnswers<Ask.Key, Reply<Evaluated>> recent;

  /**
   * @param bytes of memory
   */
  AnswerCaches(ChangeFeed feed, Versions versions, long bytes) {
    this.feed = feed;
    this.versions = versions;
    this.extents = new ExtentCache(versions, bytes, CACHE_SHARES);
    this.recent =
        new RecentAnswers<>(versions, bytes / 4, (key, reply) -> reply.value().bytes(key, reply));
  }

  /** An equal query's answer that is still valid, found before anything is parsed or planned. */
  Future<Optional<Reply<Evaluated>>> known(Ask.Key key) {
    return recent.has(key)
        ? feed.refresh().map(stamp -> recent.find(key))
        : Future.succeededFuture(Optional.empty());
  }

  /**
   * The stamp that an answer is kept with, taken before anything is read. An older one will do when
   * nothing is taken from the cache: what changed since then counts as changed later.
   */
  Future<Long> stamp(boolean fresh) {
    return fresh ? feed.refresh() : Future.succeededFuture(versions.stamp());
  }

  // --- steps of range queries ---

  /** The steps of a query whose answers are kept by a key. */
  record Window(Planned whole, ExtentCache.Key key) {
    static Window of(String tenant, Planned whole) {
      return new Window(whole, ExtentCache.Key.of(tenant, whole.query()));
    }
  }

  /** Consecutive steps that the cache lacks: the first and the last, ms. */
  record Gap(long from, long to) {}

  /** The steps of a window that the cache has, and those that it lacks. */
  record Filling(List<AnsweredRange> known, List<Gap> gaps) {
    /** Returns true if the full window is executed instead of filled. */
    boolean isPoor() {
      return known.isEmpty() || gaps.size() > MAX_GAPS;
    }
  }

  /** Returns true if the cache has some steps of a window, valid or not. */
  boolean has(Window window) {
    return extents.has(window.key, window.whole.query().start(), window.whole.lastStep());
  }

  /** As {@link #filling}, without counting as a look into the cache. */
  Filling peek(Window window) {
    return filling(
        window, extents.peek(window.key, window.whole.query().start(), window.whole.lastStep()));
  }

  Filling filling(Window window) {
    return filling(
        window, extents.find(window.key, window.whole.query().start(), window.whole.lastStep()));
  }

  private static Filling filling(Window window, List<AnsweredRange> known) {
    return new Filling(known, gaps(window.whole.query(), window.whole.lastStep(), known));
  }

  /** The steps of a query that are not known. */
  private static List<Gap> gaps(Query query, long last, List<AnsweredRange> known) {
    List<Gap> gaps = new ArrayList<>();
    long next = query.start();
    for (AnsweredRange range : known) {
      if (range.from() > next) {
        gaps.add(new Gap(next, range.from() - query.step()));
      }
      next = range.to() + query.step();
    }
    if (next <= last) {
      gaps.add(new Gap(next, last));
    }
    return gaps;
  }

  // --- keeping ---

  /** Keeps an answer that is whole and was read from the gateways whose changes are reported. */
  void keep(Ask.Key key, Reply<Evaluated> reply, Execution.Done done, ReadTime read) {
    if (isKeepable(done)) {
      recent.keep(key, reply, read);
    }
  }

  /** Keeps steps of a window; those after the watermark may still get samples. */
  void keep(Window window, Execution.Executed executed, AnsweredRange range) {
    if (executed.isKeepable(feed.epoch())) {
      extents.keep(window.key, range, feed.watermark());
    }
  }

  private boolean isKeepable(Execution.Done done) {
    long epoch = feed.epoch();
    return done.executed().stream().allMatch(each -> each.isKeepable(epoch));
  }

  /** Declares the metrics of the caches. */
  void declare(Meters meters) {
    meters.counter(
        "extent_hits", "Extents of range queries that were taken from the cache.", extents::hits);
    meters.counter(
        "extent_misses", "Extents of range queries that were not in the cache.", extents::misses);
    meters.gauge("extent_bytes", "Memory of the cached extents of range queries.", extents::bytes);
    meters.counter("recent_hits", "Complete results that were taken from the cache.", recent::hits);
    meters.gauge("recent_bytes", "Memory of the cached complete results.", recent::bytes);
  }
}
