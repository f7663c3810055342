package io.fleetgauge.query;

import io.fleetgauge.cluster.config.QueryConfig;
import io.fleetgauge.cluster.config.TenantLimits;
import io.fleetgauge.cluster.member.ClusterMember;
import io.fleetgauge.cluster.member.ClusterView;
import io.fleetgauge.cluster.process.HttpListener;
import io.fleetgauge.cluster.process.Lifecycle;
import io.fleetgauge.cluster.process.Meters;
import io.fleetgauge.cluster.process.StartFailure;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.query.answer.Admission;
import io.fleetgauge.query.answer.Answering;
import io.fleetgauge.query.answer.Limits;
import io.fleetgauge.query.cache.Extents;
import io.fleetgauge.query.cache.Versions;
import io.fleetgauge.query.fanout.ChangeFeed;
import io.fleetgauge.query.fanout.Fanout;
import io.fleetgauge.query.http.PrometheusApi;
import io.fleetgauge.query.http.QueryCounts;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.ext.web.Router;
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

  /** How many tenants can fill their share of the memory for answers. */
  private static final int CACHE_SHARES = 4;

  private final Lifecycle lifecycle = new Lifecycle("query API");
  private final AtomicReference<ClusterMember> member = new AtomicReference<>();
  private int port;

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
    Vertx vertx = Vertx.vertx();
    lifecycle.started("event loops", STOP_LIMIT, () -> vertx.close().await(5, TimeUnit.SECONDS));
    int threads = Math.max(2, Runtime.getRuntime().availableProcessors());
    WorkerExecutor workers = vertx.createSharedWorkerExecutor("queries", threads);
    WorkerExecutor heavyWorkers =
        vertx.createSharedWorkerExecutor("heavy-queries", config.maxHeavy());
    Fanout fanout = new Fanout(vertx, this::view, workers);
    lifecycle.started("fan-out", STOP_LIMIT, fanout);
    Admission admission =
        new Admission(
            config.maxConcurrent(),
            config.maxParallel(),
            config.maxHeavy(),
            tenant -> limits(config.of(tenant)),
            System::nanoTime);
    Versions versions = new Versions();
    ChangeFeed feed = new ChangeFeed(fanout, this::view, versions);
    Extents extents = new Extents(versions, config.cacheBytes(), CACHE_SHARES);
    Answering answering =
        new Answering(config, admission, fanout, feed, versions, extents, workers, heavyWorkers);
    QueryCounts counts = new QueryCounts();
    Meters meters =
        QueryMeters.of(counts, admission, answering, extents, feed, fanout::hedges, this::view);
    HttpListener.Readiness readiness = new HttpListener.Readiness();
    Router router = HttpListener.router(vertx, readiness, meters, () -> "");
    try {
      PrometheusApi.mount(router, config, answering, fanout, workers, counts, clock);
    } catch (ParseException e) {
      throw new StartFailure("a scope of query.tenants is no selector: " + e.getMessage(), e);
    }
    HttpListener http = HttpListener.start(vertx, config.http(), "http.port", router);
    lifecycle.started("HTTP", STOP_LIMIT, http);
    port = http.port();
    try {
      ClusterMember seat = ClusterMember.join(config.cluster(), Optional.empty());
      lifecycle.started("cluster", STOP_LIMIT, seat);
      member.set(seat);
    } catch (IllegalStateException e) {
      throw new StartFailure(e.getMessage(), e);
    }
    readiness.ready();
    lifecycle.started("readiness", STOP_LIMIT, () -> readiness.notReady("stopping"));
    LOG.info(
        "query API at http://{}:{} is in cluster {} with {} gateways",
        config.http().host(),
        port,
        config.cluster().name(),
        view().gateways().size());
  }

  private static Limits limits(TenantLimits of) {
    return new Limits(of.weight(), of.running(), of.queued());
  }

  /** The newest view of the cluster; empty before it has joined. */
  public ClusterView view() {
    ClusterMember seat = member.get();
    return seat == null ? ClusterView.EMPTY : seat.view();
  }

  public int port() {
    return port;
  }

  @Override
  public void close() {
    lifecycle.close();
  }
}
