package io.fleetgauge.gateway.backup;

import io.fleetgauge.runtime.http.Guard;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Gives snapshots, as the package draws it. */
public final class BackupRoute {
  private static final String PATH = "/v1/backup";
  private static final long LOOK_MILLIS = 60_000;

  private final BackedUpStore from;
  private final Snapshots snapshots;

  private BackupRoute(BackedUpStore from, Snapshots snapshots) {
    this.from = from;
    this.snapshots = snapshots;
  }

  /**
   * Mounts the routes of backups, and those of {@link RestoreRoute}.
   *
   * @param clock ms since the epoch
   * @return to be closed at the end
   */
  public static AutoCloseable mount(
      Router router,
      Vertx vertx,
      Guard guard,
      WorkerExecutor workers,
      BackedUpStore from,
      RestoreRoute.Placing placing,
      LongSupplier clock) {
    Snapshots snapshots = new Snapshots(from, clock);
    BackupRoute route = new BackupRoute(from, snapshots);
    router.get(PATH).handler(guard.needsPeer()).handler(route::about);
    router.post(PATH).handler(guard.needsPeer()).handler(route::begin);
    router.get(PATH + "/:id").handler(guard.needsPeer()).handler(route::snapshot);
    router.get(PATH + "/:id/files/:number").handler(guard.needsPeer()).handler(route::file);
    router.delete(PATH + "/:id").handler(guard.needsPeer()).handler(route::remove);
    vertx.setPeriodic(LOOK_MILLIS, id -> snapshots.timePassed());
    new RestoreRoute(workers, from, placing, clock).mount(router, guard);
    return snapshots;
  }

  static void json(RoutingContext http, int status, JsonObject json) {
    if (!http.response().closed()) {
      http.response()
          .setStatusCode(status)
          .putHeader("Content-Type", "application/json")
          .end(json.encode() + "\n");
    }
  }

  static void text(RoutingContext http, int status, String text) {
    if (!http.response().closed()) {
      http.response().setStatusCode(status).end(text + "\n");
    }
  }

  private void about(RoutingContext http) {
    JsonObject gateways = new JsonObject();
    from.view().get().gateways().forEach((id, address) -> gateways.put(id, address.toString()));
    json(
        http,
        200,
        new JsonObject()
            .put("version", Snapshot.VERSION)
            .put("gateway", from.gateway())
            .put("cluster", from.cluster())
            .put("gateways", gateways)
            .put("retention", from.store().limits().retention().toMillis())
            .put("dimensions", Snapshot.json(from.store().dimensions())));
  }

  private void begin(RoutingContext http) {
    snapshots
        .begin()
        .ifPresentOrElse(
            id -> json(http, 202, new JsonObject().put("id", id)),
            () ->
                text(
                    http,
                    409,
                    "gateway "
                        + from.gateway()
                        + " has "
                        + Snapshots.MAX_SNAPSHOTS
                        + " snapshots already ("
                        + String.join(", ", snapshots.ids())
                        + "); wait until the other backups have ended, or remove one with DELETE "
                        + PATH
                        + "/ID"));
  }

  private Optional<Snapshots.State> state(RoutingContext http) {
    Optional<Snapshots.State> found = snapshots.find(http.pathParam("id"));
    if (found.isEmpty()) {
      text(
          http,
          404,
          "gateway " + from.gateway() + " has no snapshot " + http.pathParam("id") + " (any more)");
    }
    return found;
  }

  private void snapshot(RoutingContext http) {
    Optional<Snapshots.State> found = state(http);
    if (found.isEmpty()) {
      return;
    }
    Snapshots.State state = found.get();
    if (!state.failure.isEmpty()) {
      text(http, 500, state.failure);
    } else if (state.snapshot == null) {
      json(http, 202, new JsonObject().put("hosts", state.done).put("of", state.hosts));
    } else {
      json(http, 200, state.snapshot.toJson());
    }
  }

  private void file(RoutingContext http) {
    Optional<Snapshots.State> found = state(http);
    if (found.isEmpty()) {
      return;
    }
    List<Path> files = found.get().snapshot == null ? List.of() : found.get().snapshot.files();
    int number;
    long from;
    try {
      number = Integer.parseInt(http.pathParam("number"));
      String begin = http.request().getParam("from");
      from = begin == null ? 0 : Long.parseLong(begin);
    } catch (NumberFormatException e) {
      text(http, 400, "not a number: " + e.getMessage());
      return;
    }
    if (number < 0 || number >= files.size() || from < 0) {
      text(http, 404, "the snapshot has no file " + number);
      return;
    }
    http.response()
        .sendFile(files.get(number).toString(), from)
        .onFailure(failure -> text(http, 500, "the file cannot be read: " + failure));
  }

  private void remove(RoutingContext http) {
    if (state(http).isPresent()) {
      snapshots.remove(http.pathParam("id"));
      http.response().setStatusCode(204).end();
    }
  }
}
