package io.fleetgauge.query.grafana;

import com.fasterxml.jackson.core.JsonGenerator;
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
import io.fleetgauge.query.http.Json;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.KnownMetrics;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Lookups for an editor of panels and for a dashboard's variables. */
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

  /** Writes what an array has for a text. */
  private interface Entry {
    void write(JsonGenerator json, String text) throws IOException;
  }

  private static Body array(List<String> texts, Entry entry) {
    return Body.large(
        () ->
            Json.write(
                64 * texts.size(),
                (json, bytes) -> {
                  json.writeStartArray();
                  for (String text : texts) {
                    entry.write(json, text);
                  }
                  json.writeEndArray();
                }));
  }

  /** Writes an object of texts, names and values in turn. */
  private static void object(JsonGenerator json, String... fields) throws IOException {
    json.writeStartObject();
    for (int i = 0; i < fields.length; i += 2) {
      json.writeStringField(fields[i], fields[i + 1]);
    }
    json.writeEndObject();
  }

  private Future<Body> metrics(ApiRequest request) throws QueryFailure {
    String wanted = GrafanaJson.text(GrafanaJson.body(request), "metric");
    return values(request, Labels.NAME, List.of())
        .map(
            names ->
                array(
                    names.stream().filter(name -> name.contains(wanted)).toList(),
                    LookupRoutes::metric));
  }

  private static void metric(JsonGenerator json, String name) throws IOException {
    Optional<MetricMetadata> known = KnownMetrics.of(name);
    json.writeStartObject();
    json.writeStringField("value", name);
    json.writeStringField("label", name + known.map(each -> " (" + each.help() + ")").orElse(""));
    json.writeArrayFieldStart("payloads");
    payload(json, "aggregate", "Aggregate", "select", OPERATORS);
    payload(json, "by", "Group by", "multi-select", GROUPINGS);
    payload(json, "rate", "Rate over", "select", RATES);
    json.writeStartObject();
    json.writeStringField("name", "filters");
    json.writeStringField("label", "Filters");
    json.writeStringField("type", "input");
    json.writeStringField("placeholder", "rack=\"r0\",job=~\"train-.*\"");
    json.writeEndObject();
    payload(json, "format", "Format", "select", FORMATS);
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void payload(
      JsonGenerator json, String name, String label, String type, List<String> options)
      throws IOException {
    json.writeStartObject();
    json.writeStringField("name", name);
    json.writeStringField("label", label);
    json.writeStringField("type", type);
    json.writeFieldName("options");
    options(json, options);
    json.writeEndObject();
  }

  private static void options(JsonGenerator json, List<String> values) throws IOException {
    json.writeStartArray();
    for (String value : values) {
      object(json, "value", value, "label", value);
    }
    json.writeEndArray();
  }

  private static Future<Body> payloadOptions(ApiRequest request) throws QueryFailure {
    List<String> all =
        switch (GrafanaJson.text(GrafanaJson.body(request), "name")) {
          case "aggregate" -> OPERATORS;
          case "by" -> GROUPINGS;
          case "rate" -> RATES;
          case "format" -> FORMATS;
          default -> List.of();
        };
    return Future.succeededFuture(
        Body.small(() -> Json.write(512, (json, bytes) -> options(json, all))));
  }

  private Future<Body> search(ApiRequest request) throws QueryFailure {
    return variableValues(request, GrafanaJson.text(GrafanaJson.body(request), "target"))
        .map(values -> array(values, JsonGenerator::writeString));
  }

  private Future<Body> variable(ApiRequest request) throws QueryFailure {
    Object payload = GrafanaJson.body(request).getValue("payload");
    String target =
        payload instanceof JsonObject object
            ? GrafanaJson.text(object, "target")
            : GrafanaJson.text(payload);
    return variableValues(request, target)
        .map(
            values ->
                array(values, (json, value) -> object(json, "__text", value, "__value", value)));
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
                    (json, name) -> object(json, "type", "string", "text", name)));
  }

  private Future<Body> tagValues(ApiRequest request) throws QueryFailure {
    String key = GrafanaJson.text(GrafanaJson.body(request), "key");
    if (key.isEmpty()) {
      throw GrafanaJson.bad("key is missing; set it to the label whose values are wanted");
    }
    return values(request, key, List.of())
        .map(values -> array(values, (json, value) -> object(json, "text", value)));
  }
}
