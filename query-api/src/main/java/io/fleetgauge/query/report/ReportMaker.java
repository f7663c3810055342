package io.fleetgauge.query.report;

import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.usage.UsageRows;
import io.fleetgauge.promql.usage.UsageTerms;
import io.fleetgauge.query.admission.QueryLane;
import io.fleetgauge.query.answer.Ask;
import io.fleetgauge.query.answer.Caller;
import io.fleetgauge.query.answer.Completeness;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.answer.Reply;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.config.ScheduledReportSettings;
import io.fleetgauge.query.prices.Rates;
import io.fleetgauge.runtime.config.TenantLimits;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.WorkerExecutor;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * Makes reports that nobody waits for, whatever the limits of tenants. Safe for all threads.
 *
 * @param rates prices and carbon as they are now
 */
public record ReportMaker(QueryConfig config, Querier querier, Supplier<Rates> rates) {
  private static final long MOST = 1_000_000_000;

  /** As what it appears among tenants. */
  private static final Caller CALLER =
      new Caller(
          "(reports)",
          List.of(),
          true,
          new TenantLimits(1, 1, 1, MOST, MOST, Duration.ofDays(4_000), 1, false));

  /**
   * A report.
   *
   * @param isWhole true if it lacks no hosts
   */
  public record Made(byte[] bytes, boolean isWhole, int hostsMissing) {}

  /**
   * @throws QueryFailure if a report groups by something unknown
   */
  public static void check(ScheduledReportSettings settings) throws QueryFailure {
    GroupKey.parse(by(settings));
  }

  public static String contentType(ScheduledReportSettings.Format format) {
    return format(format).contentType;
  }

  private static ReportFormat format(ScheduledReportSettings.Format format) {
    return switch (format) {
      case CSV -> ReportFormat.CSV;
      case JSON -> ReportFormat.JSON;
      case HTML -> ReportFormat.HTML;
    };
  }

  private static List<String> by(ScheduledReportSettings settings) {
    return settings.by().isEmpty() ? List.of(GroupKey.DEFAULT) : settings.by();
  }

  /**
   * Makes a report.
   *
   * @param from ms since the epoch
   * @param to ms since the epoch
   * @param worker writes it
   */
  public Future<Made> make(
      ScheduledReportSettings settings, long from, long to, WorkerExecutor worker) {
    try {
      UsageTerms terms = UsageTerms.DEFAULT;
      ReportQuery query =
          ReportQuery.of(
              new Period(from, to, to - from),
              GroupKey.parse(by(settings)),
              settings.matchers(),
              new UsageTerms(
                  config.lookback().toMillis(), terms.bridge(), terms.busy(), terms.highPower()),
              rates.get(),
              config.report().maxRows());
      Ask.Options options =
          new Ask.Options(
              Planner.Mode.AUTO, false, false, config.timeout().toMillis(), QueryLane.QUERIES);
      return querier
          .answer(new Ask<>(CALLER, query.usage(), options), "", Promise.promise().future())
          .compose(reply -> worker.executeBlocking(() -> made(settings, query, reply)));
    } catch (QueryFailure | RuntimeException e) {
      return Future.failedFuture(e);
    }
  }

  private static Made made(
      ScheduledReportSettings settings, ReportQuery query, Reply<UsageRows> reply)
      throws QueryFailure {
    Completeness covered = reply.completeness();
    Report report = UsageGroups.report(query, reply.value().rows());
    return new Made(
        format(settings.format()).body(new Reply<>(report, reply.warnings(), covered)).getBytes(),
        covered.isWhole(),
        covered.missing().size());
  }
}
