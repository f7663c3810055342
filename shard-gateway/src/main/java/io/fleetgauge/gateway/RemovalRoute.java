package io.fleetgauge.gateway;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.tenant.Permission;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Removes a host from the table and from the stores of all gateways.
 *
 * <pre>
 * GET  /v1/hosts/HOST/removal           what would be removed
 * POST /v1/hosts/HOST/removal?force=1   202: the host is being removed; 404: nobody knows it;
 *                                       409: it is still sending, and force is not given
 * GET  /v1/hosts/HOST/kept              what this gateway has of it, for other gateways
 *
 * removal = {"host": HOST, "owner": ID, "copies": [ID...], "away": [ID...],
 *            "gateways": {ID: kept}}     away are gateways that cannot be asked
 * kept    = {"series": N, "blocks": N, "newest": MS}     newest is absent without samples
 * </pre>
 */
final class RemovalRoute {
  static final String REMOVAL = "removal";
  private static final String KEPT = "kept";

  /** A host with a newer sample than this is still sending, ms. */
  static final long SENDING_MILLIS = TimeUnit.MINUTES.toMillis(5);

  private static final long ASK_MILLIS = 5_000;

  private final Supplier<ClusterView> view;
  private final Store store;
  private final OutgoingHttp http;
  private final Consumer<String> remove;
  private final LongSupplier clock;

  /**
   * @param http how other gateways are asked
   * @param remove has a host removed by the cluster
   * @param clock ms since the epoch
   */
  RemovalRoute(
      Supplier<ClusterView> view,
      Store store,
      OutgoingHttp http,
      Consumer<String> remove,
      LongSupplier clock) {
    this.view = view;
    this.store = store;
    this.http = http;
    this.remove = remove;
    this.clock = clock;
  }

  void mount(Router router, Guard guard) {
    router
        .get("/v1/hosts/:host/" + KEPT)
        .handler(guard.needsPeer())
        .handler(request -> json(request, kept(host(request))));
    router
        .get("/v1/hosts/:host/" + REMOVAL)
        .handler(guard.needsPeerOr(Permission.OPERATE))
        .handler(request -> found(host(request)).onSuccess(found -> answer(request, found, false)));
    router
        .post("/v1/hosts/:host/" + REMOVAL)
        .handler(guard.needsNewProofOr(Permission.OPERATE))
        .handler(request -> OwnMachine.only(request, "fleetgauge gateway --remove-host"))
        .handler(request -> found(host(request)).onSuccess(found -> answer(request, found, true)));
  }

  private static String host(RoutingContext request) {
    return IntakeProtocol.host(request.pathParam("host"));
  }

  private static void json(RoutingContext request, JsonObject json) {
    request.response().putHeader("Content-Type", "application/json").end(json.encode() + "\n");
  }

  private void answer(RoutingContext request, JsonObject found, boolean removes) {
    String host = found.getString("host");
    if (!isKnown(found)) {
      request.response().setStatusCode(404).end("no gateway knows the host " + host + "\n");
      return;
    }
    if (removes) {
      long age = clock.getAsLong() - newest(found);
      if (age < SENDING_MILLIS && !"1".equals(request.request().getParam("force"))) {
        request
            .response()
            .setStatusCode(409)
            .end(
                "host "
                    + host
                    + " is still sending: its newest sample is of "
                    + Math.max(0, age / 1_000)
                    + " s ago; stop what sends it and wait for "
                    + SENDING_MILLIS / 60_000
                    + " minutes, or remove it with --force\n");
        return;
      }
      remove.accept(host);
      request.response().setStatusCode(202);
    }
    json(request, found);
  }

  private static boolean isKnown(JsonObject found) {
    return found.containsKey("owner")
        || found.getJsonObject("gateways").stream()
            .anyMatch(each -> ((JsonObject) each.getValue()).getInteger("series") > 0);
  }

  private static long newest(JsonObject found) {
    return found.getJsonObject("gateways").stream()
        .mapToLong(each -> ((JsonObject) each.getValue()).getLong("newest", 0L))
        .max()
        .orElse(0);
  }

  private JsonObject kept(String host) {
    Optional<Lane> lane = store.find(host);
    JsonObject kept =
        new JsonObject()
            .put("series", lane.map(Lane::seriesCount).orElse(0))
            .put("blocks", store.blockFiles(host).size());
    lane.map(Lane::heard)
        .filter(newest -> newest != Long.MIN_VALUE)
        .ifPresent(newest -> kept.put("newest", newest));
    return kept;
  }

  /** Asks all gateways, this one among them, what they have of a host. */
  private Future<JsonObject> found(String host) {
    ClusterView now = view.get();
    TreeSet<String> away = new TreeSet<>(now.table().members());
    away.removeAll(now.gateways().keySet());
    JsonObject gateways = new JsonObject();
    List<Future<Void>> asked = new ArrayList<>();
    now.gateways()
        .forEach(
            (id, address) ->
                asked.add(
                    ask(address, host)
                        .map(
                            kept -> {
                              gateways.put(id, kept);
                              return (Void) null;
                            })
                        .otherwise(
                            failure -> {
                              away.add(id);
                              return null;
                            })));
    return Future.join(asked)
        .map(
            all -> {
              JsonObject found = new JsonObject().put("host", host);
              now.table().holders(host).ifPresent(holders -> put(holders, found));
              return found.put("away", new JsonArray(List.copyOf(away))).put("gateways", gateways);
            });
  }

  private static void put(Holders holders, JsonObject into) {
    into.put("owner", holders.owner())
        .put(
            "copies", new JsonArray(holders.copies().stream().map(Holders.Copy::gateway).toList()));
  }

  private Future<JsonObject> ask(URI address, String host) {
    return http.to(address, HttpMethod.GET, IntakeProtocol.hostPath(host, KEPT), ASK_MILLIS)
        .send()
        .compose(
            answer ->
                answer.status() == 200
                    ? Future.succeededFuture(answer.body().toJsonObject())
                    : Future.failedFuture("status " + answer.status()));
  }
}
