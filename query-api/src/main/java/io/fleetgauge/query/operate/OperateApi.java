package io.fleetgauge.query.operate;

import io.fleetgauge.cluster.status.AllGateways;
import io.fleetgauge.cluster.status.TableAge;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.vertx.core.Future;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** All routes for operators. */
public final class OperateApi {
  private OperateApi() {}

  /**
   * @param gateways asks all gateways for a path
   * @param age of the table that this process knows
   * @param clock ms since the epoch
   */
  public static void mount(
      ApiRoutes routes,
      QueryConfig config,
      Querier querier,
      Function<String, Future<AllGateways.Answers>> gateways,
      TableAge age,
      LongSupplier clock) {
    new ClusterRoutes(config, querier, gateways, age, clock).mount(routes);
    new SlowQueryRoute(config, querier).mount(routes);
    new CardinalityRoute(config, querier, clock).mount(routes);
  }

  /**
   * @throws QueryFailure unless the caller may see the whole cluster
   */
  static void needsTheWholeCluster(ApiRequest request) throws QueryFailure {
    if (!request.isOperator()) {
      throw new QueryFailure(
          QueryFailure.Kind.FORBIDDEN,
          "the state of the cluster needs a token with the operate permission");
    }
    if (!request.caller().seesAllHosts()) {
      throw new QueryFailure(
          QueryFailure.Kind.FORBIDDEN,
          "the tenant "
              + request.caller().tenant()
              + " has a scope, and the state of the cluster is shown to tenants without one");
    }
  }
}
