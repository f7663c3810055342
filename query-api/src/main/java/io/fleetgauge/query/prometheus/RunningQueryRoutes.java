package io.fleetgauge.query.prometheus;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.http.Json;
import io.fleetgauge.query.peers.OtherQueryApis;
import io.fleetgauge.query.peers.RemoteQuery;
import io.vertx.core.Future;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Lists the queries that run on all query APIs of the cluster, and cancels one: {@code
 * /api/v1/status/queries}.
 */
final class RunningQueryRoutes {
  private final Querier querier;
  private final OtherQueryApis others;

  RunningQueryRoutes(Querier querier, OtherQueryApis others) {
    this.querier = querier;
    this.others = others;
  }

  void mount(ApiRoutes routes) {
    routes.get("/api/v1/status/queries", this::queries);
    routes.post("/api/v1/status/queries/:id/cancel", this::cancel);
  }

  /** Those of the caller's tenant; of all tenants for an operator. */
  private Future<Body> queries(ApiRequest request) throws QueryFailure {
    String tenant = request.caller().tenant();
    boolean isOperator = request.isOperator();
    return others
        .queries()
        .map(
            listing -> {
              List<RemoteQuery> queries = new ArrayList<>();
              long now = System.nanoTime();
              querier.running().all().forEach(query -> queries.add(RemoteQuery.of(query, now)));
              queries.addAll(listing.queries());
              queries.removeIf(query -> !isOperator && !query.tenant().equals(tenant));
              return Body.large(
                  () ->
                      Json.success(
                          json -> {
                            json.writeStartArray();
                            for (RemoteQuery query : queries) {
                              write(json, query);
                            }
                            json.writeEndArray();
                          },
                          warnings(listing.silent())));
            });
  }

  private static List<String> warnings(List<String> silent) {
    return silent.isEmpty()
        ? List.of()
        : List.of("queries of these query APIs are missing: " + String.join(", ", silent));
  }

  private static void write(JsonGenerator json, RemoteQuery query) throws IOException {
    json.writeStartObject();
    json.writeNumberField("id", query.id());
    json.writeStringField("tenant", query.tenant());
    json.writeStringField("query", query.text());
    json.writeStringField("state", query.state());
    json.writeNumberField("millis", query.millis());
    json.writeNumberField("series", query.series());
    json.writeNumberField("samples", query.samples());
    json.writeEndObject();
  }

  private Future<Body> cancel(ApiRequest request) throws QueryFailure {
    if (!request.isOperator()) {
      throw new QueryFailure(
          QueryFailure.Kind.FORBIDDEN,
          "canceling a query needs a token with the operate permission");
    }
    String id = request.pathParameter("id");
    if (!id.matches("\\d{1,18}")) {
      throw noSuchQuery(id, List.of());
    }
    long query = Long.parseLong(id);
    if (querier.running().cancel(query)) {
      return Future.succeededFuture(Body.small(() -> Json.text("canceled")));
    }
    return others
        .cancel(query, request.caller().tenant())
        .compose(
            cancelled ->
                cancelled.found()
                    ? Future.succeededFuture(Body.small(() -> Json.text("canceled")))
                    : Future.failedFuture(noSuchQuery(id, cancelled.silent())));
  }

  private static QueryFailure noSuchQuery(String id, List<String> silent) {
    return new QueryFailure(
        QueryFailure.Kind.BAD_DATA,
        "no query with the id "
            + id
            + " is running"
            + (silent.isEmpty()
                ? ""
                : "; these query APIs did not respond: " + String.join(", ", silent)));
  }
}
