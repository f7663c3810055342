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

/** The cluster and its storage, as all gateways together say. */
final class ClusterRoutes {
  private static final String GATEWAY_STATUS = "/v1/status";
  private static final String GATEWAY_STORAGE = "/v1/storage";

  /** Most tenants of an answer. */
  private static final int MOST_TENANTS = 100;

  private final QueryConfig config;
  private final Querier querier;
  private final Function<String, Future<AllGateways.Answers>> gateways;
  private final TableAge age;
  private final LongSupplier clock;

  ClusterRoutes(
      QueryConfig config,
      Querier querier,
      Function<String, Future<AllGateways.Answers>> gateways,
      TableAge age,
      LongSupplier clock) {
    this.config = config;
    this.querier = querier;
    this.gateways = gateways;
    this.age = age;
    this.clock = clock;
  }

  void mount(ApiRoutes routes) {
    routes.get("/api/v1/status/cluster", this::cluster);
    routes.get("/api/v1/status/storage", this::storage);
  }

  private Future<Body> cluster(ApiRequest request) throws QueryFailure {
    OperateApi.needsTheWholeCluster(request);
    return gateways
        .apply(GATEWAY_STATUS)
        .map(
            answers ->
                Body.large(
                    () -> {
                      long now = clock.getAsLong();
                      JsonObject status =
                          ClusterStatus.of(config.cluster(), answers, age.since(), now)
                              .put("queryApi", ProcessStatus.of(now))
                              .put("tenants", tenants());
                      return Json.data(json -> json.writeRawValue(status.encode()));
                    }));
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

  private Future<Body> storage(ApiRequest request) throws QueryFailure {
    OperateApi.needsTheWholeCluster(request);
    return gateways
        .apply(GATEWAY_STORAGE)
        .map(
            answers ->
                Body.large(
                    () ->
                        Json.data(
                            json -> json.writeRawValue(ClusterStorage.of(answers).encode()))));
  }
}
