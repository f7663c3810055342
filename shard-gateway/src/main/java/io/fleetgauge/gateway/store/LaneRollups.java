package io.fleetgauge.gateway.store;

import io.fleetgauge.gateway.rollup.Reduction;
import io.fleetgauge.gateway.rollup.RollupForm;
import io.fleetgauge.gateway.rollup.RollupKey;
import io.fleetgauge.gateway.rollup.RollupPage;
import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.gateway.store.block.Block;
import io.fleetgauge.gateway.store.block.BlockWriter;
import io.fleetgauge.gateway.store.read.HostView;
import io.fleetgauge.gateway.store.read.SelectionReader;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * The rollups of a host: those that blocks have, because they are much smaller than the samples,
 * and all others, which are computed when they are asked for and kept while the samples do not
 * change. Safe for all threads.
 *
 * <p>A stretch of time is kept as one page. Samples of a time change the steps from this time on,
 * so the steps before it stay, and only the others are computed again: of a host that sends, those
 * that its newest ticks have reached.
 */
final class LaneRollups {
  /** Number of steps of a stretch. */
  private static final int STRETCH = 120;

  /** Maximum number of steps that are computed in one pass. */
  private static final int MAX_STEPS = 8 * STRETCH;

  /**
   * A metric with fewer series has no rollup in a block, because a group takes at least three rows:
   * its samples are read as quickly.
   */
  private static final int MIN_SERIES = 12;

  private final Object lane = new Object();
  private final HostView view;
  private final RollupRules rules;
  private final RollupPages kept;
  private final RecentChanges changes;
  private final LongSupplier changeCount;

  /**
   * @param changes of this lane
   * @param changeCount the number of the store's last change
   */
  LaneRollups(
      HostView view,
      RollupRules rules,
      RollupPages kept,
      RecentChanges changes,
      LongSupplier changeCount) {
    this.view = view;
    this.rules = rules;
    this.kept = kept;
    this.changes = changes;
    this.changeCount = changeCount;
  }

  /**
   * The pages of an expression; pages may overlap, and are equal where they do.
   *
   * @param unsealed samples of this time and later may be in memory, ms; older than {@code blocks},
   *     so that what moves to a block meanwhile is seen in both places and not in neither
   * @param blocks in order of time
   * @param from the first step wanted, ms
   * @param to the last one, ms
   * @param most how many steps may be computed
   * @return empty if more steps would have to be computed
   */
  Optional<List<RollupPage>> pages(
      RollupKey key, long unsealed, List<Block> blocks, long from, long to, int most) {
    List<RollupPage> pages = new ArrayList<>();
    boolean inAllBlocks = sealed(key, blocks, from, to, pages);
    if (!inAllBlocks) {
      pages.clear();
    }
    RollupRules.OfMetric rule = rules.of(key.metric());
    long newest = Math.min(to, view.newest());
    long first = Math.max(inAllBlocks ? unsealed : view.oldest(), from);
    first = first > newest ? Long.MAX_VALUE : ceiling(first);
    if (rule.keys().contains(key) && first <= newest) {
      long last = Math.floorDiv(newest, rules.step()) * rules.step();
      if (!compute(rule, key, first, last, most, pages)) {
        return Optional.empty();
      }
    }
    return Optional.of(pages);
  }

  /** Adds the pages that blocks have; returns whether all blocks of the time have one. */
  private boolean sealed(
      RollupKey key, List<Block> blocks, long from, long to, List<RollupPage> into) {
    for (Block block : blocks) {
      if (block.to() > from && block.from() <= to) {
        // A page of other rules than today's is not used.
        Optional<RollupPage> page = kept.sealed(block, rules.kept(key));
        if (page.isEmpty()) {
          return false;
        }
        into.add(page.get());
      }
    }
    return true;
  }

  /** The time before a step for which the rollups at it depend on samples, ms. */
  long horizon() {
    return rules.horizon();
  }

  private long ceiling(long time) {
    return -Math.floorDiv(-time, rules.step()) * rules.step();
  }

  private int steps(long from, long end) {
    return (int) ((end - from) / rules.step());
  }

  /**
   * Steps of a stretch that are wanted.
   *
   * @param known the first of them, computed before; null if there are none
   * @param first the first one wanted, ms
   * @param from the first one to compute, ms
   * @param end the time after the last one wanted, ms
   */
  private record WantedSteps(
      RollupPages.Place place, RollupPages.ComputedStretch known, long first, long from, long end) {
    boolean isKnown() {
      return from >= end;
    }
  }

  private boolean compute(
      RollupRules.OfMetric rule,
      RollupKey key,
      long first,
      long last,
      int most,
      List<RollupPage> into) {
    // Read first, so that later changes are noticed.
    long changed = changeCount.getAsLong();
    long length = STRETCH * rules.step();
    List<WantedSteps> all = new ArrayList<>();
    long missing = 0;
    for (long at = first; at <= last; at = (Math.floorDiv(at, length) + 1) * length) {
      RollupPages.Place place = new RollupPages.Place(lane, key, Math.floorDiv(at, length));
      long end = Math.min((place.stretch() + 1) * length, last + rules.step());
      WantedSteps wanted = wanted(place, at, end);
      missing += wanted.isKnown() ? 0 : steps(wanted.from, end);
      all.add(wanted);
    }
    if (missing > most) {
      return false;
    }
    List<WantedSteps> run = new ArrayList<>();
    for (WantedSteps wanted : all) {
      boolean goesOn =
          !run.isEmpty()
              && run.getLast().end == wanted.from
              && steps(run.getFirst().from, wanted.end) <= MAX_STEPS;
      if (!goesOn) {
        computeRun(rule, key, run, changed, into);
        run.clear();
      }
      if (wanted.isKnown()) {
        wanted.known.page().ifPresent(into::add);
      } else {
        run.add(wanted);
      }
    }
    computeRun(rule, key, run, changed, into);
    return true;
  }

