package io.fleetgauge.query;

import io.fleetgauge.cluster.bus.ClusterBus;
import io.fleetgauge.cluster.member.ClusterMember;
import io.fleetgauge.cluster.status.AllGateways;
import io.fleetgauge.cluster.status.TableAge;
import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.admission.Admission;
import io.fleetgauge.query.admission.ClusterShare;
import io.fleetgauge.query.admission.Lanes;
import io.fleetgauge.query.admission.TenantShare;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.fanout.GatewayShards;
import io.fleetgauge.query.federate.FederateApi;
import io.fleetgauge.query.grafana.GrafanaApi;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.FailureCounts;
import io.fleetgauge.query.http.Pages;
import io.fleetgauge.query.operate.OperateApi;
import io.fleetgauge.query.prometheus.PrometheusApi;
import io.fleetgauge.query.report.ReportApi;
import io.fleetgauge.runtime.config.LocalHost;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.discovery.Discovery;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.http.HttpListener;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.process.EventLoops;
import io.fleetgauge.runtime.process.Lifecycle;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.runtime.tenant.Right;
import io.fleetgauge.runtime.trace.Tracer;
import io.fleetgauge.sample.vocabulary.AliasTable;
import io.fleetgauge.sample.vocabulary.InvalidAliases;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running query API. */
public final class QueryProcess implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(QueryProcess.class);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

  /** Most queries of rules that run or wait: those of all groups at one time. */
  private static final int RULES_IN_FLIGHT = 100_000;

  /** Light ones, which share requests; of heavy ones, one runs at a time. */
  private static final int RULES_AT_ONCE = 64;

  private final Lifecycle lifecycle = new Lifecycle("query API");
  private final AtomicReference<ClusterMember> member = new AtomicReference<>();
  private volatile Router router;
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

  private void run(QueryConfig config, LongSupplier clock) throws StartFailure {
    Vertx vertx = EventLoops.start();
    lifecycle.started("event loops", STOP_LIMIT, () -> vertx.close().await(5, TimeUnit.SECONDS));
    int threads = Math.max(2, Runtime.getRuntime().availableProcessors());
    WorkerExecutor workers = vertx.createSharedWorkerExecutor("queries", threads);
    WorkerExecutor heavyWorkers =
        vertx.createSharedWorkerExecutor("heavy-queries", config.maxHeavy());
    Guard guard =
        Guard.open(
            vertx,
            config.http(),
            config.tenants(),
            config.trust(),
            config.limits(),
            Parser::selectorProblem,
            clock);
    OutgoingHttp toGateways =
        new OutgoingHttp(
            vertx, config.trust(), guard.signer(), GatewayShards.connections(config.maxParallel()));
    lifecycle.started("connections to gateways", STOP_LIMIT, toGateways);
    GatewayShards fanout = new GatewayShards(vertx, toGateways, this::view, workers, heavyWorkers);
    ClusterQueries cluster = new ClusterQueries(vertx);
    Admission admission =
        new Admission(
            new Admission.Places(config.maxConcurrent(), config.maxParallel(), config.maxHeavy()),
            tenant -> share(guard.access().limits(tenant)),
            cluster,
            System::nanoTime);
    Tracer tracer =
        Tracer.start(config.tracing(), "query", LocalHost.name() + ":" + config.http().port());
    lifecycle.started("traces", STOP_LIMIT, tracer);
    Querier querier =
        new Querier(
            config,
            fanout,
            new Lanes(admission, ofRules()),
            new Querier.Workers(workers, heavyWorkers),
            aliases(config),
            tracer);
    Meters meters = new Meters("fleetgauge_query");
    new ClusterMeters(this::view).declare(meters);
    guard.declare(meters);
    admission.declare(meters);
    querier.declare(meters);
    tracer.declare(meters);
    fanout.declare(meters);
    HttpListener.Readiness readiness = new HttpListener.Readiness();
    router =
        HttpListener.router(vertx, readiness, meters, () -> "", guard.needsPeerOr(Right.OPERATE));
    FailureCounts failures = new FailureCounts();
    failures.declare(meters);
    ApiRoutes routes =
        new ApiRoutes(router, guard, workers, failures, config.allowedOrigins(), clock);
    routes.declare(meters);
    PrometheusApi.mount(routes, config, querier, cluster, clock);
    FederateApi.mount(routes, config, querier, clock);
    GrafanaApi.mount(routes, config, querier, clock);
    ReportApi.mount(routes, config, querier, clock);
    TableAge tableAge = new TableAge(clock);
    AllGateways gateways = new AllGateways(this::view, toGateways);
    OperateApi.mount(routes, config, querier, gateways::ask, tableAge, clock);
    QueryRules rules =
        QueryRules.open(
            vertx,
            lifecycle,
            config,
            querier,
            guard,
            this::view,
            toGateways,
            router,
            routes,
            meters,
            () -> port,
            clock);
    Pages.mount(router);
    HttpListener http = HttpListener.start(vertx, config.http(), "http.port", router);
    http.declare(meters);
    lifecycle.started("HTTP", STOP_LIMIT, http);
    port = http.port();
    try {
      Optional<Discovery> discovery =
          config
              .cluster()
              .discovery()
              .map(
                  settings ->
                      Discovery.ofMembers(
                          vertx, settings, config.cluster().members(), clock, meters));
      discovery.ifPresent(search -> lifecycle.started("discovery", STOP_LIMIT, search));
      ClusterMember seat =
          ClusterMember.join(
              config.cluster(),
              () -> discovery.map(Discovery::addresses).orElse(config.cluster().members()),
              Optional.empty(),
              guard.key());
      lifecycle.started("cluster", STOP_LIMIT, seat);
      member.set(seat);
      seat.onChange(tableAge::look);
      String name = LocalHost.name() + ":" + port;
      ClusterBus bus = ClusterBus.start(seat, config.cluster().host(), name, true, guard);
      lifecycle.started("event bus", STOP_LIMIT, bus);
      bus.declare(meters);
      meters.counter(
          "cluster_entries_ignored",
          "Entries in Hazelcast that were ignored because they are invalid or not authenticated.",
          seat::ignoredEntries);
      cluster.join(
          bus,
          admission,
          querier.running(),
          tenant -> guard.access().limits(tenant).running(),
          config.maxConcurrent());
      rules.begin(lifecycle, seat, port);
    } catch (IllegalStateException e) {
      throw new StartFailure(e.getMessage(), e);
    }
    readiness.ready();
    lifecycle.started("readiness", STOP_LIMIT, () -> readiness.notReady("stopping"));
    LOG.info(
        "query API at {}://{}:{} is in cluster {} with {} gateways",
        config.http().scheme(),
        config.http().host(),
        port,
        config.cluster().name(),
        view().gateways().size());
  }

  /** Rules have places of their own: nobody's dashboard delays an alert, and none is delayed. */
  private static Admission ofRules() {
    return new Admission(
        new Admission.Places(RULES_IN_FLIGHT, RULES_AT_ONCE, 1),
        tenant -> new TenantShare(1, RULES_AT_ONCE, RULES_IN_FLIGHT),
        ClusterShare.WHOLE,
        System::nanoTime);
  }

  private static TenantShare share(TenantLimits of) {
    return new TenantShare(of.weight(), of.running(), of.queued());
  }

  /** The aliases that every query API knows, and those of the configured file. */
  private static AliasTable aliases(QueryConfig config) throws StartFailure {
    if (config.aliases().isEmpty()) {
      return AliasTable.builtIn();
    }
    Path file = config.aliases().get();
    try {
      return AliasTable.builtIn().with(file.toString(), Files.readString(file));
    } catch (IOException e) {
      throw new StartFailure(
          "the file " + file + " of query.aliases cannot be read: " + e.getMessage(), e);
    } catch (InvalidAliases e) {
      throw new StartFailure("query.aliases: " + e.getMessage(), e);
    }
  }

  /** The newest view of the cluster; empty before it has joined. */
  public ClusterView view() {
    ClusterMember seat = member.get();
    return seat == null ? ClusterView.EMPTY : seat.view();
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
