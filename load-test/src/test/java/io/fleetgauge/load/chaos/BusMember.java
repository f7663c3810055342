package io.fleetgauge.load.chaos;

import io.fleetgauge.cluster.bus.ClusterBus;
import io.fleetgauge.cluster.config.ClusterSettings;
import io.fleetgauge.cluster.limits.ClusterLimits;
import io.fleetgauge.cluster.member.ClusterMember;
import io.fleetgauge.cluster.peers.PeerLink;
import io.fleetgauge.cluster.peers.PeerList;
import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders.Admission;
import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.http.HttpListener;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.process.Command;
import io.fleetgauge.runtime.process.Meters;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine;
import picocli.CommandLine.Parameters;

/**
 * A gateway and a query API as members of a cluster, without samples: only hints over the event
 * bus, and heartbeats. The test asks over HTTP.
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
  private ClusterLimits limits;
  private PeerLink link;

  @Override
  public Integer call() throws Exception {
    Vertx vertx = Vertx.vertx();
    HttpSettings http = new HttpSettings(address, HTTP).openToAll();
    Path tenants = folder.resolve(id + ".yaml");
    TrustSettings trust =
        new TrustSettings(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of(folder.resolve("secret")),
            Duration.ofMinutes(5));
    Guard guard =
        Guard.open(
            vertx,
            http,
            Optional.of(tenants),
            trust,
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
    Meters hints = new Meters("hints");
    ClusterBus.start(gateway, address, id + "-gateway", guard).declare(hints);
    ClusterMember reader = ClusterMember.join(settings(READER), Optional.empty(), guard.key());
    ClusterBus.start(reader, address, id, guard);
    OutgoingHttp outgoing =
        new OutgoingHttp(vertx, trust, guard.signer(), new HttpClients.Limits(1_000, 10, 4, 100));
    Router router =
        HttpListener.router(
            vertx, new HttpListener.Readiness(), hints, () -> "", RoutingContext::next);
    link = PeerLink.mount(router, guard, vertx, outgoing);
    link.start(id, reader::queryApis);
    limits = ClusterLimits.start(link, queries, tenant -> LIMIT, 10 * LIMIT);
    routes(router);
    HttpListener.start(vertx, http, "http.port", router);
    reader.meetQueryApis(id, URI.create("http://" + address + ":" + HTTP), link::found);
    vertx.setPeriodic(STEP_MILLIS, timer -> queries.run(limits.running(TENANT, LIMIT)));
    new CountDownLatch(1).await(); // until it is killed
    return 0;
  }

  private ClusterSettings settings(int port) {
    return new ClusterSettings("split", address, port, members, 2);
  }

  private void routes(Router router) {
    router.get("/state").handler(request -> request.json(state()));
    router
        .get("/timeline")
        .handler(request -> request.json(new JsonObject().put("lines", queries.timeline())));
    router.get("/others").handler(request -> request.json(others(link.list())));
    router
        .get("/wants/:queries")
        .handler(
            request -> {
              queries.wants(Integer.parseInt(request.pathParam("queries")));
              request.json(state());
            });
    router
        .get("/register/:host")
        .handler(
            request -> {
              gateway.register(request.pathParam("host"), Admission.UNKNOWN);
              request.json(state());
            });
  }

  private JsonObject state() {
    ClusterView view = gateway.view();
    return new JsonObject()
        .put("gateways", view.gateways().size())
        .put("epoch", view.table().epoch())
        .put("hosts", new JsonArray(List.copyOf(view.table().holders().keySet())))
        .put("allowed", limits.running(TENANT, LIMIT))
        .put("running", queries.count());
  }

  private static JsonObject others(PeerList list) {
    return new JsonObject()
        .put("live", new JsonArray(List.copyOf(list.liveNames())))
        .put("listed", new JsonArray(List.copyOf(list.listed().orElse(Set.of()))));
  }
}
