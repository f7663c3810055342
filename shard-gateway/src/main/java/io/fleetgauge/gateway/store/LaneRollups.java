package io.fleetgauge.gateway.store;

import io.fleetgauge.gateway.rollup.LiveRollups;
import io.fleetgauge.gateway.rollup.RollupForm;
import io.fleetgauge.gateway.rollup.RollupKey;
import io.fleetgauge.gateway.rollup.RollupPage;
import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.gateway.store.block.Block;
import io.fleetgauge.gateway.store.block.BlockWriter;
import io.fleetgauge.gateway.store.read.HostView;
import io.fleetgauge.gateway.store.read.SelectionReader;
import io.fleetgauge.gateway.store.read.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.SeriesSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Supplier;

/** The rollups of a host: of the steps in memory, and of those that blocks have. */
final class LaneRollups {
  private final HostView view;
  private final RollupRules rules;
  private final LiveRollups live;
  private final SealedRollups sealed;

  LaneRollups(HostView view, RollupRules rules, SealedRollups sealed) {
    this.view = view;
    this.rules = rules;
    this.live = new LiveRollups(rules);
    this.sealed = sealed;
  }

  LiveRollups live() {
    return live;
  }

  /**
   * Computes the steps that ticks have reached. Writer only.
   *
   * @param from no step before this time is computed, ms
   * @return whether there are more steps to compute
   */
  boolean advance(long from) {
    return live.advance(from, view.newest(), source());
  }

  /**
   * The pages of an expression; pages may overlap, and are equal where they do.
   *
   * @param blocks read after the steps in memory: what moves to a block meanwhile is then seen in
   *     both places and not in neither
   * @param from the first step wanted, ms
   * @param to the last one, ms
   */
  List<RollupPage> pages(RollupKey key, Supplier<List<Block>> blocks, long from, long to) {
    List<RollupPage> unsealed = live.pages(key);
    List<RollupPage> pages = new ArrayList<>();
    for (Block block : blocks.get()) {
      if (block.to() > from && block.from() <= to) {
        sealed.page(block, key).ifPresent(pages::add);
      }
    }
    pages.addAll(unsealed);
    return pages;
  }

  /**
   * Adds to a block the rollups of its time, which no sample can change any more. Any thread.
   *
   * @param keys expressions and the labels by which they are grouped
   */
  void write(BlockWriter writer, Map<RollupKey, List<String>> keys, long from, long to) {
    long first = -Math.floorDiv(-from, rules.step()) * rules.step();
    int steps = (int) Math.max(0, (to - 1 - first) / rules.step() + 1);
    if (first >= to || view.missing().overlaps(first - rules.horizon(), to)) {
      return;
    }
    for (RollupKey key : new TreeSet<>(keys.keySet())) {
      RollupPage.of(key, rules, keys.get(key), first, steps, source())
          .ifPresent(page -> writer.rollup(key, RollupForm.encode(page)));
    }
  }

  /** The samples of this host; fails if some of them cannot be read. */
  private SeriesSource source() {
    return (selection, receiver) -> {
      SelectionReader reader = new SelectionReader(selection);
      reader.add(view);
      List<String> incomplete = new ArrayList<>();
      try {
        reader.read(Long.MAX_VALUE, incomplete::add, receiver);
      } catch (TooManySamples e) {
        throw new IllegalStateException(e);
      }
      if (!incomplete.isEmpty()) {
        throw new QueryFailure(
            QueryFailure.Kind.EXECUTION, "samples of host " + view.host() + " are missing");
      }
    };
  }
}
