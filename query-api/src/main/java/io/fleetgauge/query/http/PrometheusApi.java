package io.fleetgauge.query.http;

import io.fleetgauge.cluster.config.QueryConfig;
import io.fleetgauge.cluster.process.Guard;
import io.fleetgauge.promql.exec.Answer;
import io.fleetgauge.promql.exec.Query;
import io.fleetgauge.promql.exec.QueryFailure;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.syntax.Expr;
import io.fleetgauge.promql.syntax.Feature;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.promql.syntax.PrettyPrinter;
import io.fleetgauge.query.answer.Answered;
import io.fleetgauge.query.answer.Answering;
import io.fleetgauge.query.answer.Ask;
import io.fleetgauge.query.answer.Completeness;
import io.fleetgauge.query.answer.Running;
import io.fleetgauge.query.fanout.Cancellation;
import io.fleetgauge.query.fanout.Fanout;
import io.fleetgauge.sample.Series;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The routes under {@code /api/v1}; those that evaluate queries are here. */
public final class PrometheusApi {
  private static final Logger LOG = LoggerFactory.getLogger(PrometheusApi.class);

  /** As Prometheus has it: a range has at most this many steps. */
  private static final long MAX_INTERVALS = 11_000;

  private static final String COMPLETENESS = "X-Fleetgauge-Completeness";
  private static final int MOST_NAMES = 10;

  /** So many are written sooner than another thread wakes up. */
  private static final int FEW_POINTS = 4_000;

  static final String TRUNCATED = "results truncated due to limit";

  private final QueryConfig config;
  private final Answering answering;
  private final QueryCounts counts;
  private final LongSupplier clock;
  private final Set<Feature> features;

  private PrometheusApi(
      QueryConfig config, Answering answering, QueryCounts counts, LongSupplier clock) {
    this.config = config;
    this.answering = answering;
    this.counts = counts;
    this.clock = clock;
    this.features = Feature.named(config.features());
  }

  /**
   * @param guard lets those in who may read
   * @param workers where answers are written
   * @param clock ms since the epoch
   */
  public static void mount(
      Router router,
      Guard guard,
      QueryConfig config,
      Answering answering,
      Fanout fanout,
      WorkerExecutor workers,
      QueryCounts counts,
      LongSupplier clock) {
    PrometheusApi api = new PrometheusApi(config, answering, counts, clock);
    ApiRoutes routes = new ApiRoutes(router, guard, workers, counts);
    routes.getOrPost("/api/v1/query", api::instant);
    routes.getOrPost("/api/v1/query_range", api::range);
    routes.getOrPost("/api/v1/format_query", api::format);
    routes.getOrPost("/api/v1/parse_query", api::parse);
    routes.getOrPost("/api/v1/explain", api::explain);
    routes.get("/api/v1/status/queries", api::queries);
    routes.post("/api/v1/status/queries/:id/cancel", api::cancel);
    new DiscoveryApi(config, fanout, clock).mount(routes);
    new StatusApi(config, fanout, clock).mount(routes);
    new FederateApi(config, fanout, clock).mount(routes);
    new RemoteReadApi(config, fanout).mount(routes);
  }

  private static boolean isLittle(Answer.Result result) {
    return switch (result) {
      case Answer.Matrix matrix -> {
        int points = 0;
        for (Series series : matrix.series()) {
          points += series.size();
        }
        yield points < FEW_POINTS;
      }
      case Answer.Vector vector -> vector.samples().size() < FEW_POINTS / 10;
      default -> true;
    };
  }

  // --- queries ---

  private Future<Supplier<Buffer>> instant(RoutingContext http, Parameters parameters)
      throws QueryFailure {
    long time = parameters.time("time", clock.getAsLong());
    return answer(http, parameters, time, time, 0);
  }

  private Future<Supplier<Buffer>> range(RoutingContext http, Parameters parameters)
      throws QueryFailure {
    long start = parameters.requiredTime("start");
    long end = parameters.requiredTime("end");
    if (end < start) {
      throw Parameters.invalid("end", "end timestamp must not be before start time");
    }
    if (parameters.text("step").isEmpty()) {
      throw Parameters.invalid("step", "cannot parse \"\" to a valid duration");
    }
    long step = parameters.duration("step", 0);
    if (step <= 0) {
      throw Parameters.invalid(
          "step",
          "zero or negative query resolution step widths are not accepted. Try a positive integer");
    }
    if ((end - start) / step > MAX_INTERVALS) {
      throw new QueryFailure(
          QueryFailure.Kind.BAD_DATA,
          "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query"
              + " resolution (?step=XX)");
    }
    return answer(http, parameters, start, end, step);
  }

