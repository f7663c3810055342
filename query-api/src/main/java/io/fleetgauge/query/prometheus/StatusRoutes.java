package io.fleetgauge.query.prometheus;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fleetgauge.cluster.status.HostSilence;
import io.fleetgauge.promql.lookup.HostState;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Caller;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.answer.Request;
import io.fleetgauge.query.answer.RunningQuery;
import io.fleetgauge.query.answer.SeriesFilter;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.fleet.ClusterState;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.http.Json;
import io.fleetgauge.query.http.Parameters;
import io.fleetgauge.runtime.process.Main;
import io.fleetgauge.sample.Labels;
import io.vertx.core.Future;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/** Status of the process and the cluster: {@code /api/v1/status}. */
final class StatusRoutes {
  /** The version of Prometheus that is answered like; clients choose features by it. */
  private static final String PROMETHEUS_VERSION = "3.5.3";

  private static final int DEFAULT_ITEMS = 10;
  private static final int MAX_ITEMS = 10_000;

  /** Statistics read at most this many series. */
  private static final int MAX_SERIES = 500_000;

  private final QueryConfig config;
  private final Querier querier;
  private final LongSupplier clock;

  StatusRoutes(QueryConfig config, Querier querier, LongSupplier clock) {
    this.config = config;
    this.querier = querier;
    this.clock = clock;
  }

  void mount(ApiRoutes routes) {
    // Some versions of Grafana ask for this as they ask for queries.
    routes.getOrPost("/api/v1/status/buildinfo", this::buildInfo);
    routes.get("/api/v1/status/config", this::configuration);
    routes.get("/api/v1/status/flags", this::flags);
    routes.get("/api/v1/status/runtimeinfo", this::runtimeInfo);
    routes.get("/api/v1/status/tsdb", this::tsdb);
    routes.get("/api/v1/status/walreplay", this::walReplay);
    routes.get("/api/v1/status/overview", this::overview);
  }

  private static Future<Body> object(Json.Data fields) {
    return Future.succeededFuture(
        Body.small(
            () ->
                Json.data(
                    json -> {
                      json.writeStartObject();
                      fields.write(json);
                      json.writeEndObject();
                    })));
  }

  /** Without the object {@code features}, which Grafana takes for that of another product. */
  private Future<Body> buildInfo(ApiRequest request) {
    return object(
        json -> {
          json.writeStringField("version", PROMETHEUS_VERSION);
          json.writeStringField("revision", "fleetgauge-" + Main.VERSION);
          json.writeStringField("branch", "");
          json.writeStringField("buildUser", "");
          json.writeStringField("buildDate", "");
          json.writeStringField("goVersion", "");
          json.writeStringField("application", "Fleetgauge");
        });
  }

  /** Keys that readers of a Prometheus's configuration look for; nothing of ours that is secret. */
  private Future<Body> configuration(ApiRequest request) {
    String yaml =
        "global:\n  scrape_interval: 15s\n  external_labels:\n    fleetgauge_cluster: "
            + config.cluster().name()
            + "\n";
    return object(json -> json.writeStringField("yaml", yaml));
  }

  private Future<Body> flags(ApiRequest request) {
    return object(
        json -> {
          json.writeStringField("enable-feature", String.join(",", config.features()));
          json.writeStringField("query.lookback-delta", seconds(config.lookback().toMillis()));
          json.writeStringField("query.max-concurrency", "" + config.maxConcurrent());
          json.writeStringField("query.max-samples", "" + config.limits().samples());
          json.writeStringField("query.timeout", seconds(config.timeout().toMillis()));
          json.writeStringField("web.enable-admin-api", "false");
          json.writeStringField("web.enable-lifecycle", "false");
          json.writeStringField("web.enable-remote-write-receiver", "false");
        });
  }

  private static String seconds(long millis) {
    return millis % 60_000 == 0 ? millis / 60_000 + "m" : millis / 1_000 + "s";
  }

  private Future<Body> runtimeInfo(ApiRequest request) {
    Runtime runtime = Runtime.getRuntime();
    Instant started = Instant.ofEpochMilli(ManagementFactory.getRuntimeMXBean().getStartTime());
    return object(
        json -> {
          json.writeStringField("startTime", started.toString());
          json.writeStringField("CWD", "");
          json.writeStringField("hostname", "");
          json.writeStringField("serverTime", Instant.ofEpochMilli(clock.getAsLong()).toString());
          json.writeBooleanField("reloadConfigSuccess", true);
          json.writeStringField("lastConfigTime", started.toString());
          json.writeNumberField("corruptionCount", 0);
          json.writeNumberField(
              "goroutineCount", ManagementFactory.getThreadMXBean().getThreadCount());
          json.writeNumberField("GOMAXPROCS", runtime.availableProcessors());
          json.writeNumberField("GOMEMLIMIT", runtime.maxMemory());
          json.writeStringField("GOGC", "");
          json.writeStringField("GODEBUG", "");
          json.writeStringField("storageRetention", "");
        });
  }

  private Future<Body> walReplay(ApiRequest request) {
    return object(
        json -> {
          json.writeNumberField("min", 0);
          json.writeNumberField("max", 0);
          json.writeNumberField("current", 0);
        });
  }

