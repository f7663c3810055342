package io.fleetgauge.query.http;

import io.fleetgauge.cluster.config.QueryConfig;
import io.fleetgauge.promql.exec.Answer;
import io.fleetgauge.promql.exec.Query;
import io.fleetgauge.promql.exec.QueryFailure;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.syntax.Expr;
import io.fleetgauge.promql.syntax.Feature;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.promql.syntax.PrettyPrinter;
import io.fleetgauge.query.answer.Answered;
import io.fleetgauge.query.answer.Answering;
import io.fleetgauge.query.fanout.Cancellation;
import io.fleetgauge.query.fanout.Fanout;
import io.fleetgauge.query.fanout.Gathered;
import io.fleetgauge.sample.Series;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The routes under {@code /api/v1}. */
public final class PrometheusApi {
  private static final Logger LOG = LoggerFactory.getLogger(PrometheusApi.class);

  /** The version whose answers these are; clients choose features by it. */
  private static final String PROMETHEUS_VERSION = "3.5.3";

  private static final int MAX_BODY_BYTES = 4 << 20;

  /** As Prometheus has it: a range has at most this many steps. */
  private static final long MAX_INTERVALS = 11_000;

  private static final long SLOW_WARN_MILLIS = 3_000;
  private static final long SLOW_ERROR_MILLIS = 5_000;
  private static final String PLAN_HEADER = "X-Fleetgauge-Plan";
  private static final String TRUNCATED = "results truncated due to limit";

  private final QueryConfig config;
  private final Answering answering;
  private final Fanout fanout;
  private final WorkerExecutor workers;
  private final QueryCounts counts;
  private final LongSupplier clock;
  private final Set<Feature> features;

  private PrometheusApi(
      QueryConfig config,
      Answering answering,
      Fanout fanout,
      WorkerExecutor workers,
      QueryCounts counts,
      LongSupplier clock) {
    this.config = config;
    this.answering = answering;
    this.fanout = fanout;
    this.workers = workers;
    this.counts = counts;
    this.clock = clock;
    this.features = Feature.named(config.features());
  }

  /** A route's work: what writes the body of its answer, or a failure. */
  private interface Handler {
    Future<Supplier<Buffer>> answer(RoutingContext http, Parameters parameters) throws QueryFailure;
  }

  /**
   * @param workers where answers are written
   * @param clock ms since the epoch
   */
  public static void mount(
      Router router,
      QueryConfig config,
      Answering answering,
      Fanout fanout,
      WorkerExecutor workers,
      QueryCounts counts,
      LongSupplier clock) {
    PrometheusApi api = new PrometheusApi(config, answering, fanout, workers, counts, clock);
    api.route(router, "/api/v1/query", true, api::instant);
    api.route(router, "/api/v1/query_range", true, api::range);
    api.route(router, "/api/v1/format_query", true, api::format);
    api.route(router, "/api/v1/parse_query", true, api::parse);
    api.route(router, "/api/v1/labels", true, api::labels);
    api.route(router, "/api/v1/label/:name/values", false, api::values);
    api.route(router, "/api/v1/series", true, api::series);
    api.route(router, "/api/v1/status/buildinfo", false, api::buildInfo);
  }

  private void route(Router router, String path, boolean post, Handler handler) {
    var route = router.route(path).method(HttpMethod.GET);
    if (post) {
      route
          .method(HttpMethod.POST)
          .handler(
              BodyHandler.create(false).setBodyLimit(MAX_BODY_BYTES).setMergeFormAttributes(false));
    }
    route.handler(
        http -> {
          Future<Supplier<Buffer>> answer;
          try {
            answer = handler.answer(http, new Parameters(http));
          } catch (QueryFailure e) {
            answer = Future.failedFuture(e);
          }
          answer
              // Large answers take long to write; an event loop has no time for that.
              .compose(body -> workers.executeBlocking(body::get, false))
              .onSuccess(body -> end(http, 200, body))
              .onFailure(failure -> fail(http, failure));
        });
    route.failureHandler(this::failRequest);
  }

  /** A request that could not be read, or a failure of ours. */
  private void failRequest(RoutingContext http) {
    if (http.statusCode() >= 400 && http.statusCode() < 500) {
      counts.failed(QueryFailure.Kind.BAD_DATA);
      String reason = http.failure() == null ? "" : ": " + http.failure().getMessage();
      QueryFailure unreadable =
          new QueryFailure(
              QueryFailure.Kind.BAD_DATA,
              "the request cannot be read"
                  + reason
                  + "; a body may have "
                  + MAX_BODY_BYTES
                  + " bytes");
      end(http, http.statusCode(), Json.error(unreadable));
    } else {
      fail(http, http.failure());
    }
  }

  private static void end(RoutingContext http, int status, Buffer body) {
    if (!http.response().closed()) {
      http.response().setStatusCode(status).putHeader("Content-Type", "application/json").end(body);
    }
  }

