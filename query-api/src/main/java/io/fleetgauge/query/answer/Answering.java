package io.fleetgauge.query.answer;

import io.fleetgauge.promql.exec.Answer;
import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.exec.Query;
import io.fleetgauge.promql.exec.QueryFailure;
import io.fleetgauge.promql.exec.Selection;
import io.fleetgauge.promql.exec.SeriesSource;
import io.fleetgauge.promql.exec.StopSign;
import io.fleetgauge.query.fanout.Fanout;
import io.fleetgauge.query.fanout.Gathered;
import io.fleetgauge.sample.Series;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

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
   * @param timeoutMillis for everything, waiting included; over it, the query fails as timed out
   * @param left says whether the asker has gone
   */
  public Future<Answered> answer(Query query, long timeoutMillis, BooleanSupplier left) {
    List<Selection> selections;
    try {
      selections = Engine.selections(query);
    } catch (QueryFailure e) {
      return Future.failedFuture(e);
    }
    long begin = System.nanoTime();
    long deadline = begin + timeoutMillis * 1_000_000;
    StopSign stop = stopSign(deadline, timeoutMillis, left);
    Future<Answered> answer =
        admission
            .enter()
            .compose(
                slot ->
                    run(query, selections, begin, deadline, stop)
                        .onComplete(done -> slot.release()));
    return withTimeout(answer, timeoutMillis);
  }

  private static StopSign stopSign(long deadline, long timeoutMillis, BooleanSupplier left) {
    return () -> {
      if (left.getAsBoolean()) {
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
      Query query, List<Selection> selections, long begin, long deadline, StopSign stop) {
    if (stop.reason().isPresent()) {
      return Future.failedFuture(stop.reason().get());
    }
    long placed = System.nanoTime();
    long millis = Math.max(1, (deadline - placed) / 1_000_000);
    return fanout
        .samples(selections, query.settings().maxSamples(), millis)
        .compose(
            gathered ->
                workers.executeBlocking(
                    () -> evaluate(query, selections, gathered, begin, placed, stop), false));
  }

  private static Answered evaluate(
      Query query,
      List<Selection> selections,
      Gathered<List<List<Series>>> gathered,
      long begin,
      long placed,
      StopSign stop)
      throws QueryFailure {
    long there = System.nanoTime();
    Map<Selection, List<Series>> fetched = new HashMap<>();
    for (int i = 0; i < selections.size(); i++) {
      fetched.put(selections.get(i), gathered.value().get(i));
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
    Answer answer = Engine.run(query, source, stop);
    List<String> warnings = new ArrayList<>(gathered.warnings());
    warnings.addAll(answer.warnings());
    Answered.Timings timings =
        new Answered.Timings(placed - begin, there - placed, System.nanoTime() - there);
    return new Answered(answer.result(), warnings, answer.infos(), answer.stats(), timings);
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
