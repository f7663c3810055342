package io.fleetgauge.query;

import io.fleetgauge.cluster.status.AllGateways;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.clusters.ClusterRoutes;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.faults.api.FaultsApi;
import io.fleetgauge.query.federate.FederateApi;
import io.fleetgauge.query.grafana.GrafanaApi;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.FailureCounts;
import io.fleetgauge.query.http.Pages;
import io.fleetgauge.query.operate.OperateApi;
import io.fleetgauge.query.peers.OtherQueryApis;
import io.fleetgauge.query.prometheus.PrometheusApi;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.ProcessPart;
import io.vertx.ext.web.Router;
import java.util.function.LongSupplier;

/** The routes of all APIs but that of rules. */
final class ApiPart implements ProcessPart {
  private final QueryConfig config;
  private final Router router;
  private final QuerierPart queries;
  private final OtherQueryApis others;
  private final ClusterPart cluster;
  private final LongSupplier clock;
  private final FailureCounts failures = new FailureCounts();
  private final ApiRoutes routes;

  /**
   * @param clock ms since the epoch
   */
  ApiPart(
      QueryConfig config,
      Router router,
      Guard guard,
      QuerierPart queries,
      OtherQueryApis others,
      ClusterPart cluster,
      LongSupplier clock) {
    this.config = config;
    this.router = router;
    this.queries = queries;
    this.others = others;
    this.cluster = cluster;
    this.clock = clock;
    this.routes =
        new ApiRoutes(router, guard, queries.workers(), failures, config.allowedOrigins(), clock);
  }

  @Override
  public void start() {
    Querier querier = queries.querier();
    PrometheusApi.mount(routes, config, querier, others, clock);
    FederateApi.mount(routes, config, querier, clock);
    GrafanaApi.mount(routes, config, querier, clock);
    FaultsApi.mount(routes, config, querier, clock);
    AllGateways gateways = new AllGateways(cluster::view, queries.toGateways().web());
    new OperateApi(config, querier, gateways::ask, cluster.tableAge(), clock).mount(routes);
    ClusterRoutes.mount(
        routes,
        config.timeout(),
        config.cluster().name(),
        queries.ofOwnCluster(),
        queries.gateways());
    Pages.mount(router);
  }

  @Override
  public void declare(Meters meters) {
    failures.declare(meters);
    routes.declare(meters);
  }

  /** The place where further routes are mounted. */
  ApiRoutes routes() {
    return routes;
  }

  @Override
  public void close() {}
}
