package io.fleetgauge.query.grafana;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fleetgauge.cluster.config.QueryConfig;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Answered;
import io.fleetgauge.query.fanout.Cancellation;
import io.fleetgauge.query.fanout.Fanout;
import io.fleetgauge.query.fanout.Gathered;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Asker;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.http.Parameters;
import io.fleetgauge.query.http.Questions;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.KnownMetrics;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * What Grafana's data sources for JSON ask, under {@code /grafana}: simPod's plugin and the older
 * SimpleJson.
 */
public final class GrafanaApi {
  static final ObjectMapper JSON = new ObjectMapper();

  private static final int MOST_TARGETS = 100;
  private static final long SHORTEST_STEP = 1_000;
  private static final long MOST_POINTS = 11_000;
  private static final List<String> GROUPINGS =
      List.of("rack", "tenant", "job", "Hostname", "modelName", "gpu");
  private static final List<String> OPERATORS =
      List.of("none", "avg", "sum", "min", "max", "count");

  private final QueryConfig config;
  private final Questions questions;
  private final Fanout fanout;
  private final LongSupplier clock;

  /** A request's body, already looked into. */
  private record Wanted(JsonNode body, long start, long end, long step, List<Matcher> filters) {}

  public GrafanaApi(QueryConfig config, Questions questions, Fanout fanout, LongSupplier clock) {
    this.config = config;
    this.questions = questions;
    this.fanout = fanout;
    this.clock = clock;
  }

  public void mount(ApiRoutes routes) {
    routes.get("/grafana", this::test);
    routes.get("/grafana/", this::test);
    routes.postJson("/grafana/metrics", this::metrics);
    routes.postJson("/grafana/metric-payload-options", this::payloadOptions);
    routes.postJson("/grafana/search", this::search);
    routes.postJson("/grafana/variable", this::variable);
    routes.postJson("/grafana/tag-keys", this::tagKeys);
    routes.postJson("/grafana/tag-values", this::tagValues);
    routes.postJson("/grafana/query", this::query);
    routes.postJson("/grafana/annotations", this::annotations);
  }

  private Future<Body> test(RoutingContext http, Parameters parameters) {
    return ready(JSON.createObjectNode().put("status", "ok"));
  }

  private static Future<Body> ready(JsonNode node) {
    return Future.succeededFuture(Body.small(() -> bytes(node)));
  }

