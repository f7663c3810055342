package io.fleetgauge.query.rules.api;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.rules.definition.InvalidRules;
import io.fleetgauge.query.rules.source.GroupExchange;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.util.Map;

/** Reads rule files again. */
final class ReloadRoute {
  private final GroupExchange exchange;

  ReloadRoute(GroupExchange exchange) {
    this.exchange = exchange;
  }

  void mount(ApiRoutes routes) {
    routes.text("/-/reload", Map.of(HttpMethod.POST, this::reload, HttpMethod.PUT, this::reload));
  }

  private Future<Body> reload(ApiRequest request) throws QueryFailure {
    if (!request.isOperator()) {
      throw new QueryFailure(
          QueryFailure.Kind.FORBIDDEN,
          "reloading rule files needs a token with the operate permission");
    }
    request.respondWith("Content-Type", "text/plain; charset=utf-8");
    return exchange
        .reload()
        .map(done -> Body.small(Buffer::buffer))
        .recover(
            failure ->
                Future.failedFuture(
                    failure instanceof InvalidRules
                        ? new QueryFailure(
                            QueryFailure.Kind.BAD_DATA,
                            "the rule files are invalid, the previous rules stay in use:\n"
                                + failure.getMessage())
                        : failure));
  }
}
