package io.fleetgauge.query.prometheus;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.answer.SeriesFilter;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.http.Json;
import io.fleetgauge.query.http.Parameters;
import io.vertx.core.Future;

/**
 * Routes of Prometheus for what this product does not have, such as exemplars. Clients ask for them
 * unconditionally, so the answers are empty instead of 404; wrong parameters are errors all the
 * same.
 */
final class UnsupportedRoutes {
  private final Querier querier;

  UnsupportedRoutes(Querier querier) {
    this.querier = querier;
  }

  void mount(ApiRoutes routes) {
    routes.getOrPost("/api/v1/query_exemplars", this::exemplars);
    routes.get("/api/v1/targets/metadata", request -> emptyArray());
    routes.get("/api/v1/notifications", request -> emptyArray());
  }

  private Future<Body> exemplars(ApiRequest request) throws QueryFailure {
    Parameters parameters = request.parameters();
    long start = parameters.time("start", SeriesFilter.EARLIEST);
    long end = parameters.time("end", SeriesFilter.LATEST);
    if (end < start) {
      throw Parameters.invalid("end", "end timestamp must not be before start timestamp");
    }
    querier.parsed(parameters.text("query"));
    return emptyArray();
  }

  private static Future<Body> emptyArray() {
    return Future.succeededFuture(
        Body.small(() -> Json.data(json -> json.writeArray(new int[0], 0, 0))));
  }
}
