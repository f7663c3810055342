package io.fleetgauge.gateway.serve;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Interner;
import io.fleetgauge.gateway.rollup.PageMerge;
import io.fleetgauge.gateway.rollup.RollupKey;
import io.fleetgauge.gateway.rollup.RollupPage;
import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.gateway.serve.KeptSteps.Run;
import io.fleetgauge.gateway.store.CacheUse;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Rollups of several hosts as one page for each stretch of time, kept from question to question: a
 * rack's power is then read once and not host by host. Safe for all threads.
 *
 * <p>Law: a page is used only while no sample that its steps can see has changed at any of its
 * hosts.
 */
final class CombinedPages {
  /** How many steps a stretch has. */
  static final int STEPS = 120;

  /** Hosts that are so many steps behind the newest are taken by themselves. */
  private static final int BEHIND = 8;

  private static final long MOST_BYTES = Math.min(256L << 20, Runtime.getRuntime().maxMemory() / 8);

  private final Store store;
  private final Interner<Labels> groups = Interner.newWeakInterner();
  private final Cache<Key, Combined> pages =
      Caffeine.newBuilder()
          .maximumWeight(MOST_BYTES)
          .weigher((Key key, Combined combined) -> 100 * key.hosts.size() + combined.page.bytes())
          .recordStats()
          .build();

  CombinedPages(Store store) {
    this.store = store;
  }

  CacheUse use() {
    return CacheUse.of(pages);
  }

  /**
   * What a page is of.
   *
   * @param labels by which it is grouped
   * @param stretch counted from the epoch
   */
  record Key(RollupKey rollup, List<String> labels, List<String> hosts, long stretch) {}

  /** A page and the hosts that are not in it. */
  static final class Combined {
    private final RollupPage page;
    private final List<String> apart;
    private final boolean[] hadLane;
    private final long madeAt;

    /** The change of the store up to which it has been compared. */
    private volatile long comparedAt;

    private Combined(RollupPage page, List<String> apart, boolean[] hadLane, long madeAt) {
      this.page = page;
      this.apart = apart;
      this.hadLane = hadLane;
      this.madeAt = madeAt;
      this.comparedAt = madeAt;
    }

    RollupPage page() {
      return page;
    }

    /** Hosts that have to be taken by themselves. */
    List<String> apart() {
      return apart;
    }
  }

  /** Which stretch a time is in, ms. */
  long stretch(long time) {
    return Math.floorDiv(time, STEPS * store.rollupRules().step());
  }

  /** When a stretch begins, ms. */
  long begin(long stretch) {
    return stretch * STEPS * store.rollupRules().step();
  }

  /**
   * The page, if it is kept and still holds, and is not far from being as long as it could be.
   *
   * @param last the last time that is wanted of it, ms
   */
  Optional<Combined> known(Key key, long last) {
    Combined combined = pages.getIfPresent(key);
    if (combined == null || !holds(key, combined)) {
      return Optional.empty();
    }
    long step = store.rollupRules().step();
    boolean isShort = last >= combined.page.end(step) + BEHIND * step;
    return isShort && combined.madeAt != store.changeCount()
        ? Optional.empty()
        : Optional.of(combined);
  }

  /** The page, made anew when it is not known; empty when no step is kept of all hosts. */
  Optional<Combined> made(Key key) {
    Optional<Combined> made = make(key);
    made.ifPresent(combined -> pages.put(key, combined));
    return made;
  }

  private boolean holds(Key key, Combined combined) {
    long now = store.changeCount();
    long before = combined.comparedAt;
    if (now == before) {
      return true;
    }
    RollupRules rules = store.rollupRules();
    long after = combined.page.first() - rules.horizon(key.rollup);
    long to = combined.page.end(rules.step()) - rules.step();
    for (int i = 0; i < combined.hadLane.length; i++) {
      Optional<Lane> lane = store.find(key.hosts.get(i));
      boolean same =
          lane.isPresent() ? lane.get().isUnchanged(before, after, to) : !combined.hadLane[i];
      if (!same) {
        return false;
      }
    }
    combined.comparedAt = now;
    return true;
  }

  /** What is kept of a host in a stretch. */
  private static final class Kept {
    final String host;
    final List<Piece> pieces = new ArrayList<>();
    int upTo;

    Kept(String host) {
      this.host = host;
    }
  }

  /** Steps of a host's page. */
  private record Piece(RollupPage page, int from, int count, int at) {}

  private Optional<Combined> make(Key key) {
    // Read first: what changes behind it is found to have changed.
    long changes = store.changeCount();
    RollupRules rules = store.rollupRules();
    long first = begin(key.stretch);
    Grid grid = new Grid(first, rules.step(), first + (STEPS - 1) * rules.step());
    List<Kept> all = new ArrayList<>();
    boolean[] hadLane = new boolean[key.hosts.size()];
    int newest = 0;
    for (int i = 0; i < hadLane.length; i++) {
      String host = key.hosts.get(i);
      Optional<Lane> lane = store.find(host);
      hadLane[i] = lane.isPresent();
      if (lane.isPresent()) {
        Kept kept = kept(host, lane.get(), rules, key.rollup, grid);
        all.add(kept);
        newest = kept.pieces.isEmpty() ? newest : Math.max(newest, kept.upTo);
      }
    }
    int steps = newest;
    for (Kept kept : all) {
      steps = kept.upTo >= newest - BEHIND ? Math.min(steps, kept.upTo) : steps;
    }
    if (steps == 0) {
      return Optional.empty();
    }
    PageMerge merge = new PageMerge(first, steps, key.labels, groups::intern);
    List<String> apart = new ArrayList<>();
    for (Kept kept : all) {
      if (kept.upTo < steps) {
        apart.add(kept.host);
        continue;
      }
      for (Piece piece : kept.pieces) {
        int count = Math.min(piece.count, steps - piece.at);
        if (count > 0) {
          merge.add(piece.page, piece.from, count, piece.at);
        }
      }
    }
    return merge.page().map(page -> new Combined(page, List.copyOf(apart), hadLane, changes));
  }

  private static Kept kept(String host, Lane lane, RollupRules rules, RollupKey key, Grid grid) {
    Kept kept = new Kept(host);
    List<Run> missing =
        KeptSteps.show(
            lane,
            rules,
            key,
            grid,
            new Run(0, STEPS),
            (page, from, stride, count, at) -> kept.pieces.add(new Piece(page, from, count, at)));
    kept.upTo = missing.isEmpty() ? STEPS : missing.getFirst().from();
    return kept;
  }
}
