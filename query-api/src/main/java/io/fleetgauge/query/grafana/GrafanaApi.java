package io.fleetgauge.query.grafana;

import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Body;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.function.LongSupplier;

/** All routes under {@code /grafana}, for simPod's plugin and the older SimpleJson. */
public final class GrafanaApi {
  private GrafanaApi() {}

  /**
   * @param clock ms since the epoch
   */
  public static void mount(
      ApiRoutes routes, QueryConfig config, Querier querier, LongSupplier clock) {
    routes.get("/grafana", request -> connectionTest());
    routes.get("/grafana/", request -> connectionTest());
    new LookupRoutes(config, querier).mount(routes);
    new PanelRoutes(config, querier, clock).mount(routes);
  }

  private static Future<Body> connectionTest() {
    return Future.succeededFuture(
        Body.small(() -> new JsonObject().put("status", "ok").toBuffer()));
  }
}
