package io.fleetgauge.cluster.peers;

import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.http.HttpListener;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/** The end of a query API that the others reach, on a port of this machine. */
public final class LinkedQueryApi implements AutoCloseable {
  public final String name;
  public final PeerLink link;
  private final OutgoingHttp outgoing;
  private final HttpListener listener;
  private boolean isClosed;

  public LinkedQueryApi(Vertx vertx, String name) throws Exception {
    this.name = name;
    HttpSettings http = new HttpSettings("127.0.0.1", 0);
    Guard guard =
        Guard.open(
            vertx,
            http,
            Optional.empty(),
            TrustSettings.NONE,
            TenantLimits.DEFAULT,
            scope -> "",
            System::currentTimeMillis);
    outgoing =
        new OutgoingHttp(
            vertx, TrustSettings.NONE, guard.signer(), new HttpClients.Limits(1_000, 10, 4, 100));
    Router router = Router.router(vertx);
    link = PeerLink.mount(router, guard, vertx, outgoing);
    listener = HttpListener.start(vertx, http, "http.port", router);
  }

  public URI address() {
    return URI.create("http://127.0.0.1:" + listener.port());
  }

  /** Each of them learns where the others are. */
  public static void meet(List<LinkedQueryApi> all) {
    for (LinkedQueryApi each : all) {
      Map<String, URI> others = new HashMap<>();
      all.forEach(other -> others.put(other.name, other.address()));
      others.remove(each.name);
      each.link.found(others);
    }
  }

  @Override
  public void close() throws TimeoutException {
    if (!isClosed) {
      isClosed = true;
      link.close();
      listener.close();
      outgoing.close();
    }
  }
}
