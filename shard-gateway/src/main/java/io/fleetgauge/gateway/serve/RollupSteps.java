package io.fleetgauge.gateway.serve;

import io.fleetgauge.gateway.rollup.RollupKey;
import io.fleetgauge.gateway.rollup.RollupPage;
import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.promql.query.Grid;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds the steps of a host that have rollups, and their pages. */
final class RollupSteps {
  /** Consecutive steps, from index {@code from} on and before index {@code to}. */
  record Run(int from, int to) {}

  /** Receives pages. */
  interface Receiver {
    /**
     * @param from index of the first step in the page
     * @param stride distance between the steps
     * @param at index of the first step in the grid
     * @return whether to continue
     */
    boolean accept(RollupPage page, int from, int stride, int count, int at);
  }

  private RollupSteps() {}

  /**
   * Passes on the rollups of some steps of a grid, each step once and in order.
   *
   * @param grid times at which the expression is evaluated; multiples of the rules' step
   * @param most how many steps may be computed from samples in memory
   * @return the steps without rollups that a sample can be near; null if the receiver ended it, or
   *     if more steps would have to be computed
   */
  static List<Run> read(
      Lane lane,
      RollupRules rules,
      RollupKey key,
      Grid grid,
      Run wanted,
      int most,
      Receiver receiver) {
    long step = rules.step();
    long horizon = rules.horizon(key);
    long first = grid.time(wanted.from);
    long last = grid.time(wanted.to - 1);
    List<Run> missing = new ArrayList<>();
    if (lane.missing().hasLost(first - horizon, last)) {
      missing.add(wanted);
      return missing;
    }
    Optional<List<RollupPage>> found = lane.rollups(key, first, last, most);
    if (found.isEmpty()) {
      return null;
    }
    List<RollupPage> pages = found.get();
    long usableFrom = lane.rollupsFrom(horizon);
    int stride = (int) Math.max(1, grid.step() / step);
    int next = 0;
    int at = wanted.from;
    while (at < wanted.to) {
      long time = grid.time(at);
      while (next < pages.size() && pages.get(next).end(step) <= time) {
        next++;
      }
      RollupPage page = next < pages.size() ? pages.get(next) : null;
      if (page != null && page.first() <= time && time >= usableFrom) {
        int from = (int) ((time - page.first()) / step);
        int count = Math.min(wanted.to - at, (page.steps() - 1 - from) / stride + 1);
        if (!receiver.accept(page, from, stride, count, at)) {
          return null;
        }
        at += count;
      } else {
        // A step that no sample is near has no value, with or without rollups.
        if (lane.reaches(time, horizon)) {
          boolean goesOn = !missing.isEmpty() && missing.getLast().to == at;
          int from = goesOn ? missing.removeLast().from : at;
          missing.add(new Run(from, at + 1));
        }
        at++;
      }
    }
    return missing;
  }
}
