package io.fleetgauge.query;

import io.fleetgauge.cluster.peers.PeerLink;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.prices.RateFiles;
import io.fleetgauge.query.report.ReportApi;
import io.fleetgauge.query.report.ReportMaker;
import io.fleetgauge.query.report.scheduled.ScheduledReports;
import io.fleetgauge.runtime.files.FilePoller;
import io.fleetgauge.runtime.process.Lifecycle;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.ProcessPart;
import io.fleetgauge.runtime.process.StartFailure;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Reports, and the files by which they are priced. */
final class ReportPart implements ProcessPart {
  private static final Duration LOOK_EVERY = Duration.ofSeconds(2);

  private final Lifecycle lifecycle = new Lifecycle("reports");
  private final Vertx vertx;
  private final QueryConfig config;
  private final ApiRoutes routes;
  private final Querier querier;
  private final RateFiles files;
  private final PeerLink link;
  private final LongSupplier clock;
  private Optional<ScheduledReports> scheduled = Optional.empty();

  /**
   * @param link reaches the other query APIs
   * @param clock ms since the epoch
   */
  ReportPart(
      Vertx vertx,
      QueryConfig config,
      ApiRoutes routes,
      Querier querier,
      PeerLink link,
      LongSupplier clock) {
    this.vertx = vertx;
    this.link = link;
    this.config = config;
    this.routes = routes;
    this.querier = querier;
    this.files =
        new RateFiles(config.report().prices(), config.report().carbon(), config.report().pue());
    this.clock = clock;
  }

  @Override
  public void start() throws StartFailure {
    if (config.report().prices().isPresent() || config.report().carbon().isPresent()) {
      files.look();
      lifecycle.started(
          "report.prices and report.carbon",
          QueryProcess.STOP_LIMIT,
          FilePoller.start("prices", LOOK_EVERY, files::look));
    }
    ReportApi.mount(routes, config, querier, files::rates, clock);
    if (!config.report().scheduled().isEmpty()) {
      scheduled =
          Optional.of(
              ScheduledReports.of(
                  vertx,
                  link,
                  new ReportMaker(config, querier, files::rates),
                  config.report().scheduled(),
                  clock));
    }
  }

  @Override
  public void declare(Meters meters) {
    meters.gauge(
        "report_rates_left_out",
        "Entries of report.prices and report.carbon that are left out; 1 for a file that cannot be"
            + " read.",
        files::leftOut);
    scheduled.ifPresent(reports -> reports.declare(meters));
  }

  /**
   * Makes scheduled reports together with the other query APIs; the link to them has started.
   *
   * @param name of this process
   * @return empty if there are none
   */
  Optional<ScheduledReports> join(String name) {
    scheduled.ifPresent(reports -> reports.start(name));
    return scheduled;
  }

  @Override
  public void close() {
    lifecycle.close();
  }
}
