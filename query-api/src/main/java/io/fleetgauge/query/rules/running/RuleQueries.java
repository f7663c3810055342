package io.fleetgauge.query.rules.running;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.admission.QueryLane;
import io.fleetgauge.query.answer.Ask;
import io.fleetgauge.query.answer.Caller;
import io.fleetgauge.query.answer.Completeness;
import io.fleetgauge.query.answer.Evaluated;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.answer.Reply;
import io.fleetgauge.query.answer.Request;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queries of one evaluation of a group.
 *
 * @param patience until when failures that pass and missing hosts are a reason to try again, ms
 *     since the epoch
 * @param lookback of instant selectors, ms
 * @param timeout of each query, ms
 * @param hasGateways true if there is anybody to ask: while there is not, no evaluation ends
 * @param isAlone true if all other query APIs are out of sight: if all hosts are, too, this process
 *     is probably cut off, and others go on
 */
record RuleQueries(
    Querier querier,
    Caller caller,
    long patience,
    long lookback,
    long timeout,
    LongSupplier clock,
    BooleanSupplier hasGateways,
    BooleanSupplier isAlone)
    implements GroupEvaluation.Queries {
  private static final Logger LOG = LoggerFactory.getLogger(RuleQueries.class);

  /** Failures that have nothing to do with the query. */
  private static final Set<QueryFailure.Kind> PASSING =
      EnumSet.of(
          QueryFailure.Kind.TIMEOUT,
          QueryFailure.Kind.UNAVAILABLE,
          QueryFailure.Kind.LIMITED,
          QueryFailure.Kind.CANCELED);

  private static final String UNKNOWN_HOSTS = "(unknown hosts)";

  @Override
  public CompletionStage<GroupEvaluation.QueryAnswer> instant(Expr expression, long time) {
    Request.Promql promql =
        new Request.Promql(expression.toString(), Optional.of(expression), time, time, 0, lookback);
    Ask.Options options =
        new Ask.Options(Planner.Mode.AUTO, false, false, timeout, QueryLane.RULES);
    Future<Reply<Evaluated>> answer;
    try {
      answer = querier.answer(new Ask<>(caller, promql, options), "", Promise.promise().future());
    } catch (RuntimeException e) {
      answer = Future.failedFuture(e);
    }
    return answer.compose(this::seen, this::failed).toCompletionStage();
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  private Future<GroupEvaluation.QueryAnswer> seen(Reply<Evaluated> reply) {
    Completeness completeness = reply.completeness();
    if (completeness.isWhole()) {
      return Future.succeededFuture(
          new GroupEvaluation.QueryAnswer(reply.value().result(), List.of()));
    }
    List<String> missing =
        completeness.missing().isEmpty() ? List.of(UNKNOWN_HOSTS) : completeness.missing();
    if (mayPass() || completeness.answered() == 0 && isAlone.getAsBoolean()) {
      return Future.failedFuture(new RetryLater("hosts are missing: " + missing));
    }
    return Future.succeededFuture(new GroupEvaluation.QueryAnswer(reply.value().result(), missing));
  }

  private Future<GroupEvaluation.QueryAnswer> failed(Throwable failure) {
    if (!(failure instanceof QueryFailure)) {
      LOG.warn("a query of a rule failed", failure);
    }
    return Future.failedFuture(told(failure, mayPass()));
  }

  /**
   * The exception that an evaluation gets for a failure: to try again later, or an error of the
   * rule. A defect is treated like a failure that passes: without an end of the attempts it would
   * stop the group.
   */
  static Exception told(Throwable failure, boolean mayPass) {
    boolean isKnown = failure instanceof QueryFailure;
    QueryFailure query =
        isKnown
            ? (QueryFailure) failure
            : new QueryFailure(QueryFailure.Kind.INTERNAL, failure.toString());
    boolean passes = !isKnown || PASSING.contains(query.kind());
    return passes && mayPass ? new RetryLater(query.getMessage()) : query;
  }

  private boolean mayPass() {
    return !hasGateways.getAsBoolean() || clock.getAsLong() < patience;
  }
}
