package io.fleetgauge.gateway.serve;

import io.fleetgauge.gateway.rollup.RollupFit;
import io.fleetgauge.gateway.rollup.RollupFold;
import io.fleetgauge.gateway.rollup.RollupPage;
import io.fleetgauge.gateway.serve.RollupSteps.Run;
import io.fleetgauge.gateway.store.CacheUse;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.function.CounterNames;
import io.fleetgauge.promql.query.Annotation;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.PartResult;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.promql.query.StopCheck;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Computes aggregations from rollups, and from samples for steps without rollups: those that the
 * newest tick has not reached, and those that a late sample has just changed. Safe for all threads.
 */
final class RollupRunner {
  /** This many cells are merged in well below a millisecond. */
  private static final long MAX_QUICK_CELLS = 40_000;

  /** So many steps of a host are computed from samples in well below a millisecond. */
  private static final int MAX_QUICK_STEPS = 16;

  private final Store store;
  private final CombinedPages pages;

  RollupRunner(Store store) {
    this.store = store;
    this.pages = new CombinedPages(store);
  }

  CacheUse combinedUse() {
    return pages.use();
  }

  /** A part, and the number of cells of rollups that it was computed from. */
  record Result(PartResult part, long cells) {}

  /**
   * @param source gives the samples of some hosts
   * @param quickly whether to give up if it takes more than a little work
   * @return empty if it has to be computed from samples only, or would take too much work
   */
  Optional<Result> run(
      Query query,
      RollupFit fit,
      Grid grid,
      List<String> hosts,
      Function<List<String>, SeriesSource> source,
      StopCheck stop,
      boolean quickly)
      throws QueryFailure {
    RollupFold fold = new RollupFold(fit, grid.size());
    Grid looking =
        new Grid(fit.first(), grid.step(), fit.first() + (grid.size() - 1) * grid.step());
    List<HostSteps> hostSteps = new ArrayList<>();
    if (!takeCombined(fit, looking, hosts, fold, hostSteps, quickly)) {
      return Optional.empty();
    }
    int most = quickly ? MAX_QUICK_STEPS : Integer.MAX_VALUE;
    Map<Run, List<String>> missing = new LinkedHashMap<>();
    for (HostSteps each : hostSteps) {
      for (String host : each.hosts) {
        Optional<Lane> lane = store.find(host);
        if (lane.isPresent()) {
          List<Run> left =
              RollupSteps.read(
                  lane.get(), store.rollupRules(), fit.key(), looking, each.run, most, fold::add);
          if (left == null) {
            return Optional.empty();
          }
          for (Run run : left) {
            missing.computeIfAbsent(run, none -> new ArrayList<>()).add(host);
          }
        }
      }
    }
    List<Annotation> annotations = new ArrayList<>();
    if (fold.matchedAny()) {
      CounterNames.remark(fit.counter())
          .ifPresent(text -> annotations.add(new Annotation(false, text, argument(fit).span())));
    }
    long samples = 0;
    for (var entry : missing.entrySet()) {
      Run run = entry.getKey();
      Grid part = new Grid(grid.time(run.from()), grid.step(), grid.time(run.to() - 1));
      Optional<PartResult> folded =
          Engine.partials(query, fit.aggregate(), part, source.apply(entry.getValue()), stop);
      if (folded.isEmpty() || !fold.add(folded.get().partials(), run.from())) {
        return Optional.empty();
      }
      samples += folded.get().samples();
      folded.get().annotations().stream()
          .filter(annotation -> !annotations.contains(annotation))
          .forEach(annotations::add);
    }
    return Optional.of(
        new Result(new PartResult(List.of(), fold.partials(), annotations, samples), fold.cells()));
  }

  private static Expr argument(RollupFit fit) {
    Expr input = fit.aggregate().input();
    while (input instanceof Expr.Paren paren) {
      input = paren.inner();
    }
    return ((Expr.Call) input).arguments().getFirst();
  }

  /** Steps that have to be computed host by host, and the hosts. */
  private record HostSteps(Run run, List<String> hosts) {}

  /**
   * Adds merged pages of all hosts.
   *
   * @param left receives the steps that have to be computed host by host
   * @return false if a page cannot be added, or if it would take too much work
   */
  private boolean takeCombined(
      RollupFit fit,
      Grid looking,
      List<String> hosts,
      RollupFold fold,
      List<HostSteps> left,
      boolean quickly) {
    int size = looking.size();
    Optional<List<String>> labels = fit.coarser(store.rollupRules());
    if (labels.isEmpty() || hosts.size() < 2) {
      left.add(new HostSteps(new Run(0, size), hosts));
      return !quickly || (long) size * hosts.size() <= MAX_QUICK_CELLS;
    }
    long step = store.rollupRules().step();
    int stride = (int) Math.max(1, looking.step() / step);
    long work = 0;
    int end;
    for (int at = 0; at < size; at = end) {
      long time = looking.time(at);
      long stretch = pages.stretch(time);
      end = (int) Math.min(size, at + (pages.begin(stretch + 1) - 1 - time) / looking.step() + 1);
      var key = new CombinedPages.Key(fit.key(), labels.get(), hosts, stretch);
      Optional<CombinedPages.Combined> combined = pages.find(key, looking.time(end - 1));
      if (combined.isEmpty()) {
        work += (long) CombinedPages.STEPS * hosts.size();
        if (quickly && work > MAX_QUICK_CELLS) {
          return false;
        }
        combined = pages.compute(key, quickly ? MAX_QUICK_STEPS : Integer.MAX_VALUE);
      }
      int covered = 0;
      if (combined.isPresent()) {
        RollupPage page = combined.get().page();
        int from = (int) ((time - page.first()) / step);
        covered = from >= page.steps() ? 0 : (page.steps() - 1 - from) / stride + 1;
        covered = Math.min(covered, end - at);
        if (covered > 0 && !fold.add(page, from, stride, covered, at)) {
          return false;
        }
        leave(left, new Run(at, at + covered), combined.get().separate());
      }
      leave(left, new Run(at + covered, end), hosts);
      work += (long) (end - at - covered) * hosts.size();
    }
    return !quickly || work <= MAX_QUICK_CELLS;
  }

  private static void leave(List<HostSteps> left, Run run, List<String> hosts) {
    if (run.from() == run.to() || hosts.isEmpty()) {
      return;
    }
    HostSteps last = left.isEmpty() ? null : left.getLast();
    if (last != null && last.run.to() == run.from() && last.hosts.equals(hosts)) {
      left.set(left.size() - 1, new HostSteps(new Run(last.run.from(), run.to()), hosts));
    } else {
      left.add(new HostSteps(run, hosts));
    }
  }
}
