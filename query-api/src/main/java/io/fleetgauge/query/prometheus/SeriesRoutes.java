package io.fleetgauge.query.prometheus;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.answer.Request;
import io.fleetgauge.query.answer.SeriesFilter;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.http.Json;
import io.vertx.core.Future;
import java.util.List;

/** Names of labels, their values, and the label sets of series. */
final class SeriesRoutes {
  private final QueryConfig config;
  private final Querier querier;

  SeriesRoutes(QueryConfig config, Querier querier) {
    this.config = config;
    this.querier = querier;
  }

  void mount(ApiRoutes routes) {
    routes.getOrPost("/api/v1/labels", this::labels);
    // Prometheus has this by GET only; some versions of Grafana ask by POST.
    routes.getOrPost("/api/v1/label/:name/values", this::values);
    routes.getOrPost("/api/v1/series", this::series);
  }

  private Future<Body> labels(ApiRequest request) throws QueryFailure {
    return strings(request, new Request.LabelNames(request.parameters().seriesFilter()));
  }

  private Future<Body> values(ApiRequest request) throws QueryFailure {
    SeriesFilter filter = request.parameters().seriesFilter();
    String name = EscapedName.unescaped(request.pathParameter("name"));
    return strings(request, new Request.LabelValues(name, filter));
  }

  private Future<Body> strings(ApiRequest request, Request<List<String>> wanted)
      throws QueryFailure {
    return request
        .ask(querier, wanted, config.timeout().toMillis())
        .map(reply -> Body.large(() -> Json.success(reply.value(), reply.warnings())));
  }

  private Future<Body> series(ApiRequest request) throws QueryFailure {
    if (request.parameters().texts("match[]").isEmpty()) {
      throw new QueryFailure(QueryFailure.Kind.BAD_DATA, "no match[] parameter provided");
    }
    return request
        .ask(
            querier,
            new Request.SeriesLabels(request.parameters().seriesFilter()),
            config.timeout().toMillis())
        .map(reply -> Body.large(() -> Json.labelSets(reply.value(), reply.warnings())));
  }
}
