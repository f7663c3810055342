package io.fleetgauge.query.answer;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.admission.Admission;
import io.fleetgauge.query.admission.CostEstimates;
import io.fleetgauge.query.admission.Lanes;
import io.fleetgauge.query.cache.ChangeFeed;
import io.fleetgauge.query.cache.Versions;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.fleet.ClusterState;
import io.fleetgauge.query.fleet.Fleet;
import io.fleetgauge.query.fleet.Stores;
import io.fleetgauge.query.slow.SlowQueries;
import io.fleetgauge.query.source.Cancellation;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.trace.Span;
import io.fleetgauge.runtime.trace.Tracer;
import io.fleetgauge.sample.vocabulary.AliasTable;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * The only way to data: answers every kind of {@link Request}, whatever protocol it came by, within
 * the caller's scope, limits and time. Thread-safe.
 */
public final class Querier {
  private final Fleet fleet;
  private final ChangeFeed feed;
  private final Execution execution;
  private final Evaluations evaluations;
  private final Lookups lookups;
  private final QueryLog log;
  private final CostEstimates costs;
  private final QueryPlans plans;
  private final Tracer tracer;
  private final RunningQueries running = new RunningQueries();

  /**
   * Where queries are evaluated.
   *
   * @param light for queries that are soon evaluated
   * @param heavy for those that light ones must not wait behind
   */
  public record Workers(WorkerExecutor light, WorkerExecutor heavy) {}

  /**
   * @param aliases other names by which stored series can be asked for
   * @param tracer begins a trace for each request
   * @param clock ms since the epoch
   */
  public Querier(
      QueryConfig config,
      Stores stores,
      Admission admission,
      Workers workers,
      AliasTable aliases,
      Tracer tracer,
      LongSupplier clock) {
    this(
        config,
        stores,
        new Lanes(admission, admission, admission),
        workers,
        aliases,
        tracer,
        clock);
  }

  /** As above, with places for rules and for faults. */
  public Querier(
      QueryConfig config,
      Stores stores,
      Lanes lanes,
      Workers workers,
      AliasTable aliases,
      Tracer tracer,
      LongSupplier clock) {
    this.tracer = tracer;
    Versions versions = new Versions();
    this.fleet = stores.fleet();
    this.costs = new CostEstimates(stores.source(), stores.fleet()::hostCount);
    this.feed = new ChangeFeed(fleet::changes, fleet::epoch, versions);
    SampleReads reads = new SampleReads(stores, workers.light(), clock);
    this.execution = new Execution(config, lanes, stores, costs, workers, reads);
    VisibleHosts visible = new VisibleHosts(fleet, System::nanoTime);
    this.plans = new QueryPlans(Feature.named(config.features()), aliases);
    this.evaluations =
        new Evaluations(
            plans,
            new AnswerCaches(feed, versions, config.cacheBytes()),
            feed,
            execution,
            stores,
            visible,
            running);
    this.lookups =
        new Lookups(config, lanes, stores, reads, costs, visible, feed::watermark, aliases);
    this.log = new QueryLog(config);
  }

  /**
   * Answers a request; fails with a {@link QueryFailure} that names the limit, the figures and the
   * tenant.
   *
   * @param trace the caller's value of {@link Span#HEADER}; empty when it has none
   * @param callerLeft ends the work when it completes
   */
  public <T> Future<Reply<T>> answer(Ask<T> ask, String trace, Future<?> callerLeft) {
    Cancellation cancellation = new Cancellation();
    callerLeft.onComplete(left -> cancellation.cancel());
    return answer(ask, tracer.serve(name(ask), trace), cancellation);
  }

  private static String name(Ask<?> ask) {
    return switch (ask.request()) {
      case Request.Promql promql -> promql.isInstant() ? "instant query" : "range query";
      case Request.Usage _ -> "report";
      case Request<?> lookup -> lookup.getClass().getSimpleName();
    };
  }

