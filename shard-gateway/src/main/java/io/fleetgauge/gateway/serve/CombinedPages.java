package io.fleetgauge.gateway.serve;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Interner;
import io.fleetgauge.gateway.rollup.PageMerge;
import io.fleetgauge.gateway.rollup.RollupKey;
import io.fleetgauge.gateway.rollup.RollupPage;
import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.gateway.serve.RollupSteps.Run;
import io.fleetgauge.gateway.store.CacheUse;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A cache of the rollups of several hosts, merged into one page for each stretch of time: the power
 * of a rack is then read from one page and not host by host. Safe for all threads.
 *
 * <p>Law: a page is used only while no sample within the horizon of its steps has changed on any of
 * its hosts.
 */
final class CombinedPages {
  /** Number of steps of a stretch. */
  static final int STEPS = 120;

  /** A host that is further behind the newest one, in steps, is not merged. */
  private static final int MAX_BEHIND = 8;

  private static final long MAX_BYTES = Math.min(256L << 20, Runtime.getRuntime().maxMemory() / 32);

  private final Store store;
  private final Interner<Labels> groups = Interner.newWeakInterner();
  private final Cache<Key, Combined> pages =
      Caffeine.newBuilder()
          // Its upkeep takes less time than another thread takes to wake up.
          .executor(Runnable::run)
          .maximumWeight(MAX_BYTES)
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
   * Identifies a page.
   *
   * @param labels by which it is grouped
   * @param stretch number of the stretch, counted from the epoch
   */
  record Key(RollupKey rollup, List<String> labels, List<String> hosts, long stretch) {}

  /** A page and the hosts that are not in it. */
  static final class Combined {
    private final RollupPage page;
    private final List<String> separate;
    private final boolean[] hadLane;
    private final long madeAt;

    /** The number of the store's last change with which it was found to be valid. */
    private volatile long comparedAt;

    private Combined(RollupPage page, List<String> separate, boolean[] hadLane, long madeAt) {
      this.page = page;
      this.separate = separate;
      this.hadLane = hadLane;
      this.madeAt = madeAt;
      this.comparedAt = madeAt;
    }

    RollupPage page() {
      return page;
    }

    /** Hosts that have to be read separately. */
    List<String> separate() {
      return separate;
    }
  }

  /** The stretch that contains a time, ms. */
  long stretch(long time) {
    return Math.floorDiv(time, STEPS * store.rollupRules().step());
  }

  /** The start of a stretch, ms. */
  long begin(long stretch) {
    return stretch * STEPS * store.rollupRules().step();
  }

  /**
   * The cached page, if it is still valid and has most of the steps wanted.
   *
   * @param last the last time wanted, ms
   */
  Optional<Combined> find(Key key, long last) {
    Combined combined = pages.getIfPresent(key);
    if (combined == null || !isValid(key, combined)) {
      return Optional.empty();
    }
    long step = store.rollupRules().step();
    boolean isShort = last >= combined.page.end(step) + MAX_BEHIND * step;
    return isShort && combined.madeAt != store.changeCount()
        ? Optional.empty()
        : Optional.of(combined);
  }

  /**
   * Computes and caches the page.
   *
   * @param most how many steps of a host may be computed from samples in memory
   * @return empty if no step has rollups of all hosts, or if more steps would have to be computed
   */
  Optional<Combined> compute(Key key, int most) {
    Optional<Combined> made = make(key, most);
    made.ifPresent(combined -> pages.put(key, combined));
    return made;
  }

  private boolean isValid(Key key, Combined combined) {
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

  /** The rollups of a host in a stretch. */
  private static final class OfHost {
    final String host;
    final List<Piece> pieces = new ArrayList<>();
    int upTo;

    OfHost(String host) {
      this.host = host;
    }
  }

  /** Steps of a host's page. */
  private record Piece(RollupPage page, int from, int count, int at) {}

  private Optional<Combined> make(Key key, int most) {
    // Read first, so that later changes are noticed.
    long changes = store.changeCount();
    RollupRules rules = store.rollupRules();
    long first = begin(key.stretch);
    Grid grid = new Grid(first, rules.step(), first + (STEPS - 1) * rules.step());
    List<OfHost> all = new ArrayList<>();
    boolean[] hadLane = new boolean[key.hosts.size()];
    int newest = 0;
    for (int i = 0; i < hadLane.length; i++) {
      String host = key.hosts.get(i);
      Optional<Lane> lane = store.find(host);
      hadLane[i] = lane.isPresent();
      if (lane.isPresent()) {
        OfHost ofHost = ofHost(host, lane.get(), rules, key.rollup, grid, most);
        if (ofHost == null) {
          return Optional.empty();
        }
        all.add(ofHost);
        newest = ofHost.pieces.isEmpty() ? newest : Math.max(newest, ofHost.upTo);
      }
    }
    int steps = newest;
    for (OfHost ofHost : all) {
      steps = ofHost.upTo >= newest - MAX_BEHIND ? Math.min(steps, ofHost.upTo) : steps;
    }
    if (steps == 0) {
      return Optional.empty();
    }
    PageMerge merge = new PageMerge(first, steps, key.labels, groups::intern);
    List<String> separate = new ArrayList<>();
    for (OfHost ofHost : all) {
      if (ofHost.upTo < steps) {
        separate.add(ofHost.host);
        continue;
      }
      for (Piece piece : ofHost.pieces) {
        int count = Math.min(piece.count, steps - piece.at);
        if (count > 0) {
          merge.add(piece.page, piece.from, count, piece.at);
        }
      }
    }
    return merge.page().map(page -> new Combined(page, List.copyOf(separate), hadLane, changes));
  }

  /** Null if more steps would have to be computed. */
  private static OfHost ofHost(
      String host, Lane lane, RollupRules rules, RollupKey key, Grid grid, int most) {
    OfHost ofHost = new OfHost(host);
    List<Run> missing =
        RollupSteps.read(
            lane,
            rules,
            key,
            grid,
            new Run(0, STEPS),
            most,
            (page, from, stride, count, at) -> ofHost.pieces.add(new Piece(page, from, count, at)));
    if (missing == null) {
      return null;
    }
    ofHost.upTo = missing.isEmpty() ? STEPS : missing.getFirst().from();
    return ofHost;
  }
}
