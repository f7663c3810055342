package io.fleetgauge.query.grafana;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Ask;
import io.fleetgauge.query.answer.Caller;
import io.fleetgauge.query.answer.Evaluated;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.answer.Reply;
import io.fleetgauge.query.answer.Request;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.http.Json;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** Evaluates the targets of panels, and finds annotations. */
final class PanelRoutes {
  private static final int MAX_TARGETS = 100;

  private final QueryConfig config;
  private final Querier querier;
  private final LongSupplier clock;

  /** A request for a panel, narrowed by the dashboard's filters. */
  private record Panel(ApiRequest request, JsonObject body, Caller caller, PanelRange range) {}

  PanelRoutes(QueryConfig config, Querier querier, LongSupplier clock) {
    this.config = config;
    this.querier = querier;
    this.clock = clock;
  }

  void mount(ApiRoutes routes) {
    routes.postJson("/grafana/query", this::query);
    routes.postJson("/grafana/annotations", this::annotations);
  }

  private Panel panel(ApiRequest request) throws QueryFailure {
    JsonObject body = GrafanaJson.body(request);
    PanelRange range = PanelRange.of(body, clock.getAsLong());
    List<JsonObject> filters =
        GrafanaJson.objects(
            body.getValue(
                body.getValue("filters") instanceof JsonArray ? "filters" : "adhocFilters"));
    Caller caller = request.caller().narrowedBy(DashboardFilters.matchers(filters));
    return new Panel(request, body, caller, range);
  }

  private Future<Body> query(ApiRequest request) throws QueryFailure {
    Panel panel = panel(request);
    List<JsonObject> targets = GrafanaJson.objects(panel.body.getValue("targets"));
    if (targets.size() > MAX_TARGETS) {
      throw GrafanaJson.bad(
          "the request has "
              + targets.size()
              + " targets; the limit is "
              + MAX_TARGETS
              + ", so split the panel");
    }
    List<Future<Json.Data>> all = new ArrayList<>();
    for (JsonObject target : targets) {
      if (!GrafanaJson.text(target, "hide").equals("true")) {
        all.add(answer(panel, GrafanaTarget.of(target)));
      }
    }
    return Future.all(all)
        .map(
            done ->
                Body.large(
                    () ->
                        Json.write(
                            4_096,
                            (json, bytes) -> {
                              json.writeStartArray();
                              for (Future<Json.Data> each : all) {
                                each.result().write(json);
                              }
                              json.writeEndArray();
                            })));
  }

  private Future<Json.Data> answer(Panel panel, GrafanaTarget target) throws QueryFailure {
    PanelRange range = panel.range;
    return switch (target.kind()) {
      case EVENTS ->
          events(panel, target.text())
              .map(events -> json -> GrafanaEvents.table(json, events, target.refId()));
      case TABLE ->
          ask(panel, target.text(), range.end(), range.end(), 0)
              .map(evaluated -> json -> TargetJson.table(json, evaluated.result(), target.refId()));
      case SERIES ->
          ask(panel, target.text(), range.start(), range.end(), range.step())
              .map(
                  evaluated -> json -> TargetJson.series(json, evaluated.result(), target.refId()));
      case NOTHING -> Future.succeededFuture(json -> {});
    };
  }

  private Future<Evaluated> ask(Panel panel, String text, long start, long end, long step) {
    Request.Promql query = Request.Promql.of(text, start, end, step, config.lookback().toMillis());
    return panel
        .request
        .ask(querier, Ask.of(panel.caller, query, config.timeout().toMillis()))
        .map(Reply::value);
  }

  private Future<Body> annotations(ApiRequest request) throws QueryFailure {
    Panel panel = panel(request);
    Object annotation = panel.body.getValue("annotation");
    return events(panel, GrafanaJson.text(GrafanaJson.object(panel.body, "annotation"), "query"))
        .map(
            events ->
                Body.large(
                    () ->
                        Json.write(
                            4_096,
                            (json, bytes) -> GrafanaEvents.annotations(json, events, annotation))));
  }

  private Future<List<GrafanaEvents.Event>> events(Panel panel, String wanted) throws QueryFailure {
    PanelRange range = panel.range;
    List<Future<List<GrafanaEvents.Event>>> all = new ArrayList<>();
    for (Map.Entry<GrafanaEvents.Kind, String> each : GrafanaEvents.queries(wanted).entrySet()) {
      all.add(
          ask(panel, each.getValue(), range.start(), range.end(), range.step())
              .map(
                  evaluated ->
                      GrafanaEvents.of(
                          each.getKey(), evaluated.result(), range.end(), range.step())));
    }
    return Future.all(all)
        .map(done -> all.stream().flatMap(each -> each.result().stream()).sorted().toList());
  }
}
