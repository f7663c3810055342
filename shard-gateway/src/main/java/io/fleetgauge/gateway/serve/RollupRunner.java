package io.fleetgauge.gateway.serve;

import io.fleetgauge.gateway.rollup.RollupFit;
import io.fleetgauge.gateway.rollup.RollupFold;
import io.fleetgauge.gateway.rollup.RollupPage;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.promql.exec.CounterNames;
import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.exec.Grid;
import io.fleetgauge.promql.exec.Query;
import io.fleetgauge.promql.exec.QueryFailure;
import io.fleetgauge.promql.exec.Remark;
import io.fleetgauge.promql.exec.SeriesSource;
import io.fleetgauge.promql.exec.StopSign;
import io.fleetgauge.promql.syntax.Expr;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Makes folds of what is kept reduced, and of samples where nothing is kept: in steps that the
 * newest tick has not reached, or that a late sample has just changed. Safe for all threads.
 */
final class RollupRunner {
  private final Store store;

  RollupRunner(Store store) {
    this.store = store;
  }

  /** A part, and how many kept cells it is made of. */
  record Made(Engine.Part part, long cells) {}

  /** Steps of the answer without a gap. */
  private record Run(int from, int to) {}

  /**
   * @param source the samples of some hosts
   * @return empty when it has to be made of samples altogether
   */
  Optional<Made> run(
      Query query,
      RollupFit fit,
      Grid grid,
      List<String> hosts,
      Function<List<String>, SeriesSource> source,
      StopSign stop)
      throws QueryFailure {
    RollupFold fold = new RollupFold(fit, grid.size());
    Map<List<Run>, List<String>> missing = new LinkedHashMap<>();
    for (String host : hosts) {
      Optional<Lane> lane = store.find(host);
      if (lane.isPresent()) {
        Optional<List<Run>> left = take(lane.get(), fit, grid, fold);
        if (left.isEmpty()) {
          return Optional.empty();
        }
        if (!left.get().isEmpty()) {
          missing.computeIfAbsent(left.get(), none -> new ArrayList<>()).add(host);
        }
      }
    }
    List<Remark> remarks = new ArrayList<>();
    if (fold.matchedAny()) {
      CounterNames.remark(fit.counter())
          .ifPresent(text -> remarks.add(new Remark(false, text, argument(fit).span())));
    }
    long samples = 0;
    for (var entry : missing.entrySet()) {
      for (Run run : entry.getKey()) {
        Grid part = new Grid(grid.time(run.from), grid.step(), grid.time(run.to - 1));
        Optional<Engine.Part> folded =
            Engine.partials(query, fit.aggregate(), part, source.apply(entry.getValue()), stop);
        if (folded.isEmpty() || !fold.add(folded.get().partials(), run.from)) {
          return Optional.empty();
        }
        samples += folded.get().samples();
        folded.get().remarks().stream()
            .filter(remark -> !remarks.contains(remark))
            .forEach(remarks::add);
      }
    }
    return Optional.of(
        new Made(new Engine.Part(List.of(), fold.partials(), remarks, samples), fold.cells()));
  }

  private static Expr argument(RollupFit fit) {
    Expr input = fit.aggregate().input();
    while (input instanceof Expr.Paren paren) {
      input = paren.inner();
    }
    return ((Expr.Call) input).arguments().getFirst();
  }

  /**
   * Takes what is kept of a host.
   *
   * @return the steps that are not kept; empty when what is kept cannot be put together as asked
   */
  private Optional<List<Run>> take(Lane lane, RollupFit fit, Grid grid, RollupFold fold) {
    long step = store.rollupRules().step();
    long horizon = store.rollupRules().horizon(fit.key());
    long last = fit.first() + (grid.size() - 1) * grid.step();
    List<Run> missing = new ArrayList<>();
    if (lane.hasLost(fit.first() - horizon, last)) {
      missing.add(new Run(0, grid.size()));
      return Optional.of(missing);
    }
    List<RollupPage> pages = lane.rollups(fit.key(), fit.first(), last);
    long usableFrom = lane.rollupsFrom(horizon);
    int stride = (int) Math.max(1, grid.step() / step);
    int next = 0;
    int at = 0;
    while (at < grid.size()) {
      long time = fit.first() + at * grid.step();
      while (next < pages.size() && pages.get(next).end(step) <= time) {
        next++;
      }
      RollupPage page = next < pages.size() ? pages.get(next) : null;
      if (page != null && page.first() <= time && time >= usableFrom) {
        int from = (int) ((time - page.first()) / step);
        int count = Math.min(grid.size() - at, (page.steps() - 1 - from) / stride + 1);
        if (!fold.add(page, from, stride, count, at)) {
          return Optional.empty();
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
    return Optional.of(missing);
  }
}
