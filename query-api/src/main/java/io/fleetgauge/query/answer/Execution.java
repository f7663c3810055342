package io.fleetgauge.query.answer;

import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.ValueType;
import io.fleetgauge.promql.fair.LightWork;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fair.YieldToLightQueries;
import io.fleetgauge.promql.plan.EvaluatedParts;
import io.fleetgauge.promql.plan.Planned;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.plan.WideFold;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.ProvidedPart;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.usage.series.UsageSelection;
import io.fleetgauge.query.admission.Cost;
import io.fleetgauge.query.admission.CostEstimates;
import io.fleetgauge.query.admission.Lanes;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.fleet.Changes;
import io.fleetgauge.query.fleet.PartsRead;
import io.fleetgauge.query.fleet.Stores;
import io.fleetgauge.query.fleet.UsageRead;
import io.fleetgauge.query.source.Coverage;
import io.fleetgauge.query.source.Gathered;
import io.fleetgauge.query.source.OtherStores;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.Numbers;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/**
 * Executes the pieces of a query that no cache has: finds out their cost, waits for a place, has
 * the shards execute their part and evaluates the rest. Thread-safe.
 */
final class Execution {
  /** So many points are evaluated faster than another thread wakes up. */
  private static final long FEW_POINTS = 10_000;

  private final QueryConfig config;
  private final Lanes lanes;
  private final Stores stores;
  private final CostEstimates costs;
  private final Querier.Workers workers;
  private final SampleReads reads;
  private final LongAdder rollupCells = new LongAdder();
  private final LongAdder rewritten = new LongAdder();
  private final LongAdder fallbacks = new LongAdder();
  private final LightWork light = new LightWork();

  Execution(
      QueryConfig config,
      Lanes lanes,
      Stores stores,
      CostEstimates costs,
      Querier.Workers workers,
      SampleReads reads) {
    this.config = config;
    this.lanes = lanes;
    this.stores = stores;
    this.costs = costs;
    this.workers = workers;
    this.reads = reads;
  }

  /**
   * The executed pieces of a query, in order.
   *
   * @param placed when there was a place for them, as {@link System#nanoTime} counts
   * @param reasons why parts were not executed by the shards or not taken from rollups
   */
  record Done(List<Executed> executed, Cost cost, long placed, Map<String, String> reasons) {}

  /**
   * One executed piece.
   *
   * @param coverage of everything that was read for it
   * @param changes those before anything was read for it, if they are known
   * @param samples number of samples that were read, here and by the shards
   * @param others true if stores besides the gateways were read, whose changes nobody reports
   */
  record Executed(
      Planned piece,
      Answer answer,
      Coverage coverage,
      Optional<Changes> changes,
      long samples,
      long rollupCells,
      long evaluatedNanos,
      boolean others,
      Map<String, String> reasons) {

    /** Returns true if it can be joined with other steps. */
    boolean isPlain() {
      return isMatrixOfNumbers() && coverage.isWhole();
    }

    /** Returns true if it can be joined with other steps that may lack something as well. */
    boolean isMatrixOfNumbers() {
      return answer.result() instanceof Answer.Matrix matrix
          && matrix.series().stream().allMatch(series -> series.histograms() == null);
    }

    /**
     * Returns true if it may be kept: it is whole, and was read from the shards whose changes are
     * reported.
     *
     * @param epoch of the table that the last report of changes came by
     */
    boolean isKeepable(long epoch) {
      return coverage.isWhole()
          && !others
          && !coverage.hedged()
          && (coverage.epoch() == epoch || coverage.epoch() < 0);
    }
  }

  /**
   * Executes the pieces of a query when it is its turn.
   *
   * @param pieces may be empty, when every step is known
   * @param since pieces that are executed in one read are to say what has changed since then
   */
  Future<Done> execute(
      RunningQuery query, Planned whole, List<Planned> pieces, Optional<Changes> since) {
    if (pieces.isEmpty()) {
      return Future.succeededFuture(
          new Done(List.of(), Cost.NONE, System.nanoTime(), whole.reasons()));
    }
    boolean mayPushDown =
        query.ask().options().mode() == Planner.Mode.AUTO && query.caller().scope().isEmpty();
    return placed(pieces, mayPushDown)
        .compose(
            placed ->
                query
                    .place(
                        lanes.of(query.ask().options().lane()),
                        () -> cost(query, whole, placed.stream().map(Piece::planned).toList()))
                    .compose(
                        slot ->
                            slot.during(() -> executed(query, placed, since, whole.reasons()))));
  }