  private static Buffer bytes(JsonNode node) {
    try {
      return Buffer.buffer(JSON.writeValueAsBytes(node));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e); // a tree can always be written
    }
  }

  /** What was sent; an empty body is an empty object. */
  private static JsonNode body(RoutingContext http) throws QueryFailure {
    Buffer body = http.body().buffer();
    if (body == null || body.toString().isBlank()) {
      return JSON.createObjectNode();
    }
    try {
      JsonNode node = JSON.readTree(body.getBytes());
      if (node.isObject()) {
        return node;
      }
    } catch (java.io.IOException e) {
      throw bad("the body is no JSON: " + e.getMessage());
    }
    throw bad("the body is no JSON object");
  }

  static QueryFailure bad(String why) {
    return new QueryFailure(QueryFailure.Kind.BAD_DATA, why);
  }

  // --- what there is ---

  private Future<List<String>> values(Asker asker, String label, List<Matcher> besides) {
    List<Matcher> all = new ArrayList<>(asker.scope());
    all.addAll(besides);
    Fragment.Search search =
        new Fragment.Search(
            Parameters.EARLIEST, Parameters.LATEST, 0, all.isEmpty() ? List.of() : List.of(all));
    return fanout.labelValues(label, search, config.timeout().toMillis()).map(Gathered::value);
  }

  private Future<Body> metrics(RoutingContext http, Parameters parameters) throws QueryFailure {
    String wanted = body(http).path("metric").asText("");
    return values(Asker.of(http), Labels.NAME, List.of())
        .map(
            names ->
                Body.large(
                    () -> {
                      ArrayNode all = JSON.createArrayNode();
                      for (String name : names) {
                        if (wanted.isEmpty() || name.contains(wanted)) {
                          metric(all.addObject(), name);
                        }
                      }
                      return bytes(all);
                    }));
  }

  private static void metric(ObjectNode node, String name) {
    node.put("value", name);
    Optional<MetricMetadata> known = KnownMetrics.of(name);
    node.put("label", name + known.map(each -> " (" + each.help() + ")").orElse(""));
    ArrayNode payloads = node.putArray("payloads");
    ObjectNode operator = payload(payloads, "aggregate", "Aggregate", "select");
    options(operator.putArray("options"), OPERATORS);
    ObjectNode by = payload(payloads, "by", "Group by", "multi-select");
    options(by.putArray("options"), GROUPINGS);
    ObjectNode rate = payload(payloads, "rate", "Rate over", "select");
    options(rate.putArray("options"), List.of("none", "1m", "5m", "15m", "1h"));
    payload(payloads, "filters", "Filters", "input")
        .put("placeholder", "rack=\"r0\",job=~\"train-.*\"");
    ObjectNode format = payload(payloads, "format", "Format", "select");
    options(format.putArray("options"), List.of("timeserie", "table"));
  }

  private static ObjectNode payload(ArrayNode payloads, String name, String label, String type) {
    return payloads.addObject().put("name", name).put("label", label).put("type", type);
  }

  private static void options(ArrayNode into, List<String> values) {
    values.forEach(value -> into.addObject().put("value", value).put("label", value));
  }

  private Future<Body> payloadOptions(RoutingContext http, Parameters parameters)
      throws QueryFailure {
    String name = body(http).path("name").asText("");
    ArrayNode all = JSON.createArrayNode();
    switch (name) {
      case "aggregate" -> options(all, OPERATORS);
      case "by" -> options(all, GROUPINGS);
      case "rate" -> options(all, List.of("none", "1m", "5m", "15m", "1h"));
      case "format" -> options(all, List.of("timeserie", "table"));
      default -> {}
    }
    return ready(all);
  }

  private Future<Body> search(RoutingContext http, Parameters parameters) throws QueryFailure {
    String target = body(http).path("target").asText("");
    return found(http, target)
        .map(
            values ->
                Body.large(
                    () -> {
                      ArrayNode all = JSON.createArrayNode();
                      values.forEach(all::add);
                      return bytes(all);
                    }));
  }

  private Future<Body> variable(RoutingContext http, Parameters parameters) throws QueryFailure {
    JsonNode payload = body(http).path("payload");
    String target = payload.isTextual() ? payload.asText() : payload.path("target").asText("");
    return found(http, target)
        .map(
            values ->
                Body.large(
                    () -> {
                      ArrayNode all = JSON.createArrayNode();
                      for (String value : values) {
                        all.addObject().put("__text", value).put("__value", value);
                      }
                      return bytes(all);
                    }));
  }

  /** What a variable's query means. */
  private Future<List<String>> found(RoutingContext http, String target) throws QueryFailure {
    Asker asker = Asker.of(http);
    GrafanaTarget.Variable variable = GrafanaTarget.variable(target);
    return values(asker, variable.label(), variable.matchers())
        .map(values -> values.stream().filter(variable::takes).toList());
  }

  private Future<Body> tagKeys(RoutingContext http, Parameters parameters) throws QueryFailure {
    Asker asker = Asker.of(http);
    Fragment.Search search =
        new Fragment.Search(
            Parameters.EARLIEST,
            Parameters.LATEST,
            0,
            asker.isAll() ? List.of() : List.of(asker.scope()));
    return fanout
        .labelNames(search, config.timeout().toMillis())
        .map(
            found ->
                Body.large(
                    () -> {
                      ArrayNode all = JSON.createArrayNode();
                      for (String name : found.value()) {
                        if (!name.equals(Labels.NAME)) {
                          all.addObject().put("type", "string").put("text", name);
                        }
                      }
                      return bytes(all);
                    }));
  }

  private Future<Body> tagValues(RoutingContext http, Parameters parameters) throws QueryFailure {
    String key = body(http).path("key").asText("");
    if (key.isEmpty()) {
      throw bad("key is missing: the label whose values are wanted");
    }
    return values(Asker.of(http), key, List.of())
        .map(
            values ->
                Body.large(
                    () -> {
                      ArrayNode all = JSON.createArrayNode();
                      values.forEach(value -> all.addObject().put("text", value));
                      return bytes(all);
                    }));
  }

  // --- queries ---

  private Wanted wanted(RoutingContext http) throws QueryFailure {
    JsonNode body = body(http);
    long now = clock.getAsLong();
    long end = time(body.path("range").path("to"), now);
    long start = time(body.path("range").path("from"), end - 3_600_000);
    if (end < start) {
      throw bad("range.to is before range.from");
    }
    long interval = body.path("intervalMs").asLong(15_000);
    long points = Math.clamp(body.path("maxDataPoints").asLong(MOST_POINTS), 1, MOST_POINTS);
    long step = Math.max(Math.max(interval, SHORTEST_STEP), Math.ceilDiv(end - start, points));
    JsonNode filters =
        body.path("filters").isArray() ? body.path("filters") : body.path("adhocFilters");
    return new Wanted(
        body,
        // On multiples of the step, so that a refresh asks for what is known.
        Math.floorDiv(start, step) * step,
        Math.floorDiv(end, step) * step,
        step,
        GrafanaTarget.filters(filters));
  }

  private static long time(JsonNode node, long fallback) throws QueryFailure {
    if (node.isMissingNode() || node.isNull()) {
      return fallback;
    }
    if (node.isNumber()) {
      return Math.clamp(node.asLong(), Parameters.EARLIEST, Parameters.LATEST);
    }
    return Parameters.rfc3339(node.asText())
        .orElseThrow(
            () -> bad("the time " + node.asText() + " is not of the form 2026-11-22T10:00:00Z"));
  }

  private Future<Body> query(RoutingContext http, Parameters parameters) throws QueryFailure {
    Wanted wanted = wanted(http);
    JsonNode targets = wanted.body.path("targets");
    if (targets.size() > MOST_TARGETS) {
      throw bad("there are " + targets.size() + " targets, allowed are " + MOST_TARGETS);
    }
    Asker asker = Asker.of(http).with(wanted.filters);
    Cancellation cancellation = Questions.cancelledWith(http);
    List<Future<ArrayNode>> all = new ArrayList<>();
    for (JsonNode target : targets) {
      if (!target.path("hide").asBoolean(false)) {
        all.add(answer(http, asker, wanted, target, cancellation));
      }
    }
    return Future.all(all)
        .map(
            done ->
                Body.large(
                    () -> {
                      ArrayNode answers = JSON.createArrayNode();
                      all.forEach(each -> answers.addAll(each.result()));
                      return bytes(answers);
                    }));
  }

  private Future<ArrayNode> answer(
      RoutingContext http, Asker asker, Wanted wanted, JsonNode target, Cancellation cancellation)
      throws QueryFailure {
    GrafanaTarget meant = GrafanaTarget.of(target);
    if (meant.events()) {
      return events(http, asker, wanted, meant.text(), cancellation)
          .map(events -> JSON.createArrayNode().add(GrafanaEvents.table(events, meant.refId())));
    }
    if (meant.text().isBlank()) {
      return Future.succeededFuture(JSON.createArrayNode());
    }
    long start = meant.table() ? wanted.end : wanted.start;
    long step = meant.table() ? 0 : wanted.step;
    return ask(http, asker, meant.text(), start, wanted.end, step, cancellation)
        .map(
            answered ->
                meant.table()
                    ? JSON.createArrayNode().add(GrafanaTarget.table(answered, meant.refId()))
                    : GrafanaTarget.series(answered, meant.refId()));
  }

  private Future<Answered> ask(
      RoutingContext http,
      Asker asker,
      String text,
      long start,
      long end,
      long step,
      Cancellation cancellation) {
    return questions.ask(
        http,
        asker,
        new Questions.Question(
            text,
            start,
            end,
            step,
            config.lookback().toMillis(),
            config.timeout().toMillis(),
            Planner.Mode.AUTO,
            true,
            asker.grant().limits().strict()),
        cancellation);
  }

  // --- events ---

  private Future<Body> annotations(RoutingContext http, Parameters parameters) throws QueryFailure {
    Wanted wanted = wanted(http);
    JsonNode annotation = wanted.body.path("annotation");
    Asker asker = Asker.of(http).with(wanted.filters);
    String query = annotation.path("query").asText("");
    return events(http, asker, wanted, query, Questions.cancelledWith(http))
        .map(events -> Body.large(() -> bytes(GrafanaEvents.annotations(events, annotation))));
  }

  /** What happened to GPUs and hosts. */
  private Future<List<GrafanaEvents.Event>> events(
      RoutingContext http, Asker asker, Wanted wanted, String query, Cancellation cancellation)
      throws QueryFailure {
    List<Future<List<GrafanaEvents.Event>>> all = new ArrayList<>();
    for (Map.Entry<GrafanaEvents.Kind, String> each : GrafanaEvents.queries(query).entrySet()) {
      all.add(
          ask(http, asker, each.getValue(), wanted.start, wanted.end, wanted.step, cancellation)
              .map(answered -> GrafanaEvents.of(each.getKey(), answered, wanted.end, wanted.step)));
    }
    return Future.all(all)
        .map(done -> all.stream().flatMap(each -> each.result().stream()).sorted().toList());
  }

  /** The first of two nodes that is there. */
  static JsonNode either(JsonNode first, JsonNode second) {
    return first instanceof MissingNode ? second : first;
  }
}
