package io.fleetgauge.query.prometheus;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fleetgauge.cluster.config.QueryConfig;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.fanout.Fanout;
import io.fleetgauge.query.fanout.Gathered;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Asker;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.http.ConcurrencyLimit;
import io.fleetgauge.query.http.Json;
import io.fleetgauge.query.http.Parameters;
import io.fleetgauge.query.http.Questions;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.KnownMetrics;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/** What there is to be asked for: labels, series, metadata, targets, rules. */
final class DiscoveryApi {
  /** A host is down when so many of its ticks did not come. */
  private static final int MISSED_TICKS = 4;

  private static final long SHORTEST_SILENCE = 30_000;
  private static final int MOST_AT_ONCE = 100;
  private static final String HOST = "Hostname";

  private final QueryConfig config;
  private final Fanout fanout;
  private final LongSupplier clock;
  private final ConcurrencyLimit atOnce =
      new ConcurrencyLimit(MOST_AT_ONCE, "questions for labels and series");

  DiscoveryApi(QueryConfig config, Fanout fanout, LongSupplier clock) {
    this.config = config;
    this.fanout = fanout;
    this.clock = clock;
  }

  void mount(ApiRoutes routes) {
    routes.getOrPost("/api/v1/labels", this::labels);
    // Prometheus has this by GET only; some versions of Grafana ask by POST.
    routes.getOrPost("/api/v1/label/:name/values", this::values);
    routes.getOrPost("/api/v1/series", this::series);
    routes.get("/api/v1/metadata", this::metadata);
    routes.get("/api/v1/targets/metadata", this::targetsMetadata);
    routes.get("/api/v1/targets", this::targets);
    routes.get("/api/v1/scrape_pools", this::scrapePools);
    routes.getOrPost("/api/v1/query_exemplars", this::exemplars);
    routes.get("/api/v1/rules", this::rules);
    routes.get("/api/v1/alerts", this::alerts);
    routes.get("/api/v1/alertmanagers", this::alertmanagers);
    routes.get(
        "/api/v1/notifications",
        (http, parameters) -> ready(json -> json.writeArray(new int[0], 0, 0)));
  }

  private static Future<Body> ready(Json.Data data) {
    return Future.succeededFuture(Body.small(() -> Json.data(data)));
  }

  private Future<Body> labels(RoutingContext http, Parameters parameters) throws QueryFailure {
    Asker asker = Asker.of(http);
    Fragment.Search search = parameters.search(asker.scope());
    return atOnce
        .run(() -> fanout.labelNames(search, config.timeout().toMillis()))
        .map(found -> strings(found, search.limit(), asker.isAll()));
  }

  private Future<Body> values(RoutingContext http, Parameters parameters) throws QueryFailure {
    Asker asker = Asker.of(http);
    Fragment.Search search = parameters.search(asker.scope());
    String name = LabelNames.unescaped(http.pathParam("name"));
    return atOnce
        .run(() -> fanout.labelValues(name, search, config.timeout().toMillis()))
        .map(found -> strings(found, search.limit(), asker.isAll()));
  }

  private Future<Body> series(RoutingContext http, Parameters parameters) throws QueryFailure {
    Asker asker = Asker.of(http);
    if (parameters.texts("match[]").isEmpty()) {
      throw new QueryFailure(QueryFailure.Kind.BAD_DATA, "no match[] parameter provided");
    }
    Fragment.Search search = parameters.search(asker.scope());
    return atOnce
        .run(() -> fanout.labelSets(search, config.timeout().toMillis()))
        .map(
            found ->
                Body.large(
                    () ->
                        Json.labelSets(
                            first(found.value(), search.limit()),
                            warnings(found, search.limit(), asker.isAll()))));
  }

  private static Body strings(Gathered<List<String>> found, int searchLimit, boolean named) {
    return Body.large(
        () -> Json.success(first(found.value(), searchLimit), warnings(found, searchLimit, named)));
  }

