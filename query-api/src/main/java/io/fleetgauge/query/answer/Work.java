package io.fleetgauge.query.answer;

import io.fleetgauge.cluster.config.QueryConfig;
import io.fleetgauge.cluster.config.TenantLimits;
import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.ValueType;
import io.fleetgauge.promql.plan.Planned;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.plan.WideFold;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.LightWork;
import io.fleetgauge.promql.query.Provided;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.query.YieldToLightQueries;
import io.fleetgauge.query.fanout.EvaluatedParts;
import io.fleetgauge.query.fanout.Fanout;
import io.fleetgauge.query.fanout.Gathered;
import io.fleetgauge.query.fanout.ShardTime;
import io.fleetgauge.sample.Series;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.atomic.LongAdder;

/**
 * What is not known from before: its cost, a place for it, what the shards make of it, and what is
 * left to evaluate. Safe for all threads.
 */
final class Work {
  private static final long FEW_POINTS = 10_000;

  private final QueryConfig config;
  private final Admission admission;
  private final Fanout fanout;
  private final Costs costs;
  private final WorkerExecutor workers;
  private final WorkerExecutor heavyWorkers;
  private final LongAdder rollupCells = new LongAdder();
  private final LongAdder rewritten = new LongAdder();
  private final LongAdder fallbacks = new LongAdder();
  private final LightWork light = new LightWork();

  /**
   * @param workers where queries are evaluated
   * @param heavyWorkers where those are that others should not wait for
   */
  Work(
      QueryConfig config,
      Admission admission,
      Fanout fanout,
      WorkerExecutor workers,
      WorkerExecutor heavyWorkers) {
    this.config = config;
    this.admission = admission;
    this.fanout = fanout;
    this.costs = new Costs(fanout);
    this.workers = workers;
    this.heavyWorkers = heavyWorkers;
  }

  /** Kept folds that answers were made of. */
  long rollupCells() {
    return rollupCells.sum();
  }

  /** Queries of which gateways evaluated parts. */
  long rewritten() {
    return rewritten.sum();
  }

  /** Queries that were evaluated from samples because a gateway could not prove its part. */
  long fallbacks() {
    return fallbacks.sum();
  }

  /**
   * Pieces of a query that have been answered.
   *
   * @param placed when there was a place for them, as {@link System#nanoTime} counts
   * @param steps how many steps they have
   */
  record Done(
      List<Executed> executed, Cost cost, long placed, long steps, Map<String, String> reasons) {}

  /** One piece of a query, answered. */
  record Executed(
      Answer answer,
      List<String> holes,
      List<String> missing,
      int expected,
      long epoch,
      boolean hedged,
      long samples,
      long cells,
      List<ShardTime> shards,
      long evaluatedNanos,
      Map<String, String> reasons) {

    /** Whether it can be put together with others. */
    boolean isPlain() {
      return answer.result() instanceof Answer.Matrix matrix
          && matrix.series().stream().allMatch(series -> series.histograms() == null)
          && holes.isEmpty();
    }

    /** Whether it was read from those whose changes are told. */
    boolean isKeepable(long toldEpoch) {
      return holes.isEmpty() && !hedged && (epoch == toldEpoch || epoch < 0);
    }
  }

  /** Answers pieces of a query in their turn. */
  Future<Done> admitted(Trip trip, List<Planned> pieces) {
    if (pieces.isEmpty()) {
      return Future.succeededFuture(
          new Done(List.of(), Cost.NONE, System.nanoTime(), 0, trip.planned().reasons()));
    }
    Optional<QueryFailure> full = admission.full(trip.ask().tenant());
    if (full.isPresent()) {
      return Future.failedFuture(full.get());
    }
    return costs
        .of(pieces)
        .compose(
            cost -> {
              trip.entry().costs(cost);
              try {
                checkCost(trip, cost);
              } catch (QueryFailure e) {
                return Future.failedFuture(e);
              }
              trip.entry().is("waiting");
              return admission
                  .enter(
                      trip.ask().tenant(),
                      cost.work(),
                      cost.isHeavy(),
                      trip.deadline(),
                      trip.cancellation())
                  .compose(
                      slot -> {
                        trip.entry().is("running");
                        return work(trip, pieces, cost).onComplete(done -> slot.release());
                      });
            });
  }

