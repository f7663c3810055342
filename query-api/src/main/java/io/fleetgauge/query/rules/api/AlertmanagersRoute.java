package io.fleetgauge.query.rules.api;

import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.http.Json;
import io.vertx.core.Future;
import java.net.URI;
import java.util.List;
import java.util.function.Supplier;

/** {@code /api/v1/alertmanagers}: where alerts are sent. A token with a scope sees none. */
final class AlertmanagersRoute {
  private final Supplier<List<URI>> alertmanagers;

  /**
   * @param alertmanagers the URLs to which alerts are sent now
   */
  AlertmanagersRoute(Supplier<List<URI>> alertmanagers) {
    this.alertmanagers = alertmanagers;
  }

  void mount(ApiRoutes routes) {
    routes.get("/api/v1/alertmanagers", this::alertmanagers);
  }

  private Future<Body> alertmanagers(ApiRequest request) {
    List<URI> seen = request.scopedTenants().isEmpty() ? alertmanagers.get() : List.of();
    return Future.succeededFuture(
        Body.small(
            () ->
                Json.data(
                    json -> {
                      json.writeStartObject();
                      json.writeArrayFieldStart("activeAlertmanagers");
                      for (URI each : seen) {
                        json.writeStartObject();
                        json.writeStringField("url", each.toString());
                        json.writeEndObject();
                      }
                      json.writeEndArray();
                      json.writeArrayFieldStart("droppedAlertmanagers");
                      json.writeEndArray();
                      json.writeEndObject();
                    })));
  }
}
