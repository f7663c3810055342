package io.fleetgauge.gateway.peer;

import io.fleetgauge.gateway.ingest.Intake;
import io.fleetgauge.gateway.ingest.host.HostIntake;
import io.fleetgauge.gateway.ingest.host.Peers;
import io.fleetgauge.gateway.ingest.host.Sender;
import io.fleetgauge.gateway.store.HostPage;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.stream.StreamCounts;
import io.fleetgauge.gateway.stream.StreamQuestion;
import io.fleetgauge.gateway.stream.StreamRoute;
import io.fleetgauge.gateway.usage.UsageFile;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.FileNotFoundException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Answers other gateways, as the package draws it. */
public final class PeerRoute {
  static final String NEXT = "X-Fleetgauge-Next";
  static final String DICTIONARY = "dictionary";

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
   * @param key verifies what comes on streams
   */
  public static void mount(
      Router router,
      Vertx vertx,
      Handler<RoutingContext> guard,
      ClusterKey key,
      StreamCounts counts,
      WorkerExecutor workers,
      Intake intake,
      Store store) {
    PeerRoute route = new PeerRoute(vertx, workers, intake, store);
    StreamRoute.mount(router, vertx, guard, key, route::asked, counts);
    router.post("/v1/hosts/:host/offers").handler(guard).handler(route::offer);
    router.get("/v1/hosts/:host/digest").handler(guard).handler(route::digest);
    router.get("/v1/hosts/:host/samples").handler(guard).handler(route::samples);
    router.get("/v1/hosts/:host/blocks").handler(guard).handler(route::blocks);
    router.get("/v1/hosts/:host/blocks/:name").handler(guard).handler(route::block);
    router.get("/v1/hosts/:host/usage").handler(guard).handler(route::usage);
    router.get("/v1/hosts/:host/usage/:name").handler(guard).handler(route::usageFile);
  }

  private void asked(StreamQuestion question, Consumer<byte[]> answer) throws WireException {
    switch (PeerQuestion.of(question)) {
      case PeerQuestion.Copied of ->
          intake.copied(of.copy(), answered -> answer.accept(bytes(line(answered))));
      case PeerQuestion.Frames of -> {
        HostIntake.Acknowledger answered = taken -> answer.accept(bytes(taken.toString()));
        String problem = IntakeProtocol.hostProblem(of.host());
        if (!problem.isEmpty()) {
          answered.accept(new IntakeAnswer.Refused(problem));
        } else if (of.isCheck()) {
          intake.check(of.host(), Sender.UNLIMITED, of.frames(), of.epoch(), answered);
        } else {
          intake.take(of.host(), Sender.UNLIMITED, of.frames(), of.epoch(), 0, answered);
        }
      }
    }
  }

  private static String line(Peers.CopyAnswer answer) {
    return answer.wantedRun() == 0
        ? answer.reply().name().toLowerCase(Locale.ROOT)
        : DICTIONARY + " " + Long.toHexString(answer.wantedRun());
  }

  private static byte[] bytes(String line) {
    return line.getBytes(StandardCharsets.UTF_8);
  }

  private static String host(RoutingContext http) {
    return IntakeProtocol.host(http.pathParam("host"));
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
                return Future.failedFuture(
                    "samples of the host from before the start are not loaded yet");
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

  private void usage(RoutingContext http) {
    end(http, String.join("\n", store.usage().names(host(http))));
  }

  private void usageFile(RoutingContext http) {
    workers
        .executeBlocking(
            () -> {
              String name = http.pathParam("name");
              OptionalLong day = UsageFile.day(name);
              return (day.isPresent()
                      ? store.usage().read(host(http), day.getAsLong())
                      : Optional.<UsageFile>empty())
                  .orElseThrow(() -> new FileNotFoundException("no such day: " + name))
                  .toBytes();
            },
            false)
        .onSuccess(bytes -> http.response().end(Buffer.buffer(bytes)))
        .onFailure(failure -> fail(http, failure));
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
