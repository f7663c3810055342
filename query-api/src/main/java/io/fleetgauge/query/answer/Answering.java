package io.fleetgauge.query.answer;

import io.fleetgauge.promql.exec.Answer;
import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.exec.Query;
import io.fleetgauge.promql.exec.QueryFailure;
import io.fleetgauge.promql.exec.Selection;
import io.fleetgauge.query.fanout.Fanout;
import io.fleetgauge.query.fanout.Gathered;
import io.fleetgauge.sample.Series;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** Takes queries through admission, fan-out and evaluation. Safe for all threads. */
public final class Answering {
  private final Vertx vertx;
  private final Admission admission;
  private final Fanout fanout;
  private final WorkerExecutor workers;

  /**
   * @param workers where queries are evaluated
   */
  public Answering(Vertx vertx, Admission admission, Fanout fanout, WorkerExecutor workers) {
    this.vertx = vertx;
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
    long deadline = System.nanoTime() + timeoutMillis * 1_000_000;
    AtomicBoolean over = new AtomicBoolean();
    BooleanSupplier stop = () -> over.get() || left.getAsBoolean();
    Future<Answered> answer =
        admission
            .enter()
            .compose(
                slot -> run(query, selections, deadline, stop).onComplete(done -> slot.release()));
    return withTimeout(answer, timeoutMillis, over);
  }

  private Future<Answered> run(
      Query query, List<Selection> selections, long deadline, BooleanSupplier stop) {
    if (stop.getAsBoolean()) {
      return Future.failedFuture(
          new QueryFailure(QueryFailure.Kind.CANCELED, "query was canceled while it waited"));
    }
    long millis = Math.max(1, (deadline - System.nanoTime()) / 1_000_000);
    return fanout
        .samples(selections, query.maxSamples(), millis)
        .compose(
            gathered ->
                workers.executeBlocking(() -> evaluate(query, selections, gathered, stop), false));
  }

  private static Answered evaluate(
      Query query,
      List<Selection> selections,
      Gathered<List<List<Series>>> gathered,
      BooleanSupplier stop)
      throws QueryFailure {
    Map<Selection, List<Series>> fetched = new HashMap<>();
    for (int i = 0; i < selections.size(); i++) {
      fetched.put(selections.get(i), gathered.value().get(i));
    }
    Answer answer = Engine.run(query, fetched::get, stop);
    List<String> warnings = new ArrayList<>(gathered.warnings());
    warnings.addAll(answer.warnings());
    return new Answered(answer.result(), warnings, answer.infos());
  }

  private Future<Answered> withTimeout(
      Future<Answered> answer, long timeoutMillis, AtomicBoolean over) {
    long timer = vertx.setTimer(timeoutMillis, id -> over.set(true));
    return answer
        .timeout(timeoutMillis, java.util.concurrent.TimeUnit.MILLISECONDS)
        .recover(
            failure ->
                Future.failedFuture(
                    failure instanceof java.util.concurrent.TimeoutException
                        ? new QueryFailure(
                            QueryFailure.Kind.TIMEOUT,
                            "query timed out in expression evaluation after "
                                + timeoutMillis
                                + " ms")
                        : failure))
        .onComplete(done -> vertx.cancelTimer(timer));
  }
}
