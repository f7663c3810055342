package io.fleetgauge.query.operate;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.http.Json;
import io.fleetgauge.query.http.Parameters;
import io.fleetgauge.query.slow.EndedQuery;
import io.fleetgauge.query.slow.SlowQueries;
import io.vertx.core.Future;
import java.io.IOException;
import java.util.List;

/**
 * {@code /api/v1/status/slow-queries}: the costliest kinds of queries of this query API since it
 * started; those of the caller's tenant, and of all tenants for an operator.
 */
record SlowQueryRoute(QueryConfig config, Querier querier) {
  private static final int DEFAULT_ITEMS = 20;

  void mount(ApiRoutes routes) {
    routes.get("/api/v1/status/slow-queries", this::queries);
  }

  private Future<Body> queries(ApiRequest request) throws QueryFailure {
    Parameters parameters = request.parameters();
    int limit = parameters.text("limit").isEmpty() ? DEFAULT_ITEMS : parameters.limit();
    if (limit < 1 || limit > SlowQueries.MAX_KINDS) {
      throw Parameters.invalid("limit", "limit must be from 1 to " + SlowQueries.MAX_KINDS);
    }
    long atLeast = parameters.duration("min", config.slowWarn().toMillis());
    String tenant = request.caller().tenant();
    boolean all = request.isOperator() && request.caller().seesAllHosts();
    List<SlowQueries.Kind> kinds =
        querier.slow().kinds().stream()
            .filter(kind -> all || kind.tenant().equals(tenant))
            .filter(kind -> kind.slowest().millis() >= atLeast)
            .limit(limit)
            .toList();
    return Future.succeededFuture(
        Body.large(
            () ->
                Json.data(
                    json -> {
                      json.writeStartObject();
                      json.writeNumberField("warnMillis", config.slowWarn().toMillis());
                      json.writeNumberField("errorMillis", config.slowError().toMillis());
                      json.writeArrayFieldStart("queries");
                      for (SlowQueries.Kind kind : kinds) {
                        write(json, kind);
                      }
                      json.writeEndArray();
                      json.writeEndObject();
                    })));
  }

  private void write(JsonGenerator json, SlowQueries.Kind kind) throws IOException {
    EndedQuery slowest = kind.slowest();
    json.writeStartObject();
    json.writeStringField("tenant", kind.tenant());
    json.writeStringField("fingerprint", kind.fingerprint());
    json.writeStringField("severity", severity(slowest.millis()));
    json.writeNumberField("count", kind.count());
    json.writeNumberField("totalMillis", kind.totalMillis());
    json.writeNumberField("p50Millis", kind.p50Millis());
    json.writeNumberField("p99Millis", kind.p99Millis());
    json.writeNumberField("maxMillis", slowest.millis());
    json.writeNumberField("failures", kind.failures());
    json.writeNumberField("samples", kind.samples());
    json.writeObjectFieldStart("slowest");
    json.writeStringField("query", slowest.text());
    json.writeNumberField("samples", slowest.samples());
    json.writeNumberField("work", slowest.work());
    json.writeNumberField("queuedMillis", slowest.queuedMillis());
    json.writeNumberField("fetchedMillis", slowest.fetchedMillis());
    json.writeNumberField("evaluatedMillis", slowest.evaluatedMillis());
    json.writeArrayFieldStart("why");
    for (String why : slowest.why()) {
      json.writeString(why);
    }
    json.writeEndArray();
    json.writeEndObject();
    json.writeEndObject();
  }

  private String severity(long millis) {
    if (millis >= config.slowError().toMillis()) {
      return "error";
    }
    return millis >= config.slowWarn().toMillis() ? "warning" : "none";
  }
}
