package io.fleetgauge.probe.attribution.allocation;

import io.fleetgauge.runtime.process.Meters;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** The HTTP requests about allocations. */
public final class AllocationRoutes {
  private static final String PATH = "/v1/allocations";
  private static final String BEARER = "Bearer ";
  private static final int TOO_LARGE = 413;
  private static final int TOO_MANY = 429;

  private final Vertx vertx;
  private final Allocations allocations;
  private final AllocationSource source;
  private final LongAdder accepted = new LongAdder();
  private final LongAdder refused = new LongAdder();

  /** The answer to a request. */
  private record Answer(int status, String body) {}

  public AllocationRoutes(Vertx vertx, Allocations allocations, AllocationSource source) {
    this.vertx = vertx;
    this.allocations = allocations;
    this.source = source;
  }

  /** Declares what it counts. */
  public void declare(Meters meters) {
    meters.counter(
        "allocation_requests_accepted",
        "Requests to /v1/allocations that changed an allocation, or repeated a change.",
        accepted::sum);
    meters.counter(
        "allocation_requests_refused",
        "Requests to /v1/allocations that were rejected because of their content, a limit or a"
            + " missing token.",
        refused::sum);
  }

  /** Mounts them where everybody who comes may use them. */
  public void mount(Router router) {
    mountAfter(router.route(PATH + "*").handler(RoutingContext::next), router);
  }

  /**
   * Mounts them where a token must be shown.
   *
   * @param mayAsk admits requests before they show it
   * @param token empty when there is none: then nobody may use them
   */
  public void mount(Router router, Handler<RoutingContext> mayAsk, Supplier<String> token) {
    mountAfter(
        router.route(PATH + "*").handler(mayAsk).handler(http -> admit(http, token.get())), router);
  }

  private void mountAfter(Route all, Router router) {
    all.failureHandler(this::failed);
    router
        .post(PATH)
        .handler(BodyHandler.create(false).setBodyLimit(AllocationForm.MAX_BYTES))
        .handler(http -> answer(http, () -> tell(http.body().buffer())));
    router
        .get(PATH)
        .handler(
            http -> answer(http, () -> new Answer(200, AllocationForm.answer(allocations.now()))));
    router.delete(PATH + "/:id").handler(http -> answer(http, () -> remove(http.pathParam("id"))));
  }

  private void admit(RoutingContext http, String token) {
    String shown = http.request().getHeader("Authorization");
    if (token.isEmpty()) {
      refuse(
          http,
          403,
          "forbidden",
          "this port accepts no allocations; use the socket of attribution.allocations.socket, or"
              + " set attribution.allocations.tokenFile");
    } else if (shown == null || !isSame(shown, BEARER + token)) {
      http.response().putHeader("WWW-Authenticate", "Bearer realm=\"fleetgauge\"");
      refuse(
          http,
          401,
          "unauthorized",
          "send the token of attribution.allocations.tokenFile as Authorization: Bearer TOKEN");
    } else {
      http.next();
    }
  }

  private static boolean isSame(String shown, String wanted) {
    return MessageDigest.isEqual(
        shown.getBytes(StandardCharsets.UTF_8), wanted.getBytes(StandardCharsets.UTF_8));
  }

  private Answer tell(Buffer body) {
    ReportedAllocation allocation;
    try {
      byte[] bytes = body == null ? new byte[0] : body.getBytes();
      allocation = AllocationForm.read(bytes, allocations.time());
    } catch (BadAllocation e) {
      return new Answer(400, AllocationForm.error("bad_data", e.getMessage()));
    }
    return switch (allocations.put(allocation)) {
      case DONE -> new Answer(200, AllocationForm.answer(allocation, source.unknown(allocation)));
      case FULL ->
          new Answer(
              TOO_MANY,
              AllocationForm.error(
                  "unavailable",
                  "there are "
                      + allocations.limit()
                      + " allocations, which is attribution.allocations.limit; delete those that"
                      + " have ended, or raise it"));
    };
  }

  private Answer remove(String id) {
    return AllocationForm.isId(id)
        ? new Answer(200, AllocationForm.removed(allocations.remove(id)))
        : new Answer(
            400,
            AllocationForm.error(
                "bad_data", "the path names no id: it has letters, digits and . _ : - only"));
  }

  /** Changes wait for the disk, which event loops must not. */
  private void answer(RoutingContext http, Callable<Answer> work) {
    vertx
        .executeBlocking(work, false)
        .onSuccess(answer -> send(http, answer))
        .onFailure(http::fail);
  }

  private void send(RoutingContext http, Answer answer) {
    (answer.status() == 200 ? accepted : refused).increment();
    http.response()
        .setStatusCode(answer.status())
        .putHeader("Content-Type", "application/json")
        .end(answer.body());
  }

  private void refuse(RoutingContext http, int status, String type, String why) {
    send(http, new Answer(status, AllocationForm.error(type, why)));
  }

  private void failed(RoutingContext http) {
    if (http.statusCode() == TOO_LARGE) {
      refuse(
          http,
          TOO_LARGE,
          "bad_data",
          "the body has more than the " + AllocationForm.MAX_BYTES + " bytes that are allowed");
    } else {
      http.next();
    }
  }
}
