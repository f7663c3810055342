package io.fleetgauge.query.report;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Ask;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.answer.Reply;
import io.fleetgauge.query.answer.Request;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.http.Parameters;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** {@code GET /api/v1/report/gpu-memory}: what groups of containers used of GPUs over a period. */
public final class ReportApi {
  private static final long DAY = 86_400_000;
  private static final long MAX_INTERVALS = 11_000;

  /** Times before it would be read from years without samples. */
  private static final long FIRST = 0;

  private final QueryConfig config;
  private final Querier querier;
  private final LongSupplier clock;

  private ReportApi(QueryConfig config, Querier querier, LongSupplier clock) {
    this.config = config;
    this.querier = querier;
    this.clock = clock;
  }

  /**
   * @param clock ms since the epoch
   */
  public static void mount(
      ApiRoutes routes, QueryConfig config, Querier querier, LongSupplier clock) {
    ReportApi api = new ReportApi(config, querier, clock);
    routes.get("/api/v1/report/gpu-memory", api::report);
  }

  private Future<Body> report(ApiRequest request) throws QueryFailure {
    ReportFormat form = ReportFormat.of(request.parameters().text("format"));
    ReportQuery query = query(request.parameters());
    long timeout = request.parameters().duration("timeout", config.timeout().toMillis());
    if (timeout <= 0) {
      throw Parameters.invalid("timeout", "must be above 0");
    }
    Request.Folded<Report> folded =
        new Request.Folded<>(
            query.description(),
            query.selectors(),
            // A sample holds for the lookback, exclusive, so that its time is not read any more.
            query.period().from() - query.lookback(),
            query.period().to(),
            () -> new ReportFold(query));
    Ask.Options options = request.options(Math.min(timeout, config.timeout().toMillis()));
    return request
        .ask(querier, new Ask<>(request.caller(), folded, options))
        .map(reply -> body(request, form, reply));
  }

  private ReportQuery query(Parameters parameters) throws QueryFailure {
    long now = clock.getAsLong();
    long to = Math.min(now, parameters.time("to", now));
    long from = parameters.time("from", to - DAY);
    if (from < FIRST) {
      throw Parameters.invalid("from", "must not be before 1970");
    }
    if (to <= from) {
      throw Parameters.invalid(
          "to",
          "must be after from, which is "
              + Instant.ofEpochMilli(from)
              + ", and there are no samples of the future");
    }
    long step = parameters.text("step").isEmpty() ? to - from : parameters.duration("step", 0);
    if (step <= 0) {
      throw Parameters.invalid("step", "must be above 0");
    }
    if ((to - from - 1) / step >= MAX_INTERVALS) {
      throw Parameters.invalid(
          "step",
          "makes more than " + MAX_INTERVALS + " intervals of the period; choose a longer one");
    }
    List<String> by = new ArrayList<>(parameters.texts("by"));
    by.removeIf(String::isEmpty);
    List<String> selectors = parameters.selectors();
    if (selectors.size() > 1) {
      throw Parameters.invalid("match[]", "a report takes one selector");
    }
    List<Matcher> matchers =
        selectors.isEmpty() ? List.of() : Parameters.selector("match[]", selectors.getFirst());
    return new ReportQuery(
        new Period(from, to, Math.min(step, to - from)),
        GroupKey.parse(by.isEmpty() ? List.of(GroupKey.DEFAULT) : by),
        matchers,
        config.lookback().toMillis(),
        config.reportRows());
  }

  private static Body body(ApiRequest request, ReportFormat form, Reply<Report> reply) {
    form.headers(reply.value().query()).forEach(request::respondWith);
    return form.isLong(reply.value())
        ? Body.streamed(out -> form.write(reply, out))
        : Body.large(() -> form.body(reply));
  }
}
