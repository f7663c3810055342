package io.fleetgauge.query.prometheus;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.answer.Request;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.http.Json;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.vertx.core.Future;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Type, help and unit of metrics. */
final class MetadataRoutes {
  private final QueryConfig config;
  private final Querier querier;

  MetadataRoutes(QueryConfig config, Querier querier) {
    this.config = config;
    this.querier = querier;
  }

  void mount(ApiRoutes routes) {
    routes.get("/api/v1/metadata", this::metadata);
  }

  private Future<Body> metadata(ApiRequest request) throws QueryFailure {
    int limit = request.parameters().limit();
    int limitPerMetric = request.parameters().limit("limit_per_metric");
    String wanted = request.parameters().text("metric");
    return request
        .ask(querier, new Request.Metadata(), config.timeout().toMillis())
        .map(
            reply ->
                Body.large(
                    () ->
                        Json.success(
                            json -> write(json, reply.value(), wanted, limit, limitPerMetric),
                            reply.warnings())));
  }

  private static void write(
      JsonGenerator json,
      Map<String, List<MetricMetadata>> all,
      String wanted,
      int limit,
      int limitPerMetric)
      throws IOException {
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
      List<MetricMetadata> each = metric.getValue();
      int size = limitPerMetric > 0 ? Math.min(limitPerMetric, each.size()) : each.size();
      for (MetricMetadata metadata : each.subList(0, size)) {
        json.writeStartObject();
        json.writeStringField("type", metadata.type());
        json.writeStringField("help", metadata.help());
        json.writeStringField("unit", metadata.unit());
        json.writeEndObject();
      }
      json.writeEndArray();
    }
    json.writeEndObject();
  }
}
