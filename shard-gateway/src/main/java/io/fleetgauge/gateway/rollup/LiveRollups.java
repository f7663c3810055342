package io.fleetgauge.gateway.rollup;

import io.fleetgauge.promql.query.SeriesSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The rollups of the steps of one host that are not in blocks yet. One thread at a time writes; any
 * thread reads what was published last.
 *
 * <p>A step is computed when the newest tick of the host has reached it. A late sample makes the
 * steps stale that can see it; they are not visible until they have been computed again.
 */
public final class LiveRollups {
  /** Pages are joined up to this number of steps, so that adding a step is cheap. */
  private static final int PAGE_STEPS = 120;

  /** Maximum number of steps that one call computes. */
  private static final int MAX_STEPS = 960;

  private final RollupRules rules;
  private final Set<String> metrics = new HashSet<>();
  private final Map<RollupKey, List<String>> keys = new HashMap<>();
  private volatile State state = new State(Map.of(), Long.MIN_VALUE, new TreeSet<>());

  /**
   * The published state; immutable.
   *
   * @param upTo the last step that was computed, ms
   * @param stale steps that have to be computed again
   */
  private record State(Map<RollupKey, List<RollupPage>> pages, long upTo, TreeSet<Long> stale) {}

  public LiveRollups(RollupRules rules) {
    this.rules = rules;
  }

  /** The host has series of a metric. Writer only. */
  public void seen(String metric) {
    if (!rules.isEmpty() && metrics.add(metric)) {
      RollupRules.OfMetric kept = rules.of(metric);
      kept.keys().forEach(key -> keys.put(key, kept.labels()));
    }
  }

  /** A sample of a time is about to be written, ms. Writer only. */
  public void touch(long time) {
    State now = state;
    if (time > now.upTo) {
      return;
    }
    TreeSet<Long> stale = new TreeSet<>(now.stale);
    long last = Math.min(now.upTo, time + rules.horizon() - 1);
    for (long step = ceiling(time); step <= last; step += rules.step()) {
      stale.add(step);
    }
    state = new State(now.pages, now.upTo, stale);
  }

  private long ceiling(long time) {
    return -Math.floorDiv(-time, rules.step()) * rules.step();
  }

  /**
   * Computes the stale steps and the steps that ticks have reached. Writer only.
   *
   * @param oldest no step before this time is computed, ms
   * @param newest the newest tick, ms
   * @param source the host's samples
   * @return whether there are more steps to compute
   */
  public boolean advance(long oldest, long newest, SeriesSource source) {
    if (keys.isEmpty() || newest == Long.MIN_VALUE) {
      return false;
    }
    computeStale(source);
    State now = state;
    long step = rules.step();
    long first = Math.max(ceiling(oldest), now.upTo == Long.MIN_VALUE ? oldest : now.upTo + step);
    first = ceiling(first);
    long last = Math.floorDiv(newest, step) * step;
    if (last < first) {
      return false;
    }
    boolean more = last - first >= MAX_STEPS * step;
    last = more ? first + (MAX_STEPS - 1) * step : last;
    int steps = (int) ((last - first) / step) + 1;
    Map<RollupKey, List<RollupPage>> pages = new HashMap<>(now.pages);
    for (var key : keys.entrySet()) {
      long from = first;
      RollupPage.of(key.getKey(), rules, key.getValue(), from, steps, source)
          .ifPresent(page -> pages.merge(key.getKey(), List.of(page), this::behind));
    }
    state = new State(pages, last, now.stale);
    return more;
  }

  private List<RollupPage> behind(List<RollupPage> pages, List<RollupPage> more) {
    List<RollupPage> all = new ArrayList<>(pages);
    for (RollupPage page : more) {
      RollupPage last = all.isEmpty() ? null : all.getLast();
      if (last != null
          && last.end(rules.step()) == page.first()
          && last.steps() + page.steps() <= PAGE_STEPS) {
        all.set(all.size() - 1, last.join(page));
      } else {
        all.add(page);
      }
    }
    return List.copyOf(all);
  }

  private void computeStale(SeriesSource source) {
    State now = state;
    if (now.stale.isEmpty()) {
      return;
    }
    Map<RollupKey, List<RollupPage>> pages = new HashMap<>(now.pages);
    for (var key : keys.entrySet()) {
      List<RollupPage> old = pages.getOrDefault(key.getKey(), List.of());
      for (long[] run : runs(now.stale)) {
        List<RollupPage> spliced = new ArrayList<>(before(old, run[0]));
        int steps = (int) ((run[1] - run[0]) / rules.step()) + 1;
        RollupPage.of(key.getKey(), rules, key.getValue(), run[0], steps, source)
            .ifPresent(spliced::add);
        spliced.addAll(from(old, run[1] + rules.step()));
        old = spliced;
      }
      pages.put(key.getKey(), behind(List.of(), old));
    }
    state = new State(pages, now.upTo, new TreeSet<>());
  }

  /** First and last step of each sequence of steps without a gap. */
  private List<long[]> runs(TreeSet<Long> steps) {
    List<long[]> runs = new ArrayList<>();
    for (long step : steps) {
      if (!runs.isEmpty() && runs.getLast()[1] + rules.step() == step) {
        runs.getLast()[1] = step;
      } else {
        runs.add(new long[] {step, step});
      }
    }
    return runs;
  }

  private List<RollupPage> before(List<RollupPage> pages, long time) {
    List<RollupPage> kept = new ArrayList<>();
    for (RollupPage page : pages) {
      if (page.end(rules.step()) <= time) {
        kept.add(page);
      } else if (page.first() < time) {
        kept.add(page.slice(0, (int) ((time - page.first()) / rules.step()), rules.step()));
      }
    }
    return kept;
  }

  private List<RollupPage> from(List<RollupPage> pages, long time) {
    List<RollupPage> kept = new ArrayList<>();
    for (RollupPage page : pages) {
      if (page.first() >= time) {
        kept.add(page);
      } else if (page.end(rules.step()) > time) {
        int cut = (int) ((time - page.first()) / rules.step());
        kept.add(page.slice(cut, page.steps(), rules.step()));
      }
    }
    return kept;
  }

  /** Removes steps before a time, which are in a block now, ms. Writer only. */
  public void dropBefore(long time) {
    State now = state;
    if (now.upTo == Long.MIN_VALUE) {
      return;
    }
    Map<RollupKey, List<RollupPage>> pages = new HashMap<>();
    now.pages.forEach((key, old) -> pages.put(key, List.copyOf(from(old, ceiling(time)))));
    state = new State(pages, now.upTo, new TreeSet<>(now.stale.tailSet(time)));
  }

  /** The pages in order of time, without stale steps. */
  public List<RollupPage> pages(RollupKey key) {
    State now = state;
    List<RollupPage> pages = now.pages.getOrDefault(key, List.of());
    for (long[] run : runs(now.stale)) {
      List<RollupPage> fresh = new ArrayList<>(before(pages, run[0]));
      fresh.addAll(from(pages, run[1] + rules.step()));
      pages = fresh;
    }
    return pages;
  }

  /** The expressions that are computed for a block, with their labels. Writer only. */
  public Map<RollupKey, List<String>> keys() {
    return Map.copyOf(keys);
  }

  /** Estimated bytes of the pages. */
  public long bytes() {
    long bytes = 0;
    for (List<RollupPage> pages : state.pages.values()) {
      for (RollupPage page : pages) {
        bytes += page.bytes();
      }
    }
    return bytes;
  }
}
