package io.fleetgauge.gateway;

import io.vertx.core.Handler;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;

/**
 * {@code POST /v1/leave} makes the gateway hand over its hosts and stop. It is accepted from {@link
 * OwnMachine} only.
 */
final class LeaveRoute {
  static final String PATH = "/v1/leave";

  private LeaveRoute() {}

  /**
   * @param guard admits requests with a proof, where the gateway has something to prove it with
   * @param onLeave stops the process
   */
  static void mount(Router router, Handler<RoutingContext> guard, Runnable onLeave) {
    router
        .post(PATH)
        .handler(guard)
        .handler(http -> OwnMachine.only(http, "fleetgauge gateway --drain"))
        .handler(http -> leave(http, onLeave));
  }

  private static void leave(RoutingContext http, Runnable onLeave) {
    http.response().setStatusCode(202).end("leaving\n");
    Thread.ofPlatform().name("leave").start(onLeave);
  }
}
