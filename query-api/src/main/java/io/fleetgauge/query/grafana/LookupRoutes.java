package io.fleetgauge.query.grafana;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.answer.Reply;
import io.fleetgauge.query.answer.Request;
import io.fleetgauge.query.answer.SeriesFilter;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.KnownMetrics;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/** What an editor of panels and a dashboard's variables choose from. */
final class LookupRoutes {
  private static final List<String> GROUPINGS =
      List.of("rack", "tenant", "job", "Hostname", "modelName", "gpu");
  private static final List<String> OPERATORS =
      List.of("none", "avg", "sum", "min", "max", "count");
  private static final List<String> RATES = List.of("none", "1m", "5m", "15m", "1h");
  private static final List<String> FORMATS = List.of("timeserie", "table");

  private final QueryConfig config;
  private final Querier querier;

  LookupRoutes(QueryConfig config, Querier querier) {
    this.config = config;
    this.querier = querier;
  }

  void mount(ApiRoutes routes) {
    routes.postJson("/grafana/metrics", this::metrics);
    routes.postJson("/grafana/metric-payload-options", LookupRoutes::payloadOptions);
    routes.postJson("/grafana/search", this::search);
    routes.postJson("/grafana/variable", this::variable);
    routes.postJson("/grafana/tag-keys", this::tagKeys);
    routes.postJson("/grafana/tag-values", this::tagValues);
  }

  private <T> Future<T> ask(ApiRequest request, Request<T> wanted) throws QueryFailure {
    return request.ask(querier, wanted, config.timeout().toMillis()).map(Reply::value);
  }

  private Future<List<String>> values(ApiRequest request, String label, List<Matcher> matchers)
      throws QueryFailure {
    return ask(request, new Request.LabelValues(label, SeriesFilter.matching(matchers)));
  }

  /** An array with what is added for each text. */
  private static Body array(List<String> texts, BiConsumer<ArrayNode, String> adding) {
    return Body.large(
        () -> {
          ArrayNode all = GrafanaJson.array();
          texts.forEach(text -> adding.accept(all, text));
          return GrafanaJson.bytes(all);
        });
  }

  private Future<Body> metrics(ApiRequest request) throws QueryFailure {
    String wanted = GrafanaJson.body(request).path("metric").asText("");
    return values(request, Labels.NAME, List.of())
        .map(
            names ->
                array(
                    names.stream().filter(name -> name.contains(wanted)).toList(),
                    (all, name) -> metric(all.addObject(), name)));
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
    options(rate.putArray("options"), RATES);
    payload(payloads, "filters", "Filters", "input")
        .put("placeholder", "rack=\"r0\",job=~\"train-.*\"");
    ObjectNode format = payload(payloads, "format", "Format", "select");
    options(format.putArray("options"), FORMATS);
  }

  private static ObjectNode payload(ArrayNode payloads, String name, String label, String type) {
    return payloads.addObject().put("name", name).put("label", label).put("type", type);
  }

  private static void options(ArrayNode into, List<String> values) {
    values.forEach(value -> into.addObject().put("value", value).put("label", value));
  }

  private static Future<Body> payloadOptions(ApiRequest request) throws QueryFailure {
    ArrayNode all = GrafanaJson.array();
    switch (GrafanaJson.body(request).path("name").asText("")) {
      case "aggregate" -> options(all, OPERATORS);
      case "by" -> options(all, GROUPINGS);
      case "rate" -> options(all, RATES);
      case "format" -> options(all, FORMATS);
      default -> {}
    }
    return Future.succeededFuture(Body.small(() -> GrafanaJson.bytes(all)));
  }

  private Future<Body> search(ApiRequest request) throws QueryFailure {
    return variableValues(request, GrafanaJson.body(request).path("target").asText(""))
        .map(values -> array(values, ArrayNode::add));
  }

  private Future<Body> variable(ApiRequest request) throws QueryFailure {
    JsonNode payload = GrafanaJson.body(request).path("payload");
    String target = payload.isTextual() ? payload.asText() : payload.path("target").asText("");
    return variableValues(request, target)
        .map(
            values ->
                array(
                    values,
                    (all, value) -> all.addObject().put("__text", value).put("__value", value)));
  }

  private Future<List<String>> variableValues(ApiRequest request, String target)
      throws QueryFailure {
    VariableQuery variable = VariableQuery.of(target);
    return values(request, variable.label(), variable.matchers())
        .map(values -> values.stream().filter(variable::accepts).toList());
  }

  private Future<Body> tagKeys(ApiRequest request) throws QueryFailure {
    return ask(request, new Request.LabelNames(SeriesFilter.ALL))
        .map(
            names ->
                array(
                    names.stream().filter(name -> !name.equals(Labels.NAME)).toList(),
                    (all, name) -> all.addObject().put("type", "string").put("text", name)));
  }

  private Future<Body> tagValues(ApiRequest request) throws QueryFailure {
    String key = GrafanaJson.body(request).path("key").asText("");
    if (key.isEmpty()) {
      throw GrafanaJson.bad("key is missing; set it to the label whose values are wanted");
    }
    return values(request, key, List.of())
        .map(values -> array(values, (all, value) -> all.addObject().put("text", value)));
  }
}