  @SuppressWarnings("unchecked") // PromQL is a request for an evaluated answer, and so T is that
  <T> Future<Reply<T>> answer(Ask<T> ask, Span span, Cancellation cancellation) {
    long begin = System.nanoTime();
    Future<Reply<T>> answer =
        inTime(
            ask,
            cancellation,
            ask.request() instanceof Request.Promql promql
                ? (Future<Reply<T>>)
                    (Future<?>) evaluations.answer((Ask<Evaluated>) ask, promql, span, cancellation)
                : lookedUp(ask, span, cancellation));
    return (ask.options().strict() ? answer.compose(Querier::whole) : answer)
        .onComplete(
            done -> {
              log.ended(ask, (System.nanoTime() - begin) / 1_000_000, done.result(), done.cause());
              end(span, ask, done);
            });
  }

  /** An answer, or a failure when its time is over. */
  private static <T> Future<T> inTime(Ask<?> ask, Cancellation cancellation, Future<T> answer) {
    if (answer.isComplete()) {
      return answer;
    }
    return answer
        .timeout(ask.options().timeoutMillis(), TimeUnit.MILLISECONDS)
        .recover(
            failure -> {
              if (failure instanceof TimeoutException) {
                cancellation.cancel();
                return Future.failedFuture(ask.timedOut());
              }
              return Future.failedFuture(failure);
            });
  }

  private static <T> void end(Span span, Ask<T> ask, AsyncResult<Reply<T>> done) {
    if (span.isRecorded()) {
      span.with("fleetgauge.tenant", ask.caller().tenant())
          .with("db.query.text", ask.request().description());
      if (done.failed()) {
        span.failed(String.valueOf(done.cause().getMessage()));
      } else if (done.result().value() instanceof Evaluated evaluated) {
        QueryTrace trace = evaluated.trace();
        span.with("fleetgauge.samples", trace.samples())
            .with("fleetgauge.rollup_cells", trace.rollupCells())
            .with("fleetgauge.steps", trace.steps())
            .with("fleetgauge.cached_steps", trace.cachedSteps());
      }
      if (done.succeeded() && !done.result().completeness().isWhole()) {
        span.with("fleetgauge.warnings", String.join("; ", done.result().warnings()));
      }
    }
    span.end();
  }

  private static <T> Future<Reply<T>> whole(Reply<T> reply) {
    return reply.completeness().isWhole()
        ? Future.succeededFuture(reply)
        : Future.failedFuture(
            new QueryFailure(
                QueryFailure.Kind.UNAVAILABLE,
                String.join("; ", reply.completeness().warnings())
                    + "; a complete result was requested (strict)"));
  }

  private <T> Future<Reply<T>> lookedUp(Ask<T> ask, Span span, Cancellation cancellation) {
    RunningQuery query = running.begin(ask, span, cancellation);
    return lookups.execute(query, ask.request()).onComplete(done -> running.end(query));
  }

  /**
   * Parses a query with the features that are on.
   *
   * @throws QueryFailure with Prometheus's message for its parameter {@code query}
   */
  public Expr parsed(String text) throws QueryFailure {
    return plans.parsed(text, 0, 0);
  }

  /**
   * The time up to which all hosts have sent what they have, as the gateways say now, ms; {@link
   * Long#MIN_VALUE} when it is not known. Hosts that are silent do not count.
   */
  public Future<Long> watermark() {
    return feed.refresh().map(stamp -> feed.watermark());
  }

  /** The requests that are being answered. */
  public RunningQueries running() {
    return running;
  }

  /** The PromQL queries that ended, by what they cost. */
  public SlowQueries slow() {
    return log.slow();
  }

  /** The cluster as it is seen from here. */
  public ClusterState cluster() {
    return fleet.cluster();
  }

  /** Declares what is counted here and in the caches. */
  public void declare(Meters meters) {
    meters.counter("queries", "PromQL queries that ended.", log::queries);
    meters.counter(
        "query_seconds", "Time of all PromQL queries, waiting included.", log::querySeconds);
    meters.counter(
        "lookups", "Requests for labels, series, samples or metadata that ended.", log::lookups);
    meters.counter("lookup_seconds", "Time of all lookups, waiting included.", log::lookupSeconds);
    execution.declare(meters);
    evaluations.declare(meters);
    meters.counter(
        "kinds_forgotten",
        "Kinds of queries evicted from the list of slow queries by costlier ones.",
        log.slow()::forgotten);
    costs.declare(meters);
    meters.counter(
        "change_rounds",
        "Rounds of requests to gateways for changes, which validate cached results.",
        feed::rounds);
  }
}
