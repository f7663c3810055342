package io.fleetgauge.query.rules.api;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.rules.definition.InvalidRules;
import io.fleetgauge.query.rules.definition.RuleFileWriter;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.source.GroupExchange;
import io.fleetgauge.query.rules.source.GroupStore;
import io.fleetgauge.query.rules.source.RuleLimit;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The API by which mimirtool and Grafana set rule groups, as Mimir has it, and {@code /-/reload},
 * which reads rule files again.
 */
final class ConfigRoutes {
  private static final String ACCEPTED =
      "{\"status\":\"success\",\"data\":null,\"errorType\":\"\",\"error\":\"\"}";

  private final GroupStore store;
  private final GroupExchange exchange;

  ConfigRoutes(GroupStore store, GroupExchange exchange) {
    this.store = store;
    this.exchange = exchange;
  }

  void mount(ApiRoutes routes) {
    Map<HttpMethod, ApiRoutes.Handler> all = Map.of(HttpMethod.GET, this::list);
    Map<HttpMethod, ApiRoutes.Handler> namespace =
        Map.of(
            HttpMethod.GET, this::list,
            HttpMethod.POST, this::set,
            HttpMethod.DELETE, this::deleteNamespace);
    Map<HttpMethod, ApiRoutes.Handler> group =
        Map.of(HttpMethod.GET, this::group, HttpMethod.DELETE, this::delete);
    routes.text("/prometheus/config/v1/rules", all);
    routes.text("/prometheus/config/v1/rules/:namespace", namespace);
    routes.text("/prometheus/config/v1/rules/:namespace/:group", group);
    routes.text("/-/reload", Map.of(HttpMethod.POST, this::reload, HttpMethod.PUT, this::reload));
    // Grafana puts these behind the address of the data source.
    routes.text("/config/v1/rules", all);
    routes.text("/config/v1/rules/:namespace", namespace);
    routes.text("/config/v1/rules/:namespace/:group", group);
  }

  /** The groups of one namespace, or of all. */
  private Future<Body> list(ApiRequest request) throws QueryFailure {
    Map<String, Map<String, String>> all = store.texts(RulesApi.tenant(request));
    Map<String, Collection<String>> shown = new TreeMap<>();
    Optional<String> only = Optional.ofNullable(request.pathParameter("namespace"));
    all.forEach(
        (namespace, groups) -> {
          if (only.isEmpty() || only.get().equals(namespace)) {
            shown.put(namespace, groups.values());
          }
        });
    if (shown.isEmpty()) {
      throw new QueryFailure(QueryFailure.Kind.NOT_FOUND, "no rule groups found");
    }
    request.respondWith("Content-Type", "application/yaml");
    return Future.succeededFuture(
        Body.large(() -> Buffer.buffer(RuleFileWriter.namespaces(shown))));
  }

  private Future<Body> group(ApiRequest request) throws QueryFailure {
    RuleGroup.Id id = id(request);
    String text = store.texts(id.tenant()).getOrDefault(id.file(), Map.of()).get(id.name());
    if (text == null) {
      throw noSuchGroup();
    }
    request.respondWith("Content-Type", "application/yaml");
    return Future.succeededFuture(Body.small(() -> Buffer.buffer(text)));
  }

  private Future<Body> set(ApiRequest request) throws QueryFailure {
    requireWrite(request);
    return exchange
        .set(RulesApi.tenant(request), request.pathParameter("namespace"), request.body())
        .map(done -> accepted(request))
        .recover(failure -> refused(failure, ""));
  }

  private static Future<Body> refused(Throwable failure, String before) {
    return Future.failedFuture(
        failure instanceof InvalidRules || failure instanceof RuleLimit
            ? new QueryFailure(QueryFailure.Kind.BAD_DATA, before + failure.getMessage())
            : failure);
  }

  private Future<Body> delete(ApiRequest request) throws QueryFailure {
    requireWrite(request);
    return exchange
        .delete(id(request))
        .compose(
            found ->
                found
                    ? Future.succeededFuture(accepted(request))
                    : Future.failedFuture(noSuchGroup()));
  }

  private Future<Body> deleteNamespace(ApiRequest request) throws QueryFailure {
    requireWrite(request);
    return exchange
        .delete(RulesApi.tenant(request), request.pathParameter("namespace"))
        .compose(
            found ->
                found
                    ? Future.succeededFuture(accepted(request))
                    : Future.failedFuture(
                        new QueryFailure(QueryFailure.Kind.NOT_FOUND, "no rule groups found")));
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
                refused(failure, "the rule files are invalid, the previous rules stay in use:\n"));
  }

  /** The results of rules are samples, and so is the state of alerts. */
  private static void requireWrite(ApiRequest request) throws QueryFailure {
    if (!request.mayWrite()) {
      throw new QueryFailure(
          QueryFailure.Kind.FORBIDDEN,
          "changing rule groups needs a token with the read and write permissions");
    }
  }

  private static RuleGroup.Id id(ApiRequest request) throws QueryFailure {
    return new RuleGroup.Id(
        RulesApi.tenant(request),
        request.pathParameter("namespace"),
        request.pathParameter("group"));
  }

  private static QueryFailure noSuchGroup() {
    return new QueryFailure(QueryFailure.Kind.NOT_FOUND, "group does not exist");
  }

  /** The group is kept, and is evaluated from its next slot on. */
  private static Body accepted(ApiRequest request) {
    request.respondWith(202);
    return Body.small(() -> Buffer.buffer(ACCEPTED));
  }
}