  /**
   * A piece, and where its samples are.
   *
   * @param others true if some are, or may be, in stores besides the gateways
   * @param lacks stores of which it is not known whether they have any
   * @param pushDown has a store evaluate it
   */
  private record Piece(
      Planned planned,
      boolean others,
      List<Coverage.Lack> lacks,
      Optional<OtherStores.PushDown> pushDown) {
    private Piece(Planned planned, boolean others, List<Coverage.Lack> lacks) {
      this(planned, others, lacks, Optional.empty());
    }

    private Piece fromSamples() {
      return new Piece(planned, others, lacks);
    }
  }

  /** Plans pieces anew that gateways cannot evaluate, because other stores have samples of them. */
  private Future<List<Piece>> placed(List<Planned> pieces, boolean mayPushDown) {
    return stores
        .others()
        .view()
        .compose(
            view -> {
              List<Piece> all = new ArrayList<>();
              try {
                for (Planned piece : pieces) {
                  all.add(placed(piece, view, mayPushDown));
                }
              } catch (QueryFailure e) {
                return Future.failedFuture(e);
              }
              return Future.succeededFuture(all);
            });
  }

  private static Piece placed(Planned piece, OtherStores.View view, boolean mayPushDown)
      throws QueryFailure {
    OtherStores.Placed placed = view.place(piece.reads());
    if (placed.place() == OtherStores.Place.GATEWAYS) {
      return new Piece(piece, false, placed.lacks());
    }
    Optional<OtherStores.PushDown> pushDown =
        mayPushDown ? view.pushDown(piece.query(), piece.reads()) : Optional.empty();
    String reason =
        pushDown
            .map(each -> "evaluated by the source " + each.source())
            .orElse("evaluated from all samples: other sources have some of them");
    return new Piece(Planner.fromSamples(piece, reason), true, placed.lacks(), pushDown);
  }

  /** The cost of pieces; fails if it is over a limit. */
  private Future<Cost> cost(RunningQuery query, Planned whole, List<Planned> pieces) {
    List<Future<Cost>> all = new ArrayList<>();
    all.add(costs.of(pieces.stream().map(Execution::part).toList(), query.load()));
    pieces.stream()
        .flatMap(piece -> piece.usage().stream())
        .distinct()
        .forEach(usage -> all.add(usageCost(usage, query.load())));
    return Future.all(all)
        .map(none -> all.stream().map(Future::result).reduce(Cost.NONE, Cost::plus))
        .compose(
            cost -> {
              try {
                checkLimits(query.caller(), whole, cost);
                return Future.succeededFuture(cost);
              } catch (QueryFailure e) {
                return Future.failedFuture(e);
              }
            });
  }

  /** Usage that a piece reads has a cost of its own. */
  private static CostEstimates.Part part(Planned piece) {
    return new CostEstimates.Part(
        piece.reads().stream().filter(read -> !read.isOfUsage()).toList(), piece.needsNoSamples());
  }

  private Future<Cost> usageCost(UsageSelection usage, Load load) {
    UsageRead read = reads.usageOf(usage);
    return costs.ofUsage(
        options -> stores.fleet().usageExtent(read, options), usage.stored(), load);
  }

  private void checkLimits(Caller caller, Planned planned, Cost cost) throws QueryFailure {
    caller.checkSeries(cost.series());
    for (UsageSelection usage : planned.usage()) {
      caller.checkRange(usage.times().to() - usage.times().begin());
    }
    if (!planned.needsNoSamples()) {
      caller.checkSamples(cost.samples());
    }
    if (cost.series() > config.wideSeries() && caller.scope().isEmpty() && WideFold.isIn(planned)) {
      throw new QueryFailure(
          QueryFailure.Kind.EXECUTION,
          "the query of tenant "
              + caller.tenant()
              + " aggregates all hosts series by series: "
              + cost.series()
              + " of at most query.wideSeries "
              + config.wideSeries()
              + "; match fewer series, or use an aggregation that rollups serve: sum, avg, min,"
              + " max or count of a metric, its rate or its increase, by rack, tenant, job,"
              + " modelName or Hostname, at steps that are multiples of the rollups'");
    }
  }

  private Future<Done> executed(
      RunningQuery query,
      List<Piece> pieces,
      Optional<Changes> since,
      Map<String, String> reasons) {
    long placed = System.nanoTime();
    List<Future<Executed>> all = new ArrayList<>();
    for (Piece piece : pieces) {
      all.add(run(query, piece, since));
    }
    return Future.all(all)
        .map(
            none -> {
              List<Executed> executed = all.stream().map(Future::result).toList();
              Map<String, String> allReasons = new HashMap<>(reasons);
              executed.forEach(each -> allReasons.putAll(each.reasons));
              if (executed.size() > 1) {
                executed.stream().filter(Executed::others).forEach(each -> tell(each, allReasons));
              }
              return new Done(executed, query.cost(), placed, allReasons);
            });
  }

