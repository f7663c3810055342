package io.fleetgauge.query.operate;

import io.fleetgauge.cluster.status.AllGateways;
import io.fleetgauge.cluster.status.ClusterStatus;
import io.fleetgauge.cluster.status.ProcessStatus;
import io.fleetgauge.cluster.status.TableAge;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.http.Json;
import io.fleetgauge.query.slow.SlowQueries;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * All routes for operators; the cluster and its storage, as all gateways together say, are answered
 * here.
 *
 * @param gateways asks all gateways for a path
 * @param age of the table that this process knows
 * @param clock ms since the epoch
 */
public record OperateApi(
    QueryConfig config,
    Querier querier,
    Function<String, Future<AllGateways.Answers>> gateways,
    TableAge age,
    LongSupplier clock) {
  /** Most tenants of an answer. */
  private static final int MOST_TENANTS = 100;

  public void mount(ApiRoutes routes) {
    routes.get("/api/v1/status/cluster", request -> document(request, "/v1/status", this::cluster));
    routes.get(
        "/api/v1/status/storage", request -> document(request, "/v1/storage", ClusterStorage::of));
    new SlowQueryRoute(config, querier).mount(routes);
    new CardinalityRoute(config, querier, clock).mount(routes);
  }

  /**
   * A document made of the answers of all gateways.
   *
   * @param path that gateways are asked for
   * @throws QueryFailure unless the caller may see the whole cluster
   */
  private Future<Body> document(
      ApiRequest request, String path, Function<AllGateways.Answers, JsonObject> form)
      throws QueryFailure {
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
    return gateways
        .apply(path)
        .map(
            answers ->
                Body.large(
                    () -> Json.data(json -> json.writeRawValue(form.apply(answers).encode()))));
  }

  private JsonObject cluster(AllGateways.Answers answers) {
    long now = clock.getAsLong();
    return ClusterStatus.of(config.cluster(), answers, age.since(), now)
        .put("queryApi", ProcessStatus.of(now))
        .put("tenants", tenants());
  }

  /** The use of this query API by tenant, those first whose queries took most time. */
  private JsonArray tenants() {
    Map<String, Integer> running = new TreeMap<>();
    querier.running().all().forEach(query -> running.merge(query.tenant(), 1, Integer::sum));
    JsonArray tenants = new JsonArray();
    for (SlowQueries.Use use : querier.slow().uses().stream().limit(MOST_TENANTS).toList()) {
      tenants.add(
          new JsonObject()
              .put("tenant", use.tenant())
              .put("queries", use.queries())
              .put("queryMillis", use.millis())
              .put("samples", use.samples())
              .put("refused", use.refused())
              .put("failed", use.failed())
              .put("running", running.getOrDefault(use.tenant(), 0)));
    }
    return tenants;
  }
}
