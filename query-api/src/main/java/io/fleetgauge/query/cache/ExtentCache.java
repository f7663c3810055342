package io.fleetgauge.query.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.query.Query;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * Answers of range queries, cut into extents: aligned stretches of {@link #STEPS} steps, so that a
 * window that moves on finds most of its steps. Each tenant has a share of the memory of its own.
 * Thread-safe.
 */
public final class ExtentCache {
  /** Steps of an extent. */
  public static final int STEPS = 60;

  private static final int MAX_TENANTS = 1_000;

  private final Versions versions;
  private final long share;
  private final Cache<String, Cache<ExtentKey, AnsweredRange>> byTenant;
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();

  /**
   * All that a step's value depends on besides its time.
   *
   * @param query the query's text: annotations have positions in it
   * @param text its expression with the scope in it, and what aliases stand for
   * @param phase remainder of the times of the steps by the step, ms
   */
  public record Key(
      String tenant, String query, String text, long lookback, long step, long phase) {
    /**
     * @param scoped a range query, prepared with the caller's scope
     */
    public static Key of(String tenant, Query scoped) {
      return new Key(
          tenant,
          scoped.text(),
          scoped.expr() + readings(scoped.expr()),
          scoped.settings().lookback(),
          scoped.step(),
          Math.floorMod(scoped.start(), scoped.step()));
    }

    /** Reads for aliases: they do not follow from the text alone. */
    private static String readings(Expr expr) {
      StringBuilder text = new StringBuilder();
      if (expr instanceof Expr.Selector selector) {
        selector.readings().forEach(reading -> text.append(reading).append(';'));
      }
      expr.children().forEach(part -> text.append(readings(part)));
      return text.toString();
    }

    private long bytes() {
      return 2L * (tenant.length() + query.length() + text.length());
    }

    /** The number of the extent that a step is in. */
    private long extent(long time) {
      return Math.floorDiv(Math.floorDiv(time - phase, step), STEPS);
    }

    private long lastStepOf(long extent) {
      return ((extent + 1) * STEPS - 1) * step + phase;
    }
  }

  private record ExtentKey(Key key, long extent) {}

  /**
   * @param bytes of all tenants together
   * @param shares number of tenants that can fill their share at once
   */
  public ExtentCache(Versions versions, long bytes, int shares) {
    this.versions = versions;
    this.byTenant = Caffeine.newBuilder().maximumSize(MAX_TENANTS).build();
    this.share = bytes / shares;
  }

  private Cache<ExtentKey, AnsweredRange> of(Key key) {
    return byTenant.get(
        key.tenant,
        none ->
            Caffeine.newBuilder()
                // Its upkeep takes less time than another thread takes to wake up.
                .executor(Runnable::run)
                .maximumWeight(share)
                .weigher(
                    (ExtentKey at, AnsweredRange range) ->
                        (int) Math.min(at.key.bytes() + range.bytes(), Integer.MAX_VALUE))
                .build());
  }

  /** Returns true if anything of a window is kept, valid or not. */
  public boolean has(Key key, long from, long to) {
    Cache<ExtentKey, AnsweredRange> cache = of(key);
    for (long at = key.extent(from); at <= key.extent(to); at++) {
      if (cache.getIfPresent(new ExtentKey(key, at)) != null) {
        return true;
      }
    }
    return false;
  }

  /**
   * Answers for parts of a window that are kept and still valid.
   *
   * @param from the first step, ms
   * @param to the last step, ms
   * @return ordered by time, without overlap
   */
  public List<AnsweredRange> find(Key key, long from, long to) {
    List<AnsweredRange> found = peek(key, from, to);
    long extents = key.extent(to) - key.extent(from) + 1;
    hits.add(found.size());
    misses.add(extents - found.size());
    return found;
  }

  /** As {@link #find}, for a caller that looks again when more is known of what has changed. */
  public List<AnsweredRange> peek(Key key, long from, long to) {
    List<AnsweredRange> found = new ArrayList<>();
    Cache<ExtentKey, AnsweredRange> cache = of(key);
    for (long at = key.extent(from); at <= key.extent(to); at++) {
      long first = Math.max(from, key.lastStepOf(at - 1) + key.step);
      long last = Math.min(to, key.lastStepOf(at));
      ExtentKey place = new ExtentKey(key, at);
      AnsweredRange kept = cache.getIfPresent(place);
      if (kept != null && !versions.isUnchanged(kept.read())) {
        cache.asMap().remove(place, kept);
        kept = null;
      }
      boolean fits = kept != null && kept.from() <= first && kept.to() >= first;
      if (fits && (kept.isUniform() || kept.from() == first && kept.to() <= last)) {
        found.add(kept.slice(first, Math.min(last, kept.to())));
      }
    }
    return found;
  }

  /**
   * Keeps an answer, up to a time.
   *
   * @param until later steps may still get samples, ms
   */
  public void keep(Key key, AnsweredRange answered, long until) {
    long to =
        Math.min(answered.to(), Math.floorDiv(until - key.phase, key.step) * key.step + key.phase);
    boolean isOneExtent = to == answered.to() && key.extent(answered.from()) == key.extent(to);
    if (!answered.isUniform() && !isOneExtent) {
      return;
    }
    Cache<ExtentKey, AnsweredRange> cache = of(key);
    for (long at = key.extent(answered.from());
        to >= answered.from() && at <= key.extent(to);
        at++) {
      long first = Math.max(answered.from(), key.lastStepOf(at - 1) + key.step);
      long last = Math.min(to, key.lastStepOf(at));
      AnsweredRange part = answered.slice(first, last);
      ExtentKey place = new ExtentKey(key, at);
      AnsweredRange kept = cache.getIfPresent(place);
      if (kept != null && continues(key, kept, part)) {
        // It has not changed until now, so it is what would have been read with the new part.
        AnsweredRange head = kept.slice(kept.from(), first - key.step).stamped(part.read().stamp());
        part = AnsweredRange.joined(List.of(head, part)).orElse(part);
      }
      if (kept == null
          || kept.from() > part.from()
          || kept.to() < part.to()
          || kept.read().stamp() < part.read().stamp()) {
        cache.put(place, part);
      }
    }
  }

  /** Returns true if a new part goes on where a kept one, that is still valid, ends. */
  private boolean continues(Key key, AnsweredRange kept, AnsweredRange part) {
    return kept.from() < part.from()
        && kept.to() + key.step >= part.from()
        && kept.to() < part.to()
        && kept.isUniform()
        && versions.isUnchanged(kept.read());
  }

  public long hits() {
    return hits.sum();
  }

  public long misses() {
    return misses.sum();
  }

  /** Memory of the extents in bytes, about. */
  public long bytes() {
    long bytes = 0;
    for (Cache<ExtentKey, AnsweredRange> cache : byTenant.asMap().values()) {
      bytes += cache.policy().eviction().map(each -> each.weightedSize().orElse(0)).orElse(0L);
    }
    return bytes;
  }
}
