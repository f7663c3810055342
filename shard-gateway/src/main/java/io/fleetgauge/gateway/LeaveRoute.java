package io.fleetgauge.gateway;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code POST /v1/leave} makes the gateway hand over its hosts and stop. It is accepted from the
 * gateway's own machine, where the process can be stopped by other means too, and never from a page
 * in a browser that runs there.
 */
final class LeaveRoute {
  static final String PATH = "/v1/leave";

  private static final Logger LOG = LoggerFactory.getLogger(LeaveRoute.class);

  /** Browsers send one of these with every POST that a page or a form makes. */
  private static final List<String> OF_BROWSERS =
      List.of("Origin", "Sec-Fetch-Site", "Referer", "Content-Type");

  private LeaveRoute() {}

  /**
   * @param guard admits requests with a proof, where the gateway has something to prove it with
   * @param onLeave stops the process
   */
  static void mount(Router router, Handler<RoutingContext> guard, Runnable onLeave) {
    router.post(PATH).handler(guard).handler(http -> leave(http, onLeave));
  }

  private static void leave(RoutingContext http, Runnable onLeave) {
    HttpServerRequest request = http.request();
    SocketAddress from = request.remoteAddress();
    if (from.hostAddress() == null || !isThisMachine(from.hostAddress())) {
      http.response()
          .setStatusCode(403)
          .end("this request is accepted from the machine of the gateway only\n");
      return;
    }
    Optional<String> ofBrowser =
        OF_BROWSERS.stream().filter(request.headers()::contains).findFirst();
    if (ofBrowser.isPresent()) {
      http.response()
          .setStatusCode(403)
          .end(
              "the request has the header "
                  + ofBrowser.get()
                  + ", which browsers send; use fleetgauge gateway --drain\n");
      return;
    }
    http.response().setStatusCode(202).end("leaving\n");
    Thread.ofPlatform().name("leave").start(onLeave);
  }

  private static boolean isThisMachine(String address) {
    try {
      InetAddress from = InetAddress.getByName(address);
      return from.isLoopbackAddress() || NetworkInterface.getByInetAddress(from) != null;
    } catch (IOException e) {
      LOG.debug("{} is not an address", address, e);
      return false;
    }
  }
}
