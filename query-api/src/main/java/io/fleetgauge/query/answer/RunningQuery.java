package io.fleetgauge.query.answer;

import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.query.admission.Admission;
import io.fleetgauge.query.admission.Cost;
import io.fleetgauge.query.admission.QueryLane;
import io.fleetgauge.query.source.Cancellation;
import io.fleetgauge.query.source.Coverage;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.runtime.trace.Span;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A request that is being answered. Thread-safe. */
public final class RunningQuery {
  /** States, in order. */
  public enum State {
    PLANNING("planning"),
    WAITING("waiting"),
    RUNNING("running");

    public final String text;

    State(String text) {
      this.text = text;
    }
  }

  private final long id;
  private final Ask<?> ask;
  private final Span span;
  private final long begun = System.nanoTime();
  private final long deadline;
  private final Cancellation cancellation;
  private final StopCheck stop = this::stopReason;
  private volatile Cost cost = Cost.NONE;
  private volatile State state = State.PLANNING;
  private volatile Future<Optional<VisibleHosts.Seen>> seen =
      Future.succeededFuture(Optional.empty());

  /**
   * @param span of the request that began it
   */
  RunningQuery(long id, Ask<?> ask, Span span, Cancellation cancellation) {
    this.id = id;
    this.ask = ask;
    this.span = span;
    this.deadline = begun + ask.options().timeoutMillis() * 1_000_000;
    this.cancellation = cancellation;
  }

  /** Unique in the cluster. */
  public long id() {
    return id;
  }

  public String tenant() {
    return ask.caller().tenant();
  }

  /** The query's text, or what else is asked. */
  public String text() {
    return ask.request().description();
  }

  /** When it began, as {@link System#nanoTime} counts. */
  public long begun() {
    return begun;
  }

  /** Expected reads; {@link Cost#NONE} until they are known. */
  public Cost cost() {
    return cost;
  }

  public State state() {
    return state;
  }

  /** Ends it for every caller that waits for it. */
  public void cancel() {
    cancellation.cancel();
  }

  /** Waits for a place. */
  Future<Admission.Slot> place(Admission admission) {
    state = State.WAITING;
    Span wait = span.child("query queue");
    return admission
        .enter(tenant(), cost, deadline, cancellation)
        .onComplete(entered -> wait.end())
        .onSuccess(slot -> state = State.RUNNING);
  }

  void costs(Cost newCost) {
    cost = newCost;
  }

  /** Begins to find out which hosts the caller sees, if that is not all. */
  void look(VisibleHosts visible) {
    if (!caller().seesAllHosts()) {
      seen = visible.of(caller(), load());
    }
  }

  /** Which of the hosts that the caller sees an answer covers. Never fails. */
  Future<Completeness> completeness(Coverage coverage, long watermark) {
    return caller().seesAllHosts()
        ? Future.succeededFuture(Completeness.of(coverage, watermark))
        : seen.map(hosts -> Completeness.within(hosts.map(this::meant), coverage));
  }

  /** A scrape of some hosts covers these only. */
  private VisibleHosts.Seen meant(VisibleHosts.Seen all) {
    return ask.request() instanceof Request.Newest newest ? all.among(newest.hosts()) : all;
  }

  Ask<?> ask() {
    return ask;
  }

  /** Span of the request that began it. */
  Span span() {
    return span;
  }

  Caller caller() {
    return ask.caller();
  }

  Cancellation cancellation() {
    return cancellation;
  }

  /** When it has to be finished, as {@link System#nanoTime} counts. */
  long deadline() {
    return deadline;
  }

  /** Tells when evaluation has to end: it was cancelled or its time is over. */
  StopCheck stop() {
    return stop;
  }

  private Optional<QueryFailure> stopReason() {
    if (cancellation.isCancelled()) {
      return Optional.of(
          new QueryFailure(
              QueryFailure.Kind.CANCELED, "query was canceled in expression evaluation"));
    }
    return System.nanoTime() < deadline ? Optional.empty() : Optional.of(timedOut(ask));
  }

  /** An answer, or a failure when its time is over. */
  static <T> Future<T> inTime(Ask<?> ask, Cancellation cancellation, Future<T> answer) {
    if (answer.isComplete()) {
      return answer;
    }
    return answer
        .timeout(ask.options().timeoutMillis(), TimeUnit.MILLISECONDS)
        .recover(
            failure -> {
              if (failure instanceof TimeoutException) {
                cancellation.cancel();
                return Future.failedFuture(timedOut(ask));
              }
              return Future.failedFuture(failure);
            });
  }

  private static QueryFailure timedOut(Ask<?> ask) {
    return new QueryFailure(
        QueryFailure.Kind.TIMEOUT,
        "query timed out in expression evaluation after " + ask.options().timeoutMillis() + " ms");
  }

  /** Load of the query: its tenant and its work. */
  Load load() {
    return new Load(tenant(), caller().limits().weight(), cost.work());
  }

  /** Options for reads of shards: they end in the time that is left. */
  ReadOptions readOptions() {
    long millis = Math.max(1, (deadline - System.nanoTime()) / 1_000_000);
    return new ReadOptions(load(), millis, cancellation)
        .within(span)
        .together(ask.options().lane() == QueryLane.RULES);
  }
}
