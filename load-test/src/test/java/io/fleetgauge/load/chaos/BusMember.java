package io.fleetgauge.load.chaos;

import io.fleetgauge.cluster.bus.ClusterBus;
import io.fleetgauge.cluster.bus.QueryPeers;
import io.fleetgauge.cluster.bus.RemoteQuery;
import io.fleetgauge.cluster.config.ClusterSettings;
import io.fleetgauge.cluster.member.ClusterMember;
import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders.Admission;
import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.http.HttpListener;
import io.fleetgauge.runtime.process.Command;
import io.fleetgauge.runtime.process.Meters;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine;
import picocli.CommandLine.Parameters;

/**
 * A gateway and a query API as members of a cluster, without samples: only what they exchange over
 * the event bus. The test asks over HTTP.
 */
@CommandLine.Command(name = "bus-member", hidden = true)
public final class BusMember implements Command {
  static final int HTTP = 9090;
  static final int GATEWAY = 5701;
  static final String TENANT = "a";

  /** Most queries of the tenant that may run at once on all query APIs. */
  static final int LIMIT = 30;

  private static final int READER = 5702;
  private static final int STEP_MILLIS = 5;

  @Parameters(index = "0")
  private String id;

  @Parameters(index = "1")
  private String address;

  @Parameters(index = "2", split = ",")
  private List<String> members;

  @Parameters(index = "3")
  private Path folder;

  private final CountedQueries queries = new CountedQueries();
  private ClusterMember gateway;
  private QueryPeers peers;

  @Override
  public Integer call() throws Exception {
    Vertx vertx = Vertx.vertx();
    HttpSettings http = new HttpSettings(address, HTTP).openToAll();
    Path tenants = folder.resolve(id + ".yaml");
    Guard guard =
        Guard.open(
            vertx,
            http,
            Optional.of(tenants),
            TrustSettings.NONE,
            TenantLimits.DEFAULT,
            selector -> "",
            System::currentTimeMillis);
    gateway =
        ClusterMember.join(
            settings(GATEWAY),
            Optional.of(
                new ClusterMember.Gateway(
                    id, URI.create("http://" + address + ":9500"), "", folder.resolve(id))),
            guard.key());
    gateway.activate();
    // A gateway receives nothing but hints.
    Meters hints = new Meters("hints");
    ClusterBus.start(gateway, address, id + "-gateway", false, guard).declare(hints);
    ClusterMember reader = ClusterMember.join(settings(READER), Optional.empty(), guard.key());
    ClusterBus bus = ClusterBus.start(reader, address, id, true, guard);
    peers = QueryPeers.start(bus, queries, tenant -> LIMIT, 10 * LIMIT);
    vertx.setPeriodic(STEP_MILLIS, timer -> queries.run(peers.running(TENANT, LIMIT)));
    HttpListener.start(vertx, http, "http.port", routes(vertx, hints));
    new CountDownLatch(1).await(); // until it is killed
    return 0;
  }

  private ClusterSettings settings(int port) {
    return new ClusterSettings("split", address, port, members, 2);
  }

  private Router routes(Vertx vertx, Meters hints) {
    Router router =
        HttpListener.router(
            vertx, new HttpListener.Readiness(), hints, () -> "", RoutingContext::next);
    router.get("/state").handler(request -> request.json(state()));
    router
        .get("/timeline")
        .handler(request -> request.json(new JsonObject().put("lines", queries.timeline())));
    router
        .get("/others")
        .handler(
            request ->
                peers
                    .others()
                    .onSuccess(listing -> request.json(listed(listing)))
                    .onFailure(request::fail));
    router
        .get("/wants/:queries")
        .handler(
            request -> {
              queries.wants(Integer.parseInt(request.pathParam("queries")));
              request.json(state());
            });
    router
        .get("/lists/:query")
        .handler(
            request -> {
              long query = Long.parseLong(request.pathParam("query"));
              queries.lists(new RemoteQuery(query, TENANT, "up", "running", 1, 1, 1));
              request.json(state());
            });
    router
        .get("/register/:host")
        .handler(
            request -> {
              gateway.register(request.pathParam("host"), Admission.UNKNOWN);
              request.json(state());
            });
    return router;
  }

  private JsonObject state() {
    ClusterView view = gateway.view();
    return new JsonObject()
        .put("gateways", view.gateways().size())
        .put("epoch", view.table().epoch())
        .put("hosts", new JsonArray(List.copyOf(view.table().holders().keySet())))
        .put("allowed", peers.running(TENANT, LIMIT))
        .put("running", queries.count());
  }

  private static JsonObject listed(QueryPeers.Listing listing) {
    return new JsonObject()
        .put("queries", new JsonArray(listing.queries().stream().map(RemoteQuery::id).toList()))
        .put("silent", new JsonArray(listing.silent()));
  }
}