  private Future<Supplier<Buffer>> answer(
      RoutingContext http, Parameters parameters, long start, long end, long step)
      throws QueryFailure {
    int limit = parameters.limit();
    boolean withStats = !parameters.text("stats").isEmpty();
    return answered(http, parameters, start, end, step)
        .map(
            answered -> {
              if (limit > 0 || withStats) {
                return () -> Json.success(limited(answered, limit), withStats);
              }
              if (Json.isLong(answered) && answered.body().get() == null) {
                return new ApiRoutes.Streamed(out -> Json.write(answered, out));
              }
              Supplier<Buffer> body =
                  () -> {
                    Buffer known = answered.body().get();
                    if (known == null) {
                      known = Json.success(answered, false);
                      answered.body().set(known);
                    }
                    return known;
                  };
              boolean little = answered.body().get() != null || isLittle(answered.result());
              return little ? new ApiRoutes.Ready(body) : body;
            });
  }

  private Future<Answered> answered(
      RoutingContext http, Parameters parameters, long start, long end, long step)
      throws QueryFailure {
    String text = parameters.text("query");
    long timeout = parameters.duration("timeout", config.timeout().toMillis());
    long lookback = parameters.duration("lookback_delta", 0);
    if (lookback < 0) {
      throw Parameters.invalid("lookback_delta", "must not be negative");
    }
    if (timeout <= 0) {
      throw new QueryFailure(QueryFailure.Kind.TIMEOUT, "query timed out in expression evaluation");
    }
    Asker asker = Asker.of(http);
    Planner.Mode mode = Asker.mode(http);
    boolean cached = mode == Planner.Mode.AUTO && Asker.takesKnown(http, parameters);
    boolean strict = asker.isStrict(parameters);
    long seen = lookback == 0 ? config.lookback().toMillis() : lookback;
    String tenant = asker.tenant();
    Ask.Key key = new Ask.Key(tenant, asker.scope(), text, start, end, step, seen, mode, strict);
    Cancellation cancellation = new Cancellation();
    http.response().closeHandler(closed -> cancellation.cancel());
    long begin = System.nanoTime();
    Future<Optional<Answered>> known =
        cached
            ? answering.known(key, System.identityHashCode(http.request().connection()))
            : Future.succeededFuture(Optional.empty());
    return known
        .compose(
            found -> {
              if (found.isPresent()) {
                return Future.succeededFuture(found.get());
              }
              try {
                Query query =
                    new Query(
                        text,
                        parsed(text, end - start, step),
                        start,
                        end,
                        step,
                        Query.Settings.STOCK
                            .withLookback(seen)
                            .withMaxSamples(asker.grant().limits().samples())
                            .withFeatures(features));
                Ask ask =
                    new Ask(
                        tenant,
                        asker.grant().limits(),
                        query,
                        key.scope(),
                        mode,
                        cached,
                        strict,
                        Math.min(timeout, config.timeout().toMillis()));
                return answering.answer(ask, cancellation);
              } catch (QueryFailure e) {
                return Future.failedFuture(e);
              }
            })
        .compose(answered -> complete(http, answered, strict, asker.scope().isEmpty()))
        .onComplete(
            done -> account(tenant, text, (System.nanoTime() - begin) / 1_000_000, done.result()));
  }

  /**
   * Says what the answer covers; where that must be all, a hole is an error.
   *
   * @param named whether the asker may know the names of all hosts
   */
  private Future<Answered> complete(
      RoutingContext http, Answered answered, boolean strict, boolean named) {
    Completeness of = answered.completeness();
    List<String> names = of.missing();
    int shown = named ? Math.min(MOST_NAMES, names.size()) : 0;
    String missing = String.join(",", names.subList(0, shown));
    http.response()
        .putHeader(
            COMPLETENESS,
            "hosts="
                + of.expected()
                + "; answered="
                + (of.expected() - names.size())
                + "; missing="
                + missing
                + (names.size() > shown ? (shown > 0 ? ",..." : "...") : "")
                + "; watermark-age="
                + (of.watermark() == Long.MIN_VALUE
                    ? "unknown"
                    : Math.max(0, clock.getAsLong() - of.watermark()) + "ms")
                + "; epoch="
                + of.epoch());
    return strict && !of.isWhole()
        ? Future.failedFuture(
            new QueryFailure(
                QueryFailure.Kind.UNAVAILABLE,
                String.join("; ", of.warnings()) + "; a whole answer was asked for (strict)"))
        : Future.succeededFuture(answered);
  }

