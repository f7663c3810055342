package io.fleetgauge.gateway;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes on requests from the gateway's own machine, where the process can be stopped and its files
 * removed by other means too, and none from a page in a browser that runs there.
 */
final class OwnMachine {
  private static final Logger LOG = LoggerFactory.getLogger(OwnMachine.class);

  /** Browsers send one of these with every POST that a page or a form makes. */
  private static final List<String> OF_BROWSERS =
      List.of("Origin", "Sec-Fetch-Site", "Referer", "Content-Type");

  private OwnMachine() {}

  /**
   * @param command what is to be used instead of a browser
   */
  static void only(RoutingContext http, String command) {
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
                  + ", which browsers send; use "
                  + command
                  + "\n");
      return;
    }
    http.next();
  }

  static boolean isThisMachine(String address) {
    try {
      InetAddress from = InetAddress.getByName(address);
      return from.isLoopbackAddress() || NetworkInterface.getByInetAddress(from) != null;
    } catch (IOException e) {
      LOG.debug("{} is not an address", address, e);
      return false;
    }
  }
}
