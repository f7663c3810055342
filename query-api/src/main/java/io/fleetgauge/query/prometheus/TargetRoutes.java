package io.fleetgauge.query.prometheus;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fleetgauge.cluster.status.HostSilence;
import io.fleetgauge.promql.lookup.HostState;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.answer.Request;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.http.Json;
import io.vertx.core.Future;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.function.LongSupplier;

/** The hosts that the caller sees, as if each were scraped. */
final class TargetRoutes {
  private static final String POOL = "fleetgauge";

  private final QueryConfig config;
  private final Querier querier;
  private final LongSupplier clock;

  TargetRoutes(QueryConfig config, Querier querier, LongSupplier clock) {
    this.config = config;
    this.querier = querier;
    this.clock = clock;
  }

  void mount(ApiRoutes routes) {
    routes.get("/api/v1/targets", this::targets);
    routes.get("/api/v1/scrape_pools", request -> scrapePools());
  }

  private Future<Body> targets(ApiRequest request) throws QueryFailure {
    String state = request.parameters().text("state");
    boolean active = state.isEmpty() || state.equals("active") || state.equals("any");
    String pool = request.parameters().text("scrapePool");
    boolean wanted = active && (pool.isEmpty() || pool.equals(POOL));
    long now = clock.getAsLong();
    return request
        .ask(querier, new Request.HostStates(), config.timeout().toMillis())
        .map(
            reply ->
                Body.large(
                    () ->
                        Json.success(
                            json -> write(json, wanted ? reply.value() : List.of(), now),
                            reply.warnings())));
  }

  private static void write(JsonGenerator json, List<HostState> hosts, long now)
      throws IOException {
    json.writeStartObject();
    json.writeArrayFieldStart("activeTargets");
    for (HostState host : hosts) {
      target(json, host, now);
    }
    json.writeEndArray();
    json.writeArrayFieldStart("droppedTargets");
    json.writeEndArray();
    json.writeObjectFieldStart("droppedTargetCounts");
    json.writeEndObject();
    json.writeEndObject();
  }

  private static void target(JsonGenerator json, HostState host, long now) throws IOException {
    boolean up = HostSilence.isUp(host.newest(), host.tickMillis(), now);
    json.writeStartObject();
    json.writeObjectFieldStart("discoveredLabels");
    json.writeStringField("__address__", host.name());
    json.writeEndObject();
    json.writeObjectFieldStart("labels");
    json.writeStringField("instance", host.name());
    json.writeStringField("job", POOL);
    json.writeEndObject();
    json.writeStringField("scrapePool", POOL);
    json.writeStringField("scrapeUrl", "");
    json.writeStringField("globalUrl", "");
    json.writeStringField(
        "lastError", up ? "" : "the last tick arrived " + (now - host.newest()) / 1_000 + " s ago");
    json.writeStringField("lastScrape", Instant.ofEpochMilli(host.newest()).toString());
    json.writeNumberField("lastScrapeDuration", 0);
    json.writeStringField("health", up ? "up" : "down");
    json.writeStringField("scrapeInterval", seconds(host.tickMillis()));
    json.writeStringField("scrapeTimeout", seconds(host.tickMillis()));
    json.writeEndObject();
  }

  private static String seconds(long millis) {
    return Math.round(millis / 1000.0) + "s";
  }

  private static Future<Body> scrapePools() {
    return Future.succeededFuture(
        Body.small(
            () ->
                Json.data(
                    json -> {
                      json.writeStartObject();
                      json.writeArrayFieldStart("scrapePools");
                      json.writeString(POOL);
                      json.writeEndArray();
                      json.writeEndObject();
                    })));
  }
}
