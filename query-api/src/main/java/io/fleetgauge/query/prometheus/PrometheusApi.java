package io.fleetgauge.query.prometheus;

import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.peers.OtherQueryApis;
import java.util.function.LongSupplier;

/** All routes under {@code /api/v1}. */
public final class PrometheusApi {
  private PrometheusApi() {}

  /**
   * @param clock ms since the epoch
   */
  public static void mount(
      ApiRoutes routes,
      QueryConfig config,
      Querier querier,
      OtherQueryApis others,
      LongSupplier clock) {
    new QueryRoutes(config, querier, clock).mount(routes);
    new RunningQueryRoutes(querier, others).mount(routes);
    new SeriesRoutes(config, querier).mount(routes);
    new MetadataRoutes(config, querier).mount(routes);
    new OwnerRoute(config, querier, clock).mount(routes);
    new TargetRoutes(config, querier, clock).mount(routes);
    new HttpDiscoveryRoute(config, querier, clock).mount(routes);
    new StatusRoutes(config, querier, clock).mount(routes);
    new RemoteReadRoute(config, querier).mount(routes);
    new UnsupportedRoutes(querier).mount(routes);
  }
}
