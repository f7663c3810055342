package io.fleetgauge.gateway.peer;

import io.fleetgauge.cluster.process.Guard;
import io.fleetgauge.gateway.ingest.Intake;
import io.fleetgauge.gateway.ingest.host.Peers;
import io.fleetgauge.gateway.store.HostPage;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.FileNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Collectors;

/** Answers other gateways, as the package draws it. */
public final class PeerRoute {
  static final String FROM = "X-Fleetgauge-From";
  static final String SESSION = "X-Fleetgauge-Session";
  static final String NUMBER = "X-Fleetgauge-Number";
  static final String COUNT = "X-Fleetgauge-Count";
  static final String NEXT = "X-Fleetgauge-Next";
  static final String DICTIONARY = "dictionary";

  /** Bodies that are sent together may be many. */
  private static final int MOST_BYTES = 64 << 20;

  private static final int PAGE_BYTES = 1 << 20;

  private final Vertx vertx;
  private final WorkerExecutor workers;
  private final Intake intake;
  private final Store store;

  private PeerRoute(Vertx vertx, WorkerExecutor workers, Intake intake, Store store) {
    this.vertx = vertx;
    this.workers = workers;
    this.intake = intake;
    this.store = store;
  }

  /**
   * @param guard lets other gateways in
   */
  public static void mount(
      Router router,
      Vertx vertx,
      Handler<RoutingContext> guard,
      WorkerExecutor workers,
      Intake intake,
      Store store) {
    PeerRoute route = new PeerRoute(vertx, workers, intake, store);
    Guard.readBody(router.post("/v1/hosts/:host/copies").handler(guard), MOST_BYTES)
        .handler(route::copy);
    router.post("/v1/hosts/:host/offers").handler(guard).handler(route::offer);
    router.get("/v1/hosts/:host/digest").handler(guard).handler(route::digest);
    router.get("/v1/hosts/:host/samples").handler(guard).handler(route::samples);
    router.get("/v1/hosts/:host/blocks").handler(guard).handler(route::blocks);
    router.get("/v1/hosts/:host/blocks/:name").handler(guard).handler(route::block);
  }

  private void copy(RoutingContext http) {
    Peers.Copy copy;
    try {
      Buffer body = http.body().buffer();
      copy =
          new Peers.Copy(
              host(http),
              number(http, IntakeProtocol.EPOCH),
              String.valueOf(http.request().getHeader(FROM)),
              number(http, SESSION),
              number(http, NUMBER),
              Math.toIntExact(number(http, COUNT)),
              body == null ? new byte[0] : body.getBytes());
    } catch (ArithmeticException | NumberFormatException e) {
      http.response().setStatusCode(400).end("a header is not a number: " + e.getMessage() + "\n");
      return;
    }
    Context loop = vertx.getOrCreateContext();
    intake.copied(
        copy,
        answer ->
            loop.runOnContext(
                none ->
                    end(
                        http,
                        answer.wantedRun() == 0
                            ? answer.reply().name().toLowerCase(Locale.ROOT)
                            : DICTIONARY + " " + Long.toHexString(answer.wantedRun()))));
  }

  private static String host(RoutingContext http) {
    return IntakeProtocol.host(http.pathParam("host"));
  }

  private static long number(RoutingContext http, String header) {
    return Long.parseLong(String.valueOf(http.request().getHeader(header)));
  }

  private static void end(RoutingContext http, String line) {
    if (!http.response().closed()) {
      http.response().end(line + "\n");
    }
  }

  private void offer(RoutingContext http) {
    Context loop = vertx.getOrCreateContext();
    intake.offered(
        host(http),
        String.valueOf(http.request().getParam("from")),
        merged ->
            loop.runOnContext(
                none -> {
                  http.response().setStatusCode(merged ? 200 : 409);
                  end(http, merged ? "merged" : "not merged");
                }));
  }

  private void digest(RoutingContext http) {
    String host = host(http);
    Future.fromCompletionStage(intake.state(host), vertx.getOrCreateContext())
        .compose(
            state -> {
              if (!state.whole()) {
                return Future.failedFuture("what is kept of the host is not in its place yet");
              }
              long fine = parameter(http, "fine");
              long coarse = parameter(http, "coarse");
              long until = parameter(http, "until");
              return workers.executeBlocking(
                  () -> {
                    // A block may be found to be damaged while it is read.
                    var slots = store.digest(host, fine, coarse, until);
                    return new DigestForm(store.isIntact(host), state.progress(), slots).toBytes();
                  },
                  false);
            })
        .onSuccess(bytes -> http.response().end(Buffer.buffer(bytes)))
        .onFailure(failure -> fail(http, failure));
  }

  private static long parameter(RoutingContext http, String name) {
    return Long.parseLong(String.valueOf(http.request().getParam(name)));
  }

  private static void fail(RoutingContext http, Throwable failure) {
    int status =
        switch (failure) {
          case FileNotFoundException none -> 404;
          case NumberFormatException bad -> 400;
          default -> 503;
        };
    if (!http.response().closed()) {
      http.response().setStatusCode(status).end(failure.getMessage() + "\n");
    }
  }

  private void samples(RoutingContext http) {
    workers
        .executeBlocking(
            () ->
                store.export(
                    host(http), parameter(http, "from"), parameter(http, "to"), PAGE_BYTES),
            false)
        .onSuccess(
            (HostPage page) ->
                http.response()
                    .putHeader(NEXT, Long.toString(page.next()))
                    .end(Buffer.buffer(page.frames())))
        .onFailure(failure -> fail(http, failure));
  }

  private void blocks(RoutingContext http) {
    end(
        http,
        store.blockFiles(host(http)).stream()
            .map(file -> file.getFileName().toString())
            .collect(Collectors.joining("\n")));
  }

  private void block(RoutingContext http) {
    workers
        .executeBlocking(
            () -> {
              for (Path file : store.blockFiles(host(http))) {
                if (file.getFileName().toString().equals(http.pathParam("name"))) {
                  return Files.readAllBytes(file);
                }
              }
              throw new FileNotFoundException("no such block: " + http.pathParam("name"));
            },
            false)
        .onSuccess(bytes -> http.response().end(Buffer.buffer(bytes)))
        .onFailure(failure -> fail(http, failure));
  }
}
