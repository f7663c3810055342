package io.fleetgauge.query.prometheus;

import io.fleetgauge.cluster.config.QueryConfig;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.expr.PrettyPrinter;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Answered;
import io.fleetgauge.query.answer.Answering;
import io.fleetgauge.query.answer.Running;
import io.fleetgauge.query.fanout.Fanout;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Asker;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.http.Json;
import io.fleetgauge.query.http.Parameters;
import io.fleetgauge.query.http.Questions;
import io.fleetgauge.sample.Series;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/** The routes under {@code /api/v1}; those that evaluate queries are here. */
public final class PrometheusApi {
  /** As Prometheus has it: a range has at most this many steps. */
  private static final long MAX_INTERVALS = 11_000;

  /** So many are written sooner than another thread wakes up. */
  private static final int FEW_POINTS = 4_000;

  static final String TRUNCATED = "results truncated due to limit";

  private final QueryConfig config;
  private final Answering answering;
  private final Questions questions;
  private final LongSupplier clock;
  private final Set<Feature> features;

  private final Fanout fanout;

  /**
   * @param clock ms since the epoch
   */
  public PrometheusApi(
      QueryConfig config,
      Answering answering,
      Questions questions,
      Fanout fanout,
      LongSupplier clock) {
    this.config = config;
    this.answering = answering;
    this.questions = questions;
    this.fanout = fanout;
    this.clock = clock;
    this.features = Feature.named(config.features());
  }

  public void mount(ApiRoutes routes) {
    routes.getOrPost("/api/v1/query", this::instant);
    routes.getOrPost("/api/v1/query_range", this::range);
    routes.getOrPost("/api/v1/format_query", this::format);
    routes.getOrPost("/api/v1/parse_query", this::parse);
    routes.getOrPost("/api/v1/explain", this::explain);
    routes.get("/api/v1/status/queries", this::queries);
    routes.post("/api/v1/status/queries/:id/cancel", this::cancel);
    DiscoveryApi discovery = new DiscoveryApi(config, fanout, clock);
    discovery.mount(routes);
    new StatusApi(config, fanout, discovery, answering.running(), clock).mount(routes);
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
      case Answer.Scalar scalar -> true;
      case Answer.Text text -> true;
    };
  }

  // --- queries ---

  private Future<Body> instant(RoutingContext http, Parameters parameters) throws QueryFailure {
    long time = parameters.time("time", clock.getAsLong());
    return answer(http, parameters, time, time, 0);
  }

  private Future<Body> range(RoutingContext http, Parameters parameters) throws QueryFailure {
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

  private Future<Body> answer(
      RoutingContext http, Parameters parameters, long start, long end, long step)
      throws QueryFailure {
    int limit = parameters.limit();
    boolean withStats = !parameters.text("stats").isEmpty();
    return answered(http, parameters, start, end, step)
        .map(
            answered -> {
              if (limit > 0 || withStats) {
                return Body.large(() -> AnswerJson.success(limited(answered, limit), withStats));
              }
              return AnswerJson.isLong(answered) && !answered.body().isThere(false)
                  ? Body.streamed(out -> AnswerJson.write(answered, out))
                  : new Body.Kept(
                      answered.body(),
                      () -> AnswerJson.success(answered, false),
                      isLittle(answered.result()));
            });
  }

  private Future<Answered> answered(
      RoutingContext http, Parameters parameters, long start, long end, long step)
      throws QueryFailure {
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
    Questions.Question question =
        new Questions.Question(
            parameters.text("query"),
            start,
            end,
            step,
            lookback == 0 ? config.lookback().toMillis() : lookback,
            Math.min(timeout, config.timeout().toMillis()),
            mode,
            mode == Planner.Mode.AUTO && Asker.takesKnown(http, parameters),
            asker.isStrict(parameters));
    return questions.ask(http, asker, question, Questions.cancelledWith(http));
  }

  private Future<Body> format(RoutingContext http, Parameters parameters) throws QueryFailure {
    Expr expr = Questions.parsed(parameters.text("query"), features, 0, 0);
    return Future.succeededFuture(Body.large(() -> Json.text(PrettyPrinter.print(expr))));
  }

  private Future<Body> parse(RoutingContext http, Parameters parameters) throws QueryFailure {
    Expr expr = Questions.parsed(parameters.text("query"), features, 0, 0);
    return Future.succeededFuture(Body.large(() -> Json.data(json -> AstJson.write(json, expr))));
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

  private Future<Body> explain(RoutingContext http, Parameters parameters) throws QueryFailure {
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
        .map(
            answered ->
                Body.large(() -> text ? Explanation.text(answered) : Explanation.json(answered)));
  }

  private Future<Body> queries(RoutingContext http, Parameters parameters) throws QueryFailure {
    Asker asker = Asker.of(http);
    boolean all = asker.isOperator();
    String tenant = asker.tenant();
    List<Running.Entry> running =
        answering.running().all().stream()
            .filter(entry -> all || entry.ask().tenant().equals(tenant))
            .toList();
    return Future.succeededFuture(Body.large(() -> Explanation.running(running)));
  }

  private Future<Body> cancel(RoutingContext http, Parameters parameters) throws QueryFailure {
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
    return Future.succeededFuture(Body.large(() -> Json.text("cancelled")));
  }
}