  /** The search asked for one more than the limit. */
  private static <T> List<T> first(List<T> items, int searchLimit) {
    return searchLimit == 0 || items.size() < searchLimit
        ? items
        : items.subList(0, searchLimit - 1);
  }

  private static <T> List<String> warnings(
      Gathered<List<T>> found, int searchLimit, boolean named) {
    List<String> warnings = new ArrayList<>(found.warnings(named));
    if (searchLimit > 0 && found.value().size() >= searchLimit) {
      warnings.add(PrometheusApi.TRUNCATED);
    }
    return warnings;
  }

  // --- metadata ---

  private Future<Body> metadata(RoutingContext http, Parameters parameters) throws QueryFailure {
    int limit = parameters.limit();
    int limitPerMetric = parameters.limit("limit_per_metric");
    String wanted = parameters.text("metric");
    return known(Asker.of(http))
        .map(
            all ->
                Body.large(
                    () ->
                        Json.data(
                            json -> {
                              json.writeStartObject();
                              int count = 0;
                              for (var metric : all.entrySet()) {
                                if (!wanted.isEmpty() && !wanted.equals(metric.getKey())) {
                                  continue;
                                }
                                if (limit > 0 && count++ >= limit) {
                                  break;
                                }
                                json.writeArrayFieldStart(metric.getKey());
                                for (MetricMetadata said : metric.getValue()) {
                                  json.writeStartObject();
                                  json.writeStringField("type", said.type());
                                  json.writeStringField("help", said.help());
                                  json.writeStringField("unit", said.unit());
                                  json.writeEndObject();
                                  if (limitPerMetric == 1) {
                                    break;
                                  }
                                }
                                json.writeEndArray();
                              }
                              json.writeEndObject();
                            })));
  }

  /** What is known of the metrics that the asker can see, by name: what senders say comes first. */
  private Future<Map<String, List<MetricMetadata>>> known(Asker asker) {
    long timeout = config.timeout().toMillis();
    Future<Gathered<Map<String, MetricMetadata>>> said =
        fanout.metadata(asker.isAll() ? List.of() : asker.tenants(), timeout);
    Future<Gathered<List<String>>> names =
        fanout.labelValues(
            Labels.NAME,
            new Fragment.Search(
                Parameters.EARLIEST,
                Parameters.LATEST,
                0,
                asker.isAll() ? List.of() : List.of(asker.scope())),
            timeout);
    return Future.all(said, names)
        .map(
            both -> {
              Map<String, List<MetricMetadata>> all = new TreeMap<>();
              Set<String> visible = new HashSet<>(names.result().value());
              said.result()
                  .value()
                  .forEach(
                      (metric, metadata) -> {
                        if (isVisible(metric, visible)) {
                          all.put(metric, new ArrayList<>(List.of(metadata)));
                        }
                      });
              for (String metric : visible) {
                Optional<MetricMetadata> ours = KnownMetrics.of(metric);
                if (ours.isPresent() && !all.containsKey(metric)) {
                  all.put(metric, List.of(ours.get()));
                }
              }
              return all;
            });
  }

  /** Histograms and summaries are one metric to their senders, and several series here. */
  private static boolean isVisible(String metric, Set<String> names) {
    return names.contains(metric)
        || names.contains(metric + "_bucket")
        || names.contains(metric + "_count")
        || names.contains(metric + "_total");
  }

  private Future<Body> targetsMetadata(RoutingContext http, Parameters parameters) {
    return ready(json -> json.writeArray(new int[0], 0, 0));
  }

  // --- targets ---

  /** The hosts, as if each were scraped. */
  private Future<Body> targets(RoutingContext http, Parameters parameters) throws QueryFailure {
    String state = parameters.text("state");
    boolean active = state.isEmpty() || state.equals("active") || state.equals("any");
    String pool = parameters.text("scrapePool");
    long now = clock.getAsLong();
    return visibleHosts(Asker.of(http))
        .map(
            hosts ->
                Body.large(
                    () ->
                        Json.data(
                            json -> {
                              json.writeStartObject();
                              json.writeArrayFieldStart("activeTargets");
                              if (active && (pool.isEmpty() || pool.equals("fleetgauge"))) {
                                for (FragmentAnswer.Host host : hosts) {
                                  target(json, host, now);
                                }
                              }
                              json.writeEndArray();
                              json.writeArrayFieldStart("droppedTargets");
                              json.writeEndArray();
                              json.writeObjectFieldStart("droppedTargetCounts");
                              json.writeEndObject();
                              json.writeEndObject();
                            })));
  }

