package io.fleetgauge.gateway;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.vertx.core.Handler;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.function.Supplier;

/**
 * {@code GET /v1/table}: who holds which host, as this gateway sees it.
 *
 * <pre>
 * {"generation": HEX, "epoch": 7, "members": [ID...], "present": [ID...], "minority": false,
 *  "hosts": {HOST: {"owner": ID, "since": 5, "behind": [ID...],
 *                    "copies": {ID: SYNCED}, "next": ID}}}
 * </pre>
 */
final class TableRoute {
  private TableRoute() {}

  static void mount(Router router, Handler<RoutingContext> guard, Supplier<ClusterView> view) {
    router
        .get("/v1/table")
        .handler(guard)
        .handler(
            http ->
                http.response()
                    .putHeader("Content-Type", "application/json")
                    .end(json(view.get()).encode()));
  }

  private static JsonObject json(ClusterView view) {
    JsonObject hosts = new JsonObject();
    view.table().holders().forEach((host, holders) -> hosts.put(host, json(holders)));
    return new JsonObject()
        .put("generation", Long.toHexString(view.table().generation()))
        .put("epoch", view.table().epoch())
        .put("members", new JsonArray(view.table().members()))
        .put("present", new JsonArray(List.copyOf(view.gateways().keySet())))
        .put("minority", view.isMinority())
        .put("hosts", hosts);
  }

  private static JsonObject json(Holders holders) {
    JsonObject copies = new JsonObject();
    holders.copies().forEach(copy -> copies.put(copy.gateway(), copy.synced()));
    JsonObject json =
        new JsonObject()
            .put("owner", holders.owner())
            .put("since", holders.since())
            .put("behind", new JsonArray(List.copyOf(holders.behind())))
            .put("copies", copies);
    holders.next().ifPresent(next -> json.put("next", next));
    return json;
  }
}
