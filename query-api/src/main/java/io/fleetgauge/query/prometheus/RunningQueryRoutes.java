package io.fleetgauge.query.prometheus;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.answer.RunningQuery;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.http.Json;
import io.vertx.core.Future;
import java.io.IOException;
import java.util.List;

/** Lists running queries, and cancels one: {@code /api/v1/status/queries}. */
final class RunningQueryRoutes {
  private final Querier querier;

  RunningQueryRoutes(Querier querier) {
    this.querier = querier;
  }

  void mount(ApiRoutes routes) {
    routes.get("/api/v1/status/queries", this::queries);
    routes.post("/api/v1/status/queries/:id/cancel", this::cancel);
  }

  /** Those of the caller's tenant; of all tenants for an operator. */
  private Future<Body> queries(ApiRequest request) throws QueryFailure {
    String tenant = request.caller().tenant();
    List<RunningQuery> running =
        querier.running().all().stream()
            .filter(query -> request.isOperator() || query.tenant().equals(tenant))
            .toList();
    long now = System.nanoTime();
    return Future.succeededFuture(
        Body.large(
            () ->
                Json.data(
                    json -> {
                      json.writeStartArray();
                      for (RunningQuery query : running) {
                        write(json, query, now);
                      }
                      json.writeEndArray();
                    })));
  }

  private static void write(JsonGenerator json, RunningQuery query, long now) throws IOException {
    json.writeStartObject();
    json.writeNumberField("id", query.id());
    json.writeStringField("tenant", query.tenant());
    json.writeStringField("query", query.text());
    json.writeStringField("state", query.state().text);
    json.writeNumberField("millis", (now - query.begun()) / 1_000_000);
    json.writeNumberField("series", query.cost().series());
    json.writeNumberField("samples", query.cost().samples());
    json.writeEndObject();
  }

  private Future<Body> cancel(ApiRequest request) throws QueryFailure {
    if (!request.isOperator()) {
      throw new QueryFailure(
          QueryFailure.Kind.FORBIDDEN, "cancelling a query needs a token with the operate right");
    }
    String id = request.pathParameter("id");
    if (!id.matches("\\d{1,18}") || !querier.running().cancel(Long.parseLong(id))) {
      throw new QueryFailure(
          QueryFailure.Kind.BAD_DATA, "no query with the id " + id + " is running");
    }
    return Future.succeededFuture(Body.small(() -> Json.text("cancelled")));
  }
}