  /** The hosts of which the asker sees something. */
  Future<List<FragmentAnswer.Host>> visibleHosts(Asker asker) {
    long timeout = config.timeout().toMillis();
    Future<Gathered<List<FragmentAnswer.Host>>> all = fanout.hostStates(timeout);
    if (asker.isAll()) {
      return all.map(Gathered::value);
    }
    Fragment.Search search =
        new Fragment.Search(Parameters.EARLIEST, Parameters.LATEST, 0, List.of(asker.scope()));
    Future<Gathered<List<String>>> visible = fanout.labelValues(HOST, search, timeout);
    return Future.all(all, visible)
        .map(
            both -> {
              Set<String> names = new HashSet<>(visible.result().value());
              return all.result().value().stream()
                  .filter(host -> names.contains(host.name()))
                  .toList();
            });
  }

  static boolean isUp(FragmentAnswer.Host host, long now) {
    return now - host.newest() <= Math.max(SHORTEST_SILENCE, MISSED_TICKS * host.tickMillis());
  }

  private static void target(JsonGenerator json, FragmentAnswer.Host host, long now)
      throws IOException {
    boolean up = isUp(host, now);
    json.writeStartObject();
    json.writeObjectFieldStart("discoveredLabels");
    json.writeStringField("__address__", host.name());
    json.writeEndObject();
    json.writeObjectFieldStart("labels");
    json.writeStringField("instance", host.name());
    json.writeStringField("job", "fleetgauge");
    json.writeEndObject();
    json.writeStringField("scrapePool", "fleetgauge");
    json.writeStringField("scrapeUrl", "");
    json.writeStringField("globalUrl", "");
    json.writeStringField(
        "lastError", up ? "" : "the last tick came " + (now - host.newest()) / 1_000 + " s ago");
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

  private Future<Body> scrapePools(RoutingContext http, Parameters parameters) {
    return ready(
        json -> {
          json.writeStartObject();
          json.writeArrayFieldStart("scrapePools");
          json.writeString("fleetgauge");
          json.writeEndArray();
          json.writeEndObject();
        });
  }

  // --- what there is none of ---

  /** No exemplars are kept; who asks by a wrong query is told. */
  private Future<Body> exemplars(RoutingContext http, Parameters parameters) throws QueryFailure {
    long start = parameters.time("start", Parameters.EARLIEST);
    long end = parameters.time("end", Parameters.LATEST);
    if (end < start) {
      throw Parameters.invalid("end", "end timestamp must not be before start timestamp");
    }
    Questions.parsed(parameters.text("query"), Set.of(), 0, 0);
    return ready(json -> json.writeArray(new int[0], 0, 0));
  }

  private Future<Body> rules(RoutingContext http, Parameters parameters) throws QueryFailure {
    String type = parameters.text("type");
    if (!Set.of("", "alert", "record").contains(type)) {
      throw Parameters.invalid("type", "not supported value \"" + type + "\"");
    }
    parameters.limit("group_limit");
    return ready(empty("groups"));
  }

  private Future<Body> alerts(RoutingContext http, Parameters parameters) {
    return ready(empty("alerts"));
  }

  private Future<Body> alertmanagers(RoutingContext http, Parameters parameters) {
    return ready(empty("activeAlertmanagers", "droppedAlertmanagers"));
  }

  private static Json.Data empty(String... lists) {
    return json -> {
      json.writeStartObject();
      for (String list : lists) {
        json.writeArrayFieldStart(list);
        json.writeEndArray();
      }
      json.writeEndObject();
    };
  }
}