  /** Tells which steps were not read from gateways alone. */
  private static void tell(Executed executed, Map<String, String> reasons) {
    executed.reasons.forEach(
        (part, reason) ->
            reasons.put(
                part + " from " + Numbers.seconds(executed.piece.query().start()),
                executed.piece.steps() + " steps " + reason));
  }

  private Future<Executed> run(RunningQuery query, Piece piece, Optional<Changes> since) {
    if (query.cost().isHeavy()) {
      return read(query, piece, since);
    }
    light.begin();
    return read(query, piece, since).onComplete(done -> light.end());
  }

  /** Reads what a piece needs from the shards, and evaluates it. */
  private Future<Executed> read(RunningQuery query, Piece of, Optional<Changes> since) {
    Optional<QueryFailure> over = query.stop().reason();
    if (over.isPresent()) {
      return Future.failedFuture(over.get());
    }
    Planned piece = of.planned;
    ReadOptions options = query.readOptions();
    if (of.pushDown.isPresent()) {
      return pushedDown(query, of, of.pushDown.get(), options);
    }
    Future<Gathered<PartsRead>> parts =
        piece.cuts().isEmpty()
            ? Future.succeededFuture(new Gathered<>(PartsRead.NONE, Coverage.NONE))
            : stores.fleet().parts(piece, since, options);
    Future<Gathered<SampleReads.Found>> samples =
        piece.selections().isEmpty()
            ? Future.succeededFuture(new Gathered<>(SampleReads.Found.NONE, Coverage.NONE))
            : reads.samples(
                piece.selections(), piece.usage(), piece.query().settings().maxSamples(), options);
    return Future.all(parts, samples)
        .compose(
            all -> {
              Gathered<PartsRead> read =
                  new Gathered<>(
                      parts.result().value(), parts.result().coverage().lacking(of.lacks));
              return evaluated(query, of, read, samples.result());
            });
  }

  /** Has a store evaluate a piece. If that does not answer, the piece has no samples. */
  private Future<Executed> pushedDown(
      RunningQuery query, Piece of, OtherStores.PushDown pushDown, ReadOptions options) {
    long begin = System.nanoTime();
    return pushDown
        .run(options)
        .compose(
            result ->
                result.isEmpty()
                    ? read(query, of.fromSamples(), Optional.empty())
                    : Future.succeededFuture(executed(of, result.get(), begin)),
            failure ->
                failure instanceof QueryFailure known
                        && known.kind() == QueryFailure.Kind.UNAVAILABLE
                    ? evaluated(
                        query,
                        of,
                        new Gathered<>(PartsRead.NONE, Coverage.NONE.lacking(of.lacks)),
                        nothing(of.planned, pushDown.source(), known.getMessage()))
                    : Future.failedFuture(failure));
  }

  private static Executed executed(Piece of, Gathered<Answer.Result> result, long begin) {
    long points =
        switch (result.value()) {
          case Answer.Matrix matrix -> matrix.series().stream().mapToLong(Series::size).sum();
          case Answer.Vector vector -> vector.samples().size();
          case Answer.Scalar _, Answer.Text _ -> 1;
        };
    return new Executed(
        of.planned,
        new Answer(result.value(), List.of(), List.of(), new Answer.Stats(points, points)),
        result.coverage().lacking(of.lacks),
        Optional.empty(),
        points,
        0,
        System.nanoTime() - begin,
        true,
        of.planned.reasons());
  }

  private static Gathered<SampleReads.Found> nothing(Planned of, String source, String reason) {
    List<List<Series>> none = of.selections().stream().map(each -> List.<Series>of()).toList();
    return new Gathered<>(
        new SampleReads.Found(none, List.of()),
        Coverage.NONE.lacking(List.of(new Coverage.Lack(source, reason))));
  }

  private Future<Executed> evaluated(
      RunningQuery query,
      Piece of,
      Gathered<PartsRead> parts,
      Gathered<SampleReads.Found> samples) {
    Planned piece = of.planned;
    String unfit = parts.value().parts().unfit();
    if (unfit.equals(QueryFailure.SAME_LABEL_SET) && failsOnlyThisWay(piece)) {
      return Future.failedFuture(new QueryFailure(QueryFailure.Kind.EXECUTION, unfit));
    }
    if (!unfit.isEmpty()) {
      fallbacks.increment();
      return fromSamples(query, of, unfit);
    }
    if (isLittle(piece, parts.value().parts())) {
      // Another thread would take longer to wake up.
      try {
        return Future.succeededFuture(evaluate(of, parts, samples, query.stop()));
      } catch (QueryFailure e) {
        return Future.failedFuture(e);
      }
    }
    if (!query.cost().isHeavy()) {
      return workers
          .light()
          .executeBlocking(() -> evaluate(of, parts, samples, query.stop()), false);
    }
    // It yields only in the first half of the time that is left.
    long now = System.nanoTime();
    StopCheck stop =
        new YieldToLightQueries(query.stop(), light, now + (query.deadline() - now) / 2);
    return workers.heavy().executeBlocking(() -> evaluate(of, parts, samples, stop), false);
  }

