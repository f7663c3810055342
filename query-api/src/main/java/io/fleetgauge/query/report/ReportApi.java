package io.fleetgauge.query.report;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.usage.UsagePeriod;
import io.fleetgauge.promql.usage.UsageRows;
import io.fleetgauge.promql.usage.UsageTerms;
import io.fleetgauge.query.answer.Ask;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.answer.Reply;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.http.Parameters;
import io.fleetgauge.query.prices.Rates;
import io.vertx.core.Future;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** {@code GET /api/v1/report/usage}: what groups of containers used of GPUs over a period. */
public final class ReportApi {
  private static final long DAY = 86_400_000;
  private static final long MAX_INTERVALS = UsagePeriod.MAX_INTERVALS;

  private static final Pattern RATIO = Pattern.compile("0(\\.\\d{1,6})?|1(\\.0{1,6})?");

  /** Times before it would be read from years without samples. */
  private static final long FIRST = 0;

  private final QueryConfig config;
  private final Querier querier;
  private final Supplier<Rates> rates;
  private final LongSupplier clock;

  private ReportApi(
      QueryConfig config, Querier querier, Supplier<Rates> rates, LongSupplier clock) {
    this.config = config;
    this.querier = querier;
    this.rates = rates;
    this.clock = clock;
  }

  /**
   * @param rates prices and carbon as they are now
   * @param clock ms since the epoch
   */
  public static void mount(
      ApiRoutes routes,
      QueryConfig config,
      Querier querier,
      Supplier<Rates> rates,
      LongSupplier clock) {
    ReportApi api = new ReportApi(config, querier, rates, clock);
    routes.get("/api/v1/report/usage", api::report);
  }

  private Future<Body> report(ApiRequest request) throws QueryFailure {
    ReportFormat form = ReportFormat.of(request.parameters().text("format"));
    ReportQuery query = query(request.parameters());
    long timeout = request.parameters().duration("timeout", config.timeout().toMillis());
    if (timeout <= 0) {
      throw Parameters.invalid("timeout", "must be above 0");
    }
    Ask.Options options = request.options(Math.min(timeout, config.timeout().toMillis()));
    return request
        .ask(querier, new Ask<>(request.caller(), query.usage(), options))
        .map(reply -> body(request, form, query, reply));
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
    return ReportQuery.of(
        new Period(from, to, Math.min(step, to - from)),
        GroupKey.parse(by.isEmpty() ? List.of(GroupKey.DEFAULT) : by),
        matchers,
        terms(parameters),
        rates.get(),
        config.report().maxRows());
  }

  private UsageTerms terms(Parameters parameters) throws QueryFailure {
    UsageTerms defaults = UsageTerms.DEFAULT;
    long bridge = parameters.duration("bridge", defaults.bridge());
    if (bridge < 0 || bridge > DAY) {
      throw Parameters.invalid("bridge", "must be from 0 to 1 day");
    }
    return new UsageTerms(
        config.lookback().toMillis(),
        bridge,
        ratio(parameters, "busy", defaults.busy()),
        ratio(parameters, "high_power", defaults.highPower()));
  }

  /** A ratio from 0 to 1, in millionths. */
  private static int ratio(Parameters parameters, String name, int fallback) throws QueryFailure {
    String text = parameters.text(name);
    if (text.isEmpty()) {
      return fallback;
    }
    if (!RATIO.matcher(text).matches()) {
      throw Parameters.invalid(name, "must be a number from 0 to 1 with at most 6 decimals");
    }
    return new BigDecimal(text).movePointRight(6).intValueExact();
  }

  private static Body body(
      ApiRequest request, ReportFormat form, ReportQuery query, Reply<UsageRows> reply) {
    form.headers(query).forEach(request::respondWith);
    return Body.streamed(
        out ->
            form.write(
                new Reply<>(
                    UsageGroups.report(query, reply.value().rows()),
                    reply.warnings(),
                    reply.completeness()),
                out));
  }
}
