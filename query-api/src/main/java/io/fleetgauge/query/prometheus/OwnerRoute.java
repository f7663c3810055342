package io.fleetgauge.query.prometheus;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fleetgauge.promql.lookup.OwnedSeries;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.answer.Request;
import io.fleetgauge.query.answer.SeriesFilter;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.http.Json;
import io.fleetgauge.query.http.Parameters;
import io.fleetgauge.sample.prometheus.Numbers;
import io.vertx.core.Future;
import java.io.IOException;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * {@code /api/v1/owners}: which job, tenant or pod owned the GPUs of series, as intervals of time.
 * Prometheus has no such route.
 */
final class OwnerRoute {
  private final QueryConfig config;
  private final Querier querier;
  private final LongSupplier clock;

  OwnerRoute(QueryConfig config, Querier querier, LongSupplier clock) {
    this.config = config;
    this.querier = querier;
    this.clock = clock;
  }

  void mount(ApiRoutes routes) {
    routes.getOrPost("/api/v1/owners", this::owners);
  }

  private Future<Body> owners(ApiRequest request) throws QueryFailure {
    Parameters parameters = request.parameters();
    if (parameters.texts("match[]").isEmpty()) {
      throw new QueryFailure(QueryFailure.Kind.BAD_DATA, "no match[] parameter provided");
    }
    long end = parameters.time("end", clock.getAsLong());
    long start = parameters.time("start", end - config.lookback().toMillis());
    if (end < start) {
      throw Parameters.invalid("end", "end timestamp must not be before start time");
    }
    SeriesFilter all = parameters.seriesFilter();
    SeriesFilter filter = new SeriesFilter(start, end, all.limit(), all.selectors());
    return request
        .ask(querier, new Request.OwnerIntervals(filter), config.timeout().toMillis())
        .map(
            reply ->
                Body.large(
                    () -> Json.success(json -> write(json, reply.value()), reply.warnings())));
  }

  private static void write(JsonGenerator json, List<OwnedSeries> all) throws IOException {
    json.writeStartArray();
    for (OwnedSeries series : all) {
      json.writeStartObject();
      json.writeFieldName("metric");
      Json.labels(json, series.identity());
      json.writeArrayFieldStart("owners");
      for (OwnedSeries.Interval interval : series.intervals()) {
        json.writeStartObject();
        json.writeFieldName("owner");
        Json.labels(json, interval.owner());
        json.writeFieldName("from");
        json.writeRawValue(Numbers.seconds(interval.from()));
        json.writeFieldName("to");
        json.writeRawValue(Numbers.seconds(interval.to()));
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
