package io.fleetgauge.runtime.http;

import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.TlsSettings;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import javax.net.ssl.SSLPeerUnverifiedException;

/** Certificates that clients show. Those of another authority do not get past the handshake. */
public final class ClientCertificate {
  private ClientCertificate() {}

  /**
   * Passes on requests of clients that show a certificate of {@code http.tls.clientCa}; where no
   * authority is set, all requests.
   */
  public static Handler<RoutingContext> needed(HttpSettings http) {
    return http.tls().flatMap(TlsSettings::clientCa).isEmpty()
        ? RoutingContext::next
        : ClientCertificate::admit;
  }

  private static void admit(RoutingContext http) {
    if (isShown(http.request())) {
      http.next();
      return;
    }
    http.response()
        .setStatusCode(401)
        .putHeader("Content-Type", "application/json")
        .end(
            "{\"status\":\"error\",\"errorType\":\"unauthorized\",\"error\":\"present a client"
                + " certificate that the authority of http.tls.clientCa has signed\"}");
  }

  /** Tells whether the client has shown a certificate. */
  static boolean isShown(HttpServerRequest request) {
    if (request.sslSession() == null) {
      return false;
    }
    try {
      return request.sslSession().getPeerCertificates().length > 0;
    } catch (SSLPeerUnverifiedException e) {
      return false;
    }
  }
}