  private Expr parsed(String text, long range, long step) throws QueryFailure {
    return parsed(text, features, range, step);
  }

  static Expr parsed(String text, Set<Feature> features, long range, long step)
      throws QueryFailure {
    try {
      return Parser.parse(text, new ParseOptions(features, range, step));
    } catch (ParseException e) {
      throw Parameters.invalid("query", e.getMessage());
    }
  }

  private Future<Supplier<Buffer>> format(RoutingContext http, Parameters parameters)
      throws QueryFailure {
    Expr expr = parsed(parameters.text("query"), 0, 0);
    return Future.succeededFuture(() -> Json.text(PrettyPrinter.print(expr)));
  }

  private Future<Supplier<Buffer>> parse(RoutingContext http, Parameters parameters)
      throws QueryFailure {
    Expr expr = parsed(parameters.text("query"), 0, 0);
    return Future.succeededFuture(() -> Json.tree(expr));
  }

  private void account(String tenant, String text, long millis, Answered answered) {
    counts.answered(millis);
    if (millis >= config.slowWarn().toMillis()) {
      String cost = answered == null ? "unknown" : answered.trace().estimated().toString();
      String plan = answered == null ? "none" : answered.trace().plan().strip();
      String line = "slow query, {} ms, tenant {}, cost {}: {}; plan: {}";
      if (millis >= config.slowError().toMillis()) {
        LOG.error(line, millis, tenant, cost, text, plan);
      } else {
        LOG.warn(line, millis, tenant, cost, text, plan);
      }
    }
  }

  private static Answered limited(Answered answered, int limit) {
    if (limit == 0) {
      return answered;
    }
    return switch (answered.result()) {
      case Answer.Vector vector when vector.samples().size() > limit ->
          truncated(answered, new Answer.Vector(vector.time(), vector.samples().subList(0, limit)));
      case Answer.Matrix matrix when matrix.series().size() > limit -> {
        List<Series> first = matrix.series().subList(0, limit);
        yield truncated(answered, new Answer.Matrix(first));
      }
      default -> answered;
    };
  }

  private static Answered truncated(Answered answered, Answer.Result result) {
    List<String> warnings = new ArrayList<>(answered.warnings());
    warnings.add(TRUNCATED);
    return answered.with(result, warnings);
  }

  // --- what queries do and did ---

  private Future<Supplier<Buffer>> explain(RoutingContext http, Parameters parameters)
      throws QueryFailure {
    boolean instant = parameters.text("start").isEmpty();
    long now = clock.getAsLong();
    long start = instant ? parameters.time("time", now) : parameters.requiredTime("start");
    long end = instant ? start : parameters.requiredTime("end");
    long step = instant ? 0 : parameters.duration("step", 0);
    if (end < start || !instant && (step <= 0 || (end - start) / step > MAX_INTERVALS)) {
      throw Parameters.invalid("step", "start, end and step do not make a range");
    }
    String accept = http.request().getHeader("Accept");
    boolean text =
        parameters.text("format").equals("text")
            || accept != null && accept.startsWith("text/plain");
    if (text) {
      http.response().putHeader("Content-Type", "text/plain; charset=utf-8");
    }
    return answered(http, parameters, start, end, step)
        .map(answered -> () -> text ? Explanation.text(answered) : Explanation.json(answered));
  }

  private Future<Supplier<Buffer>> queries(RoutingContext http, Parameters parameters)
      throws QueryFailure {
    Asker asker = Asker.of(http);
    boolean all = asker.isOperator();
    String tenant = asker.tenant();
    List<Running.Entry> running =
        answering.running().all().stream()
            .filter(entry -> all || entry.ask().tenant().equals(tenant))
            .toList();
    return Future.succeededFuture(() -> Explanation.running(running));
  }

  private Future<Supplier<Buffer>> cancel(RoutingContext http, Parameters parameters)
      throws QueryFailure {
    if (!Asker.of(http).isOperator()) {
      throw new QueryFailure(
          QueryFailure.Kind.FORBIDDEN,
          "only an operator may cancel queries: a token with the right to operate is needed");
    }
    String id = http.pathParam("id");
    if (!id.matches("\\d{1,18}") || !answering.running().cancel(Long.parseLong(id))) {
      throw new QueryFailure(
          QueryFailure.Kind.BAD_DATA, "no query with the id " + id + " is running");
    }
    return Future.succeededFuture(() -> Json.text("cancelled"));
  }
}