  /** Finds out which of the steps wanted are known and have not changed. */
  private WantedSteps wanted(RollupPages.Place place, long first, long end) {
    RollupPages.ComputedStretch known = kept.computed(place);
    if (known == null || known.first() > first) {
      return new WantedSteps(place, null, first, first, end);
    }
    long horizon = rules.horizon(place.rollup());
    long valid =
        changes
            .firstSince(known.madeAt(), known.first() - horizon, known.end() - rules.step())
            .stream()
            .map(this::ceiling)
            .min()
            .orElse(known.end());
    if (valid <= first) {
      return new WantedSteps(place, null, first, first, end);
    }
    if (valid < known.end()) {
      int left = steps(known.first(), valid);
      known =
          new RollupPages.ComputedStretch(
              known.page().map(page -> page.slice(0, left, rules.step())),
              known.first(),
              valid,
              known.madeAt());
    }
    return new WantedSteps(place, known, first, valid, end);
  }

  /** Computes steps that follow each other in one pass. */
  private void computeRun(
      RollupRules.OfMetric rule,
      RollupKey key,
      List<WantedSteps> run,
      long changed,
      List<RollupPage> into) {
    if (run.isEmpty()) {
      return;
    }
    long from = run.getFirst().from;
    int steps = steps(from, run.getLast().end);
    Optional<List<Optional<RollupPage>>> made = reduced(rule, List.of(key), from, steps);
    if (made.isEmpty()) {
      return; // samples are missing
    }
    Optional<RollupPage> page = made.get().getFirst();
    if (page.isEmpty() && run.size() > 1) {
      // One of the stretches cannot be aggregated; the others may.
      run.forEach(each -> computeRun(rule, key, List.of(each), changed, into));
      return;
    }
    for (WantedSteps each : run) {
      Optional<RollupPage> own =
          page.map(all -> all.slice(steps(from, each.from), steps(from, each.end), rules.step()));
      RollupPages.ComputedStretch known = each.known;
      if (known != null) {
        own = own.flatMap(more -> known.page().map(before -> before.join(more)));
      }
      long first = known == null ? each.from : known.first();
      kept.keep(each.place, new RollupPages.ComputedStretch(own, first, each.end, changed));
      own.ifPresent(into::add);
    }
  }

  /**
   * Computes pages from samples.
   *
   * @param keys expressions of one metric
   * @return empty if samples are missing
   */
  private Optional<List<Optional<RollupPage>>> reduced(
      RollupRules.OfMetric rule, List<RollupKey> keys, long first, int steps) {
    Reduction reduction = new Reduction(rules, keys, rule.labels(), first, steps);
    long horizon = keys.stream().mapToLong(rules::horizon).max().orElseThrow();
    Matcher ofMetric = Matcher.equal(Labels.NAME, keys.getFirst().metric());
    SelectionReader reader =
        new SelectionReader(
            new Selection(List.of(ofMetric), first - horizon, first + (steps - 1) * rules.step()));
    reader.add(view);
    List<String> incomplete = new ArrayList<>();
    try {
      reader.read(Long.MAX_VALUE, incomplete::add, reduction::add);
    } catch (TooManySamples | QueryFailure e) {
      throw new IllegalStateException(e);
    }
    return incomplete.isEmpty() ? Optional.of(reduction.pages()) : Optional.empty();
  }

  /**
   * Adds to a block the rollups of its time that are worth their place. Any thread.
   *
   * @param metrics those of its series, and how many series each has
   */
  void write(BlockWriter writer, Map<String, Integer> metrics, long from, long to) {
    long first = ceiling(from);
    int steps = (int) Math.max(0, (to - 1 - first) / rules.step() + 1);
    if (first >= to || view.missing().overlaps(first - rules.horizon(), to)) {
      return;
    }
    for (var metric : new TreeMap<>(metrics).entrySet()) {
      RollupRules.OfMetric rule = rules.of(metric.getKey());
      if (metric.getValue() >= MIN_SERIES && !rule.keys().isEmpty()) {
        List<RollupKey> keys = rule.keys().stream().sorted().toList();
        reduced(rule, keys, first, steps).ifPresent(pages -> write(writer, keys, pages));
      }
    }
  }

  private void write(BlockWriter writer, List<RollupKey> keys, List<Optional<RollupPage>> pages) {
    for (int i = 0; i < keys.size(); i++) {
      RollupKey key = keys.get(i);
      pages.get(i).ifPresent(page -> writer.rollup(rules.kept(key), RollupForm.encode(page)));
    }
  }
}