  /** Counts of hosts, and the cluster and running queries as far as the caller may see them. */
  private Future<Body> overview(ApiRequest request) throws QueryFailure {
    Caller caller = request.caller();
    long now = clock.getAsLong();
    return request
        .ask(querier, new Request.HostStates(), config.timeout().toMillis())
        .map(
            reply ->
                Body.large(
                    () ->
                        Json.success(
                            json -> {
                              List<HostState> hosts = reply.value();
                              int expected =
                                  caller.seesAllHosts()
                                      ? reply.completeness().expected()
                                      : hosts.size();
                              json.writeStartObject();
                              json.writeObjectFieldStart("hosts");
                              json.writeNumberField("expected", expected);
                              json.writeNumberField(
                                  "up",
                                  hosts.stream()
                                      .filter(
                                          host ->
                                              HostSilence.isUp(
                                                  host.newest(), host.tickMillis(), now))
                                      .count());
                              json.writeEndObject();
                              if (caller.seesAllHosts()) {
                                cluster(json);
                              }
                              tenants(json, caller, request.isOperator());
                              json.writeEndObject();
                            },
                            reply.warnings())));
  }

  private void cluster(JsonGenerator json) throws IOException {
    ClusterState cluster = querier.cluster();
    json.writeObjectFieldStart("cluster");
    json.writeNumberField("epoch", cluster.epoch());
    json.writeBooleanField("minority", cluster.minority());
    json.writeArrayFieldStart("gateways");
    for (ClusterState.Gateway gateway : cluster.gateways()) {
      json.writeStartObject();
      json.writeStringField("name", gateway.name());
      json.writeStringField("address", gateway.address());
      json.writeNumberField("hosts", gateway.hosts());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private void tenants(JsonGenerator json, Caller caller, boolean isOperator) throws IOException {
    Map<String, Integer> counts = new TreeMap<>();
    counts.put(caller.tenant(), 0);
    boolean all = caller.seesAllHosts() && isOperator;
    for (RunningQuery query : querier.running().all()) {
      String tenant = query.tenant();
      if (all || tenant.equals(caller.tenant())) {
        counts.merge(tenant, 1, Integer::sum);
      }
    }
    json.writeArrayFieldStart("tenants");
    for (Map.Entry<String, Integer> each : counts.entrySet()) {
      json.writeStartObject();
      json.writeStringField("name", each.getKey());
      json.writeNumberField("running", each.getValue());
      json.writeNumberField("limit", caller.limits().running());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  /** Statistics of the series that the caller sees and that have samples of the last minutes. */
  private Future<Body> tsdb(ApiRequest request) throws QueryFailure {
    Parameters parameters = request.parameters();
    int limit = parameters.text("limit").isEmpty() ? DEFAULT_ITEMS : parameters.limit();
    if (limit < 1 || limit > MAX_ITEMS) {
      throw Parameters.invalid("limit", "limit must be from 1 to " + MAX_ITEMS);
    }
    long now = clock.getAsLong();
    SeriesFilter recent =
        new SeriesFilter(now - config.lookback().toMillis(), now, MAX_SERIES, List.of());
    return request
        .ask(querier, new Request.SeriesLabels(recent), config.timeout().toMillis())
        .map(
            reply ->
                Body.large(
                    () ->
                        Json.success(
                            json -> statistics(json, reply.value(), now, limit),
                            reply.warnings())));
  }

  private void statistics(JsonGenerator json, List<Labels> series, long now, int limit)
      throws IOException {
    Map<String, Long> byMetric = new HashMap<>();
    Map<String, Long> byPair = new HashMap<>();
    Map<String, Set<String>> values = new HashMap<>();
    for (Labels labels : series) {
      byMetric.merge(labels.metric(), 1L, Long::sum);
      for (int i = 0; i < labels.size(); i++) {
        byPair.merge(labels.name(i) + "=" + labels.value(i), 1L, Long::sum);
        values.computeIfAbsent(labels.name(i), none -> new HashSet<>()).add(labels.value(i));
      }
    }
    Map<String, Long> byLabel = new HashMap<>();
    Map<String, Long> bytes = new HashMap<>();
    values.forEach(
        (name, all) -> {
          byLabel.put(name, (long) all.size());
          bytes.put(name, all.stream().mapToLong(String::length).sum());
        });
    json.writeStartObject();
    json.writeObjectFieldStart("headStats");
    json.writeNumberField("numSeries", series.size());
    json.writeNumberField("numLabelPairs", byPair.size());
    json.writeNumberField("chunkCount", series.size());
    json.writeNumberField("minTime", now - config.lookback().toMillis());
    json.writeNumberField("maxTime", now);
    json.writeEndObject();
    top(json, "seriesCountByMetricName", byMetric, limit);
    top(json, "labelValueCountByLabelName", byLabel, limit);
    top(json, "memoryInBytesByLabelName", bytes, limit);
    top(json, "seriesCountByLabelValuePair", byPair, limit);
    json.writeEndObject();
  }

  private static void top(JsonGenerator json, String field, Map<String, Long> counts, int limit)
      throws IOException {
    List<Map.Entry<String, Long>> all = new ArrayList<>(counts.entrySet());
    all.sort(
        Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
            .thenComparing(Map.Entry.comparingByKey()));
    json.writeArrayFieldStart(field);
    for (var each : all.subList(0, Math.min(limit, all.size()))) {
      json.writeStartObject();
      json.writeStringField("name", each.getKey());
      json.writeNumberField("value", each.getValue());
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
