package io.fleetgauge.gateway.serve;

import io.fleetgauge.gateway.rollup.RollupKey;
import io.fleetgauge.gateway.rollup.RollupPage;
import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.promql.query.Grid;
import java.util.ArrayList;
import java.util.List;

/** Which steps of a host are kept reduced, and in which pages. */
final class KeptSteps {
  /** Steps without a gap, from number {@code from} on and before number {@code to}. */
  record Run(int from, int to) {}

  /** Is shown what is kept. */
  interface Taker {
    /**
     * @param from the page's first step that is taken
     * @param stride how far apart those that are taken are
     * @param at which step of the grid the first of them is
     * @return whether to go on
     */
    boolean take(RollupPage page, int from, int stride, int count, int at);
  }

  private KeptSteps() {}

  /**
   * Shows what is kept of some steps of a grid, each step once and in order.
   *
   * @param grid times at which the expression is looked at; multiples of the rules' step
   * @return the steps that are not kept though a sample may be near; null when the taker ended it
   */
  static List<Run> show(
      Lane lane, RollupRules rules, RollupKey key, Grid grid, Run wanted, Taker taker) {
    long step = rules.step();
    long horizon = rules.horizon(key);
    long first = grid.time(wanted.from);
    long last = grid.time(wanted.to - 1);
    List<Run> missing = new ArrayList<>();
    if (lane.hasLost(first - horizon, last)) {
      missing.add(wanted);
      return missing;
    }
    List<RollupPage> pages = lane.rollups(key, first, last);
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
        if (!taker.take(page, from, stride, count, at)) {
          return null;
        }
        at += count;
      } else {
        // A step that no sample is near of has nothing, kept or not.
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
