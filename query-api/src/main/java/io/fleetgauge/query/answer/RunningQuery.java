package io.fleetgauge.query.answer;

import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.query.admission.Admission;
import io.fleetgauge.query.admission.Cost;
import io.fleetgauge.query.admission.QueryLane;
import io.fleetgauge.query.source.Cancellation;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.runtime.trace.Span;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.function.Supplier;

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

  /**
   * Waits for a place, if there can be one at all.
   *
   * @param costing finds out the cost; fails if that is over a limit
   */
  Future<Admission.Slot> place(Admission admission, Supplier<Future<Cost>> costing) {
    Optional<QueryFailure> full = admission.full(tenant());
    if (full.isPresent()) {
      return Future.failedFuture(full.get());
    }
    return costing
        .get()
        .compose(
            found -> {
              cost = found;
              state = State.WAITING;
              Span wait = span.child("query queue");
              return admission
                  .enter(tenant(), found, deadline, cancellation)
                  .onComplete(entered -> wait.end())
                  .onSuccess(slot -> state = State.RUNNING);
            });
  }

  void costs(Cost newCost) {
    cost = newCost;
  }

  Ask<?> ask() {
    return ask;
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
    return System.nanoTime() < deadline ? Optional.empty() : Optional.of(ask.timedOut());
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