  private void fail(RoutingContext http, Throwable failure) {
    QueryFailure known;
    if (failure instanceof QueryFailure named) {
      known = named;
    } else {
      LOG.error("{} failed", http.request().path(), failure);
      known = new QueryFailure(QueryFailure.Kind.INTERNAL, String.valueOf(failure.getMessage()));
    }
    counts.failed(known.kind());
    if (known.kind() == QueryFailure.Kind.UNAVAILABLE) {
      http.response().putHeader("Retry-After", "1");
    }
    end(http, known.kind().httpStatus, Json.error(known));
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
    String text = parameters.text("query");
    long timeout = parameters.duration("timeout", config.timeout().toMillis());
    long lookback = parameters.duration("lookback_delta", 0);
    int limit = parameters.limit();
    if (lookback < 0) {
      throw Parameters.invalid("lookback_delta", "must not be negative");
    }
    if (timeout <= 0) {
      throw new QueryFailure(QueryFailure.Kind.TIMEOUT, "query timed out in expression evaluation");
    }
    boolean withStats = !parameters.text("stats").isEmpty();
    Expr expr = parsed(text, end - start, step);
    Query query =
        new Query(
            text,
            expr,
            start,
            end,
            step,
            Query.Settings.STOCK
                .withLookback(lookback == 0 ? config.lookback().toMillis() : lookback)
                .withMaxSamples(config.maxSamples())
                .withFeatures(features));
    Cancellation cancellation = new Cancellation();
    http.response().closeHandler(closed -> cancellation.cancel());
    long begin = System.nanoTime();
    return answering
        .answer(
            query,
            List.of(),
            mode(http),
            Math.min(timeout, config.timeout().toMillis()),
            cancellation)
        .map(answered -> (Supplier<Buffer>) () -> Json.success(limited(answered, limit), withStats))
        .onComplete(done -> account(text, (System.nanoTime() - begin) / 1_000_000));
  }

  private static Planner.Mode mode(RoutingContext http) throws QueryFailure {
    String wanted = http.request().getHeader(PLAN_HEADER);
    if (wanted == null || wanted.equals("auto")) {
      return Planner.Mode.AUTO;
    }
    if (wanted.equals("raw")) {
      return Planner.Mode.RAW;
    }
    throw new QueryFailure(
        QueryFailure.Kind.BAD_DATA,
        "the header " + PLAN_HEADER + " is \"" + wanted + "\"; it may be auto or raw");
  }

  private Expr parsed(String text, long range, long step) throws QueryFailure {
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

  private void account(String text, long millis) {
    counts.answered(millis);
    if (millis >= SLOW_ERROR_MILLIS) {
      LOG.error("slow query, {} ms: {}", millis, text);
    } else if (millis >= SLOW_WARN_MILLIS) {
      LOG.warn("slow query, {} ms: {}", millis, text);
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
    return new Answered(result, warnings, answered.infos(), answered.stats(), answered.timings());
  }

  // --- labels and series ---

  private Future<Supplier<Buffer>> labels(RoutingContext http, Parameters parameters)
      throws QueryFailure {
    Fragment.Search search = parameters.search();
    return fanout
        .labelNames(search, config.timeout().toMillis())
        .map(found -> strings(found, search.limit()));
  }

  private Future<Supplier<Buffer>> values(RoutingContext http, Parameters parameters)
      throws QueryFailure {
    Fragment.Search search = parameters.search();
    return fanout
        .labelValues(http.pathParam("name"), search, config.timeout().toMillis())
        .map(found -> strings(found, search.limit()));
  }

  private Future<Supplier<Buffer>> series(RoutingContext http, Parameters parameters)
      throws QueryFailure {
    if (parameters.texts("match[]").isEmpty()) {
      throw new QueryFailure(QueryFailure.Kind.BAD_DATA, "no match[] parameter provided");
    }
    Fragment.Search search = parameters.search();
    return fanout
        .labelSets(search, config.timeout().toMillis())
        .map(
            found ->
                () ->
                    Json.labelSets(
                        first(found.value(), search.limit()), warnings(found, search.limit())));
  }

  private static Supplier<Buffer> strings(Gathered<List<String>> found, int searchLimit) {
    return () -> Json.success(first(found.value(), searchLimit), warnings(found, searchLimit));
  }

  /** The search asked for one more than the limit. */
  private static <T> List<T> first(List<T> items, int searchLimit) {
    return searchLimit == 0 || items.size() < searchLimit
        ? items
        : items.subList(0, searchLimit - 1);
  }

  private static <T> List<String> warnings(Gathered<List<T>> found, int searchLimit) {
    List<String> warnings = new ArrayList<>(found.warnings());
    if (searchLimit > 0 && found.value().size() >= searchLimit) {
      warnings.add(TRUNCATED);
    }
    return warnings;
  }

  private Future<Supplier<Buffer>> buildInfo(RoutingContext http, Parameters parameters) {
    Map<String, String> info = new LinkedHashMap<>();
    info.put("version", PROMETHEUS_VERSION);
    info.put("revision", "fleetgauge-0.1.0");
    info.put("branch", "");
    info.put("buildUser", "");
    info.put("buildDate", "");
    info.put("goVersion", "");
    info.put("application", "Fleetgauge");
    return Future.succeededFuture(() -> Json.object(info));
  }
}
