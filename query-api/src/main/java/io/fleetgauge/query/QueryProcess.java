package io.fleetgauge.query;

import io.fleetgauge.cluster.peers.PeerLink;
import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.operate.ClusterMeters;
import io.fleetgauge.query.peers.PeerQueries;
import io.fleetgauge.query.peers.SharedLimits;
import io.fleetgauge.runtime.config.LocalHost;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.http.HttpListener;
import io.fleetgauge.runtime.process.EventLoops;
import io.fleetgauge.runtime.process.Lifecycle;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.ProcessPart;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.runtime.tenant.Permission;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running query API: its parts, in the order of their starts. */
public final class QueryProcess implements AutoCloseable {
  /** Longest time that anything may take to stop. */
  static final Duration STOP_LIMIT = Duration.ofSeconds(10);

  private static final Logger LOG = LoggerFactory.getLogger(QueryProcess.class);

  /** A part stops what it is made of one by one. */
  private static final Duration PART_STOP_LIMIT = STOP_LIMIT.multipliedBy(2);

  private final Lifecycle lifecycle = new Lifecycle("query API");
  private final Meters meters = new Meters("fleetgauge_query");
  private Router router;
  private ClusterPart cluster;
  private volatile int port;

  private QueryProcess() {}

  /**
   * @param clock ms since the epoch
   * @throws StartFailure if a port is taken or the cluster cannot be joined; what had been started
   *     is stopped again
   */
  public static QueryProcess start(QueryConfig config, LongSupplier clock) throws StartFailure {
    QueryProcess process = new QueryProcess();
    process.lifecycle.startOrClose(() -> process.run(config, clock));
    return process;
  }

  private <P extends ProcessPart> P start(String name, P part) throws StartFailure {
    return start(name, PART_STOP_LIMIT, part);
  }

  private <P extends ProcessPart> P start(String name, Duration stopLimit, P part)
      throws StartFailure {
    lifecycle.started(name, stopLimit, part);
    part.start();
    part.declare(meters);
    return part;
  }

  private void run(QueryConfig config, LongSupplier clock) throws StartFailure {
    Vertx vertx = EventLoops.start();
    lifecycle.started("event loops", STOP_LIMIT, () -> vertx.close().await(5, TimeUnit.SECONDS));
    Guard guard =
        Guard.open(
            vertx,
            config.http(),
            config.tenants(),
            config.trust(),
            config.limits(),
            Parser::selectorProblem,
            clock);
    guard.declare(meters);
    HttpListener.Readiness readiness = new HttpListener.Readiness();
    router =
        HttpListener.router(
            vertx, readiness, meters, () -> "", guard.needsPeerOr(Permission.OPERATE));
    // It joins when everything else can answer, and shows an empty cluster until then.
    cluster = new ClusterPart(vertx, config, guard, meters, clock);
    new ClusterMeters(cluster::view).declare(meters);
    SharedLimits limits = new SharedLimits();
    QuerierPart queries =
        start("queries", new QuerierPart(vertx, config, guard, cluster::view, limits, clock));
    PeerLink link = PeerLink.mount(router, guard, vertx, queries.toGateways());
    PeerQueries others = PeerQueries.mount(router, guard, link, queries.querier().running());
    ApiPart api =
        start("APIs", new ApiPart(config, router, guard, queries, others, cluster, clock));
    ReportPart reports =
        start(
            "reports", new ReportPart(vertx, config, api.routes(), queries.querier(), link, clock));
    InventoryPart inventory =
        start("inventory", new InventoryPart(config, api.routes(), queries.querier(), clock));
    RulesPart rules =
        start(
            "rules",
            RulesPart.stopLimit(config),
            new RulesPart(
                vertx,
                config,
                guard,
                queries,
                cluster,
                new RulesPart.Mounting(router, api.routes(), link, () -> port),
                clock));
    FaultsPart faults =
        start(
            "faults",
            new FaultsPart(vertx, config, queries, cluster, link, inventory.file(), clock));
    HttpListener http = HttpListener.start(vertx, config.http(), "http.port", router);
    lifecycle.started("HTTP", STOP_LIMIT, http);
    http.declare(meters);
    port = http.port();
    String name = LocalHost.name() + ":" + port;
    start("cluster", cluster);
    start("other query APIs", new PeersPart(config, guard, cluster, queries, limits, link, port));
    start("evaluation", new EvaluationPart(rules, faults, reports, name));
    readiness.ready();
    lifecycle.started("readiness", STOP_LIMIT, () -> readiness.notReady("stopping"));
    LOG.info(
        "query API at {}://{}:{} is in {}, and asks {} other clusters",
        config.http().scheme(),
        config.http().host(),
        port,
        config.clusters().joins()
            ? "cluster "
                + config.cluster().name()
                + " with "
                + view().gateways().size()
                + " gateways"
            : "no cluster",
        config.clusters().others().size());
  }

  /** The newest view of the cluster; empty before it has joined. */
  public ClusterView view() {
    return cluster.view();
  }

  public int port() {
    return port;
  }

  /** All routes. */
  Router router() {
    return router;
  }

  @Override
  public void close() {
    lifecycle.close();
  }
}