  private void checkCost(Trip trip, Cost cost) throws QueryFailure {
    TenantLimits limits = trip.ask().limits();
    if (cost.series() > limits.series()) {
      throw trip.ask().over("series", cost.series(), limits.series());
    }
    boolean allRollups =
        trip.planned().selections().isEmpty()
            && trip.planned().cuts().stream().allMatch(Planned.Cut::rollups);
    if (cost.samples() > limits.samples() && !allRollups) {
      throw trip.ask().over("samples", cost.samples(), limits.samples());
    }
    if (cost.series() > config.wideSeries()
        && trip.ask().scope().isEmpty()
        && WideFold.isIn(trip.planned())) {
      throw new QueryFailure(
          QueryFailure.Kind.LIMITED,
          "the query of tenant "
              + trip.ask().tenant()
              + " puts the whole fleet together series by series: "
              + cost.series()
              + " of at most query.wideSeries "
              + config.wideSeries()
              + "; match fewer series, or ask for what is kept reduced: sum, avg, min, max or count"
              + " of a metric, its rate or its increase, by rack, tenant, job, modelName or"
              + " Hostname, at steps that are multiples of the rollups'");
    }
  }

  private Future<Done> work(Trip trip, List<Planned> pieces, Cost cost) {
    long placed = System.nanoTime();
    List<Future<Executed>> all = new ArrayList<>();
    long steps = 0;
    for (Planned piece : pieces) {
      all.add(run(trip, piece));
      steps += piece.query().isInstant() ? 1 : piece.query().grid().size();
    }
    long count = steps;
    return Future.all(all)
        .map(
            none -> {
              List<Executed> executed = all.stream().map(Future::result).toList();
              Map<String, String> reasons = new HashMap<>(trip.planned().reasons());
              executed.forEach(each -> reasons.putAll(each.reasons));
              return new Done(executed, cost, placed, count, reasons);
            });
  }

  private Future<Executed> run(Trip trip, Planned planned) {
    if (trip.entry().cost().isHeavy()) {
      return ran(trip, planned);
    }
    light.begin();
    return ran(trip, planned).onComplete(done -> light.end());
  }

  private Future<Executed> ran(Trip trip, Planned planned) {
    if (trip.stop().reason().isPresent()) {
      return Future.failedFuture(trip.stop().reason().get());
    }
    long millis = trip.millisLeft();
    boolean heavy = trip.entry().cost().isHeavy();
    Future<Gathered<EvaluatedParts>> parts =
        fanout.parts(planned, trip.ask().scope(), heavy, millis, trip.cancellation());
    Future<Gathered<List<List<Series>>>> samples =
        fanout.samples(
            planned.selections(),
            planned.query().settings().maxSamples(),
            heavy,
            millis,
            trip.cancellation());
    return Future.all(parts, samples)
        .compose(
            all -> {
              String unfit = parts.result().value().unfit();
              if (unfit.equals(QueryFailure.SAME_LABEL_SET) && isOnlyWaysToFail(planned)) {
                return Future.failedFuture(new QueryFailure(QueryFailure.Kind.EXECUTION, unfit));
              }
              if (!unfit.isEmpty()) {
                fallbacks.increment();
                return raw(trip, planned.query(), unfit);
              }
              if (isLittle(planned, parts.result().value())) {
                // Another thread would take longer to wake up.
                try {
                  return Future.succeededFuture(
                      evaluate(trip.ask(), planned, parts.result(), samples.result(), trip.stop()));
                } catch (QueryFailure e) {
                  return Future.failedFuture(e);
                }
              }
              // Only on a thread of its own, and only in the first half of the time that is left.
              long now = System.nanoTime();
              StopCheck stop =
                  heavy
                      ? new YieldToLightQueries(
                          trip.stop(), light, now + (trip.deadline() - now) / 2)
                      : trip.stop();
              return (heavy ? heavyWorkers : workers)
                  .executeBlocking(
                      () -> evaluate(trip.ask(), planned, parts.result(), samples.result(), stop),
                      false);
            });
  }