  /**
   * Returns true if evaluation from all samples would fail in the same way as one shard's part did.
   */
  private static boolean failsOnlyThisWay(Planned planned) {
    return planned.cuts().size() == 1
        && planned.selections().isEmpty()
        && !matchesVectors(planned.query().expr());
  }

  private static boolean matchesVectors(Expr expr) {
    return expr instanceof Expr.Binary binary
            && binary.left().type() == ValueType.VECTOR
            && binary.right().type() == ValueType.VECTOR
        || expr.children().stream().anyMatch(Execution::matchesVectors);
  }

  private static boolean isLittle(Planned planned, EvaluatedParts parts) {
    long points = 0;
    for (ProvidedPart part : parts.parts()) {
      for (Column column : part.columns()) {
        points += column.values().length;
      }
    }
    return planned.selections().isEmpty() && points < FEW_POINTS;
  }

  /** The plan that always works: fetch all samples and evaluate here. */
  private Future<Executed> fromSamples(RunningQuery query, Piece piece, String unfit) {
    try {
      String reason = "evaluated from all samples: " + unfit;
      if (piece.planned.needsNoSamples()) {
        query.costs(query.cost().withoutRollups());
      }
      Planned samples = Planner.fromSamples(piece.planned, reason);
      return run(query, new Piece(samples, piece.others, piece.lacks), Optional.empty());
    } catch (QueryFailure e) {
      return Future.failedFuture(e);
    }
  }

  private Executed evaluate(
      Piece of, Gathered<PartsRead> parts, Gathered<SampleReads.Found> samples, StopCheck stop)
      throws QueryFailure {
    Planned piece = of.planned;
    long begin = System.nanoTime();
    EvaluatedParts evaluated = parts.value().parts();
    Map<Selection, List<Series>> fetched = new HashMap<>();
    for (int i = 0; i < piece.selections().size(); i++) {
      fetched.put(piece.selections().get(i), samples.value().series().get(i));
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
    Map<Expr, ProvidedPart> provided = new IdentityHashMap<>();
    for (int i = 0; i < piece.cuts().size(); i++) {
      provided.put(piece.cuts().get(i).expr(), evaluated.parts().get(i));
    }
    if (!provided.isEmpty()) {
      rewritten.increment();
      rollupCells.add(evaluated.rollupCells());
    }
    Coverage coverage = parts.coverage().and(samples.coverage());
    Answer answer =
        noted(run(piece, source, provided, stop, coverage.warnings()), samples.value().notes());
    Map<String, String> reasons = new HashMap<>(piece.reasons());
    reasons.putAll(evaluated.notes());
    return new Executed(
        piece,
        answer,
        coverage,
        parts.value().changes(),
        answer.stats().samples() + evaluated.samples(),
        evaluated.rollupCells(),
        System.nanoTime() - begin,
        of.others,
        reasons);
  }

  /** Evaluates; a failure may come from what is missing, and then says so. */
  private static Answer run(
      Planned piece,
      SeriesSource source,
      Map<Expr, ProvidedPart> provided,
      StopCheck stop,
      List<String> missing)
      throws QueryFailure {
    try {
      return Engine.run(piece.query(), source, provided, stop);
    } catch (QueryFailure e) {
      if (missing.isEmpty() || e.kind() != QueryFailure.Kind.EXECUTION) {
        throw e;
      }
      throw new QueryFailure(e.kind(), e.getMessage() + "; " + String.join("; ", missing));
    }
  }

  private static Answer noted(Answer answer, List<String> notes) {
    if (notes.isEmpty()) {
      return answer;
    }
    List<String> warnings = new ArrayList<>(answer.warnings());
    warnings.addAll(notes);
    return new Answer(answer.result(), warnings, answer.infos(), answer.stats());
  }

  /** Declares what is counted here. */
  void declare(Meters meters) {
    meters.counter("rewritten", "Queries of which gateways executed parts.", rewritten::sum);
    meters.counter(
        "fallbacks",
        "Queries evaluated from samples because a gateway could not guarantee an exact part.",
        fallbacks::sum);
    meters.counter(
        "rollup_cells", "Cells of rollups that results were computed from.", rollupCells::sum);
  }
}
