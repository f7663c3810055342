package io.fleetgauge.query.prometheus;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.PrettyPrinter;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Ask;
import io.fleetgauge.query.answer.Evaluated;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.answer.Reply;
import io.fleetgauge.query.answer.Request;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.http.Json;
import io.fleetgauge.query.http.Parameters;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** Evaluates, explains, formats and parses queries. */
final class QueryRoutes {
  /** Prometheus's limit: a range has at most this many steps. */
  private static final long MAX_INTERVALS = 11_000;

  private final QueryConfig config;
  private final Querier querier;
  private final LongSupplier clock;

  QueryRoutes(QueryConfig config, Querier querier, LongSupplier clock) {
    this.config = config;
    this.querier = querier;
    this.clock = clock;
  }

  void mount(ApiRoutes routes) {
    routes.getOrPost("/api/v1/query", this::instant);
    routes.getOrPost("/api/v1/query_range", this::range);
    routes.getOrPost("/api/v1/format_query", this::format);
    routes.getOrPost("/api/v1/parse_query", this::parse);
    routes.getOrPost("/api/v1/explain", this::explain);
  }

  private Future<Body> instant(ApiRequest request) throws QueryFailure {
    long time = request.parameters().time("time", clock.getAsLong());
    return answer(request, time, time, 0);
  }

  private Future<Body> range(ApiRequest request) throws QueryFailure {
    Parameters parameters = request.parameters();
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
    return answer(request, start, end, step);
  }

  private Future<Body> answer(ApiRequest request, long start, long end, long step)
      throws QueryFailure {
    int limit = request.parameters().limit();
    boolean withStats = !request.parameters().text("stats").isEmpty();
    return evaluated(request, start, end, step)
        .map(
            reply -> {
              if (limit > 0 || withStats) {
                return Body.large(() -> AnswerJson.success(limited(reply, limit), withStats));
              }
              Evaluated evaluated = reply.value();
              return AnswerJson.isLong(evaluated.result()) && !evaluated.body().isReady(false)
                  ? Body.streamed(out -> AnswerJson.write(reply, out))
                  : new Body.Kept(
                      evaluated.body(),
                      () -> AnswerJson.success(reply, false),
                      AnswerJson.isShort(evaluated.result()));
            });
  }

  private Future<Reply<Evaluated>> evaluated(ApiRequest request, long start, long end, long step)
      throws QueryFailure {
    Parameters parameters = request.parameters();
    long timeout = parameters.duration("timeout", config.timeout().toMillis());
    long lookback = parameters.duration("lookback_delta", 0);
    if (lookback < 0) {
      throw Parameters.invalid("lookback_delta", "must not be negative");
    }
    if (timeout <= 0) {
      throw new QueryFailure(QueryFailure.Kind.TIMEOUT, "query timed out in expression evaluation");
    }
    Request.Promql query =
        Request.Promql.of(
            parameters.text("query"),
            start,
            end,
            step,
            lookback == 0 ? config.lookback().toMillis() : lookback);
    Ask.Options options = request.options(Math.min(timeout, config.timeout().toMillis()));
    return request.ask(querier, new Ask<>(request.caller(), query, options));
  }

  private static Reply<Evaluated> limited(Reply<Evaluated> reply, int limit) {
    if (limit == 0) {
      return reply;
    }
    return switch (reply.value().result()) {
      case Answer.Vector vector -> {
        List<Answer.Sample> samples = vector.samples();
        yield samples.size() <= limit
            ? reply
            : truncated(reply, new Answer.Vector(vector.time(), samples.subList(0, limit)));
      }
      case Answer.Matrix matrix ->
          matrix.series().size() <= limit
              ? reply
              : truncated(reply, new Answer.Matrix(matrix.series().subList(0, limit)));
      case Answer.Scalar scalar -> reply;
      case Answer.Text text -> reply;
    };
  }

  private static Reply<Evaluated> truncated(Reply<Evaluated> reply, Answer.Result result) {
    List<String> warnings = new ArrayList<>(reply.warnings());
    warnings.add(Reply.TRUNCATED);
    return new Reply<>(reply.value().with(result), warnings, reply.completeness());
  }

  private Expr parsed(ApiRequest request) throws QueryFailure {
    return querier.parsed(request.parameters().text("query"));
  }

  private Future<Body> format(ApiRequest request) throws QueryFailure {
    Expr expr = parsed(request);
    return Future.succeededFuture(Body.large(() -> Json.text(PrettyPrinter.print(expr))));
  }

  private Future<Body> parse(ApiRequest request) throws QueryFailure {
    Expr expr = parsed(request);
    return Future.succeededFuture(Body.large(() -> Json.data(json -> AstJson.write(json, expr))));
  }

  private Future<Body> explain(ApiRequest request) throws QueryFailure {
    Parameters parameters = request.parameters();
    boolean instant = parameters.text("start").isEmpty();
    long now = clock.getAsLong();
    long start = instant ? parameters.time("time", now) : parameters.requiredTime("start");
    long end = instant ? start : parameters.requiredTime("end");
    long step = instant ? 0 : parameters.duration("step", 0);
    if (end < start || !instant && (step <= 0 || (end - start) / step > MAX_INTERVALS)) {
      throw Parameters.invalid("step", "start, end and step do not make a range");
    }
    boolean text =
        parameters.text("format").equals("text")
            || request.header("Accept").filter(type -> type.startsWith("text/plain")).isPresent();
    return evaluated(request, start, end, step)
        .map(
            reply -> {
              if (!text) {
                return Body.large(() -> Explanation.json(reply.value()));
              }
              request.respondWith("Content-Type", "text/plain; charset=utf-8");
              return Body.large(() -> Explanation.text(reply.value()));
            });
  }
}