  /** Whether all samples would make the query fail in the same way as those of one shard do. */
  private static boolean isOnlyWaysToFail(Planned planned) {
    return planned.cuts().size() == 1
        && planned.selections().isEmpty()
        && !matchesVectors(planned.query().expr());
  }

  private static boolean matchesVectors(Expr expr) {
    return expr instanceof Expr.Binary binary
            && binary.left().type() == ValueType.VECTOR
            && binary.right().type() == ValueType.VECTOR
        || expr.children().stream().anyMatch(Work::matchesVectors);
  }

  private static boolean isLittle(Planned planned, EvaluatedParts parts) {
    long points = 0;
    for (Provided part : parts.parts()) {
      for (Column column : part.columns()) {
        points += column.values().length;
      }
    }
    return planned.selections().isEmpty() && points < FEW_POINTS;
  }

  /** The way that is always open: all samples, evaluated here. */
  private Future<Executed> raw(Trip trip, Query prepared, String unfit) {
    try {
      Planned planned = Planner.plan(prepared, List.of(), Planner.Mode.RAW);
      Map<String, String> reasons = new HashMap<>(planned.reasons());
      reasons.put(prepared.expr().toString(), "evaluated from all samples: " + unfit);
      return run(
          trip,
          new Planned(
              planned.query(), planned.plan(), planned.cuts(), planned.selections(), reasons));
    } catch (QueryFailure e) {
      return Future.failedFuture(e);
    }
  }

  private Executed evaluate(
      Ask ask,
      Planned planned,
      Gathered<EvaluatedParts> parts,
      Gathered<List<List<Series>>> samples,
      StopCheck stop)
      throws QueryFailure {
    long there = System.nanoTime();
    Map<Selection, List<Series>> fetched = new HashMap<>();
    for (int i = 0; i < planned.selections().size(); i++) {
      fetched.put(planned.selections().get(i), samples.value().get(i));
    }
    SeriesSource source =
        (selection, receiver) -> {
          List<Series> found =
              Objects.requireNonNull(
                  fetched.get(selection), () -> selection + " was not fetched beforehand");
          for (Series series : found) {
            receiver.accept(series);
          }
        };
    Map<Expr, Provided> provided = new IdentityHashMap<>();
    for (int i = 0; i < planned.cuts().size(); i++) {
      provided.put(planned.cuts().get(i).expr(), parts.value().parts().get(i));
    }
    if (!provided.isEmpty()) {
      rewritten.increment();
      rollupCells.add(parts.value().rollupCells());
    }
    Answer answer = Engine.run(planned.query(), source, provided, stop);
    // Names of hosts say who else is there.
    boolean named = ask.scope().isEmpty();
    List<String> holes = new ArrayList<>(parts.warnings(named));
    samples.warnings(named).stream().filter(each -> !holes.contains(each)).forEach(holes::add);
    TreeSet<String> missing = new TreeSet<>(parts.missing());
    missing.addAll(samples.missing());
    List<ShardTime> shards = new ArrayList<>(parts.times());
    shards.addAll(samples.times());
    Map<String, String> reasons = new HashMap<>(planned.reasons());
    reasons.putAll(parts.value().notes());
    return new Executed(
        answer,
        holes,
        List.copyOf(missing),
        Math.max(parts.hosts(), samples.hosts()),
        Math.max(parts.epoch(), samples.epoch()),
        parts.hedged() || samples.hedged(),
        answer.stats().samples() + parts.value().samples(),
        parts.value().rollupCells(),
        shards,
        System.nanoTime() - there,
        reasons);
  }
}
