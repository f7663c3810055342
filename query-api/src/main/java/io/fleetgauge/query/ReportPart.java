package io.fleetgauge.query;

import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.prices.RateFiles;
import io.fleetgauge.query.report.ReportApi;
import io.fleetgauge.runtime.files.FilePoller;
import io.fleetgauge.runtime.process.Lifecycle;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.ProcessPart;
import java.time.Duration;
import java.util.function.LongSupplier;

/** Reports, and the files by which they are priced. */
final class ReportPart implements ProcessPart {
  private static final Duration LOOK_EVERY = Duration.ofSeconds(2);

  private final Lifecycle lifecycle = new Lifecycle("reports");
  private final QueryConfig config;
  private final ApiRoutes routes;
  private final Querier querier;
  private final RateFiles files;
  private final LongSupplier clock;

  /**
   * @param clock ms since the epoch
   */
  ReportPart(QueryConfig config, ApiRoutes routes, Querier querier, LongSupplier clock) {
    this.config = config;
    this.routes = routes;
    this.querier = querier;
    this.files =
        new RateFiles(config.report().prices(), config.report().carbon(), config.report().pue());
    this.clock = clock;
  }

  @Override
  public void start() {
    if (config.report().prices().isPresent() || config.report().carbon().isPresent()) {
      files.look();
      lifecycle.started(
          "report.prices and report.carbon",
          QueryProcess.STOP_LIMIT,
          FilePoller.start("prices", LOOK_EVERY, files::look));
    }
    ReportApi.mount(routes, config, querier, files::rates, clock);
  }

  @Override
  public void declare(Meters meters) {
    meters.gauge(
        "report_rates_left_out",
        "Entries of report.prices and report.carbon that are left out; 1 for a file that cannot be"
            + " read.",
        files::leftOut);
  }

  @Override
  public void close() {
    lifecycle.close();
  }
}
