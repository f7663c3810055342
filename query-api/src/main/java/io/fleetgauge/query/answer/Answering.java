package io.fleetgauge.query.answer;

import io.fleetgauge.promql.exec.Answer;
import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.exec.Provided;
import io.fleetgauge.promql.exec.Query;
import io.fleetgauge.promql.exec.QueryFailure;
import io.fleetgauge.promql.exec.Selection;
import io.fleetgauge.promql.exec.SeriesSource;
import io.fleetgauge.promql.exec.StopSign;
import io.fleetgauge.promql.plan.Planned;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.syntax.Expr;
import io.fleetgauge.promql.syntax.Matcher;
import io.fleetgauge.query.fanout.Cancellation;
import io.fleetgauge.query.fanout.EvaluatedParts;
import io.fleetgauge.query.fanout.Fanout;
import io.fleetgauge.query.fanout.Gathered;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Takes queries through admission, fan-out and evaluation. Safe for all threads. */
public final class Answering {
  private final Admission admission;
  private final Fanout fanout;
  private final WorkerExecutor workers;

  /**
   * @param workers where queries are evaluated
   */
  public Answering(Admission admission, Fanout fanout, WorkerExecutor workers) {
    this.admission = admission;
    this.fanout = fanout;
    this.workers = workers;
  }

  /**
   * @param scope matchers that every selector gets
   * @param timeoutMillis for everything, waiting included; over it, the query fails as timed out
   * @param left says whether the asker has gone
   */
  public Future<Answered> answer(
      Query query,
      List<Matcher> scope,
      Planner.Mode mode,
      long timeoutMillis,
      Cancellation cancellation) {
    Planned planned;
    try {
      planned = Planner.plan(query, scope, mode);
    } catch (QueryFailure e) {
      return Future.failedFuture(e);
    }
    long begin = System.nanoTime();
    long deadline = begin + timeoutMillis * 1_000_000;
    StopSign stop = stopSign(deadline, timeoutMillis, cancellation);
    Future<Answered> answer =
        admission
            .enter()
            .compose(
                slot ->
                    run(planned, scope, begin, deadline, stop, cancellation)
                        .onComplete(done -> slot.release()));
    return withTimeout(answer, timeoutMillis);
  }

  private static StopSign stopSign(long deadline, long timeoutMillis, Cancellation cancellation) {
    return () -> {
      if (cancellation.isCancelled()) {
        return Optional.of(
            new QueryFailure(
                QueryFailure.Kind.CANCELED, "query was canceled in expression evaluation"));
      }
      return System.nanoTime() < deadline ? Optional.empty() : Optional.of(late(timeoutMillis));
    };
  }

  private static QueryFailure late(long timeoutMillis) {
    return new QueryFailure(
        QueryFailure.Kind.TIMEOUT,
        "query timed out in expression evaluation after " + timeoutMillis + " ms");
  }

  private Future<Answered> run(
      Planned planned,
      List<Matcher> scope,
      long begin,
      long deadline,
      StopSign stop,
      Cancellation cancellation) {
    if (stop.reason().isPresent()) {
      return Future.failedFuture(stop.reason().get());
    }
    long placed = System.nanoTime();
    long millis = Math.max(1, (deadline - placed) / 1_000_000);
    Future<Gathered<EvaluatedParts>> parts = fanout.parts(planned, scope, millis, cancellation);
    Future<Gathered<List<List<Series>>>> samples =
        fanout.samples(
            planned.selections(), planned.query().settings().maxSamples(), millis, cancellation);
    return Future.all(parts, samples)
        .compose(
            all -> {
              if (!parts.result().value().unfit().isEmpty()) {
                return raw(planned.query(), begin, deadline, stop, cancellation);
              }
              return workers.executeBlocking(
                  () -> evaluate(planned, parts.result(), samples.result(), begin, placed, stop),
                  false);
            });
  }

  /** The way that is always open: all samples, evaluated here. */
  private Future<Answered> raw(
      Query prepared, long begin, long deadline, StopSign stop, Cancellation cancellation) {
    try {
      Planned planned = Planner.plan(prepared, List.of(), Planner.Mode.RAW);
      return run(planned, List.of(), begin, deadline, stop, cancellation);
    } catch (QueryFailure e) {
      return Future.failedFuture(e);
    }
  }

  private static Answered evaluate(
      Planned planned,
      Gathered<EvaluatedParts> parts,
      Gathered<List<List<Series>>> samples,
      long begin,
      long placed,
      StopSign stop)
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
    Answer answer = Engine.run(planned.query(), source, provided, stop);
    List<String> warnings = new ArrayList<>(parts.warnings());
    samples.warnings().stream().filter(each -> !warnings.contains(each)).forEach(warnings::add);
    warnings.addAll(answer.warnings());
    Answered.Timings timings =
        new Answered.Timings(placed - begin, there - placed, System.nanoTime() - there);
    Answer.Stats stats =
        new Answer.Stats(
            answer.stats().samples() + parts.value().samples(), answer.stats().peakSamples());
    return new Answered(answer.result(), warnings, answer.infos(), stats, timings);
  }

  private static Future<Answered> withTimeout(Future<Answered> answer, long timeoutMillis) {
    return answer
        .timeout(timeoutMillis, TimeUnit.MILLISECONDS)
        .recover(
            failure ->
                Future.failedFuture(
                    failure instanceof TimeoutException ? late(timeoutMillis) : failure));
  }
}
