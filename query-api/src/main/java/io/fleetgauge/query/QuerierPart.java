package io.fleetgauge.query;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.query.admission.Admission;
import io.fleetgauge.query.admission.ClusterShare;
import io.fleetgauge.query.admission.Lanes;
import io.fleetgauge.query.admission.TenantShare;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.clusters.Clusters;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.config.SourceSettings;
import io.fleetgauge.query.fanout.GatewayFleet;
import io.fleetgauge.query.fanout.Gateways;
import io.fleetgauge.query.fleet.Stores;
import io.fleetgauge.query.seam.SeamedSource;
import io.fleetgauge.query.store.ForeignStore;
import io.fleetgauge.query.store.StoreCounts;
import io.fleetgauge.runtime.config.LocalHost;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.process.Lifecycle;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.ProcessPart;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.runtime.trace.Tracer;
import io.fleetgauge.sample.vocabulary.AliasTable;
import io.fleetgauge.sample.vocabulary.InvalidAliases;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The way of a query to the gateways: its places, its threads, its trace, the connections. */
final class QuerierPart implements ProcessPart {
  /** Most queries of rules that run or wait: those of all groups at one time. */
  private static final int RULES_IN_FLIGHT = 100_000;

  /** Light ones, which share requests; of heavy ones, one runs at a time. */
  private static final int RULES_AT_ONCE = 64;

  private static final int FAULTS_AT_ONCE = 4;

  private final Lifecycle lifecycle = new Lifecycle("queries");
  private final Vertx vertx;
  private final QueryConfig config;
  private final Guard guard;
  private final Supplier<ClusterView> view;
  private final ClusterShare share;
  private final LongSupplier clock;
  private WorkerExecutor workers;
  private OutgoingHttp toGateways;
  private Gateways gateways;
  private Admission admission;
  private Tracer tracer;
  private Querier querier;
  private Querier ofOwnCluster;
  private final List<ForeignStore> sources = new ArrayList<>();
  private Optional<Clusters> clusters = Optional.empty();

  /**
   * @param share of the limits of the cluster that this process has
   * @param clock ms since the epoch
   */
  QuerierPart(
      Vertx vertx,
      QueryConfig config,
      Guard guard,
      Supplier<ClusterView> view,
      ClusterShare share,
      LongSupplier clock) {
    this.vertx = vertx;
    this.config = config;
    this.guard = guard;
    this.view = view;
    this.share = share;
    this.clock = clock;
  }

  @Override
  public void start() throws StartFailure {
    AliasTable aliases = aliases(config);
    int threads = Math.max(2, Runtime.getRuntime().availableProcessors());
    workers = vertx.createSharedWorkerExecutor("queries", threads);
    WorkerExecutor heavy = vertx.createSharedWorkerExecutor("heavy-queries", config.maxHeavy());
    toGateways =
        new OutgoingHttp(
            vertx, config.trust(), guard.signer(), Gateways.connections(config.maxParallel()));
    lifecycle.started("connections to gateways", QueryProcess.STOP_LIMIT, toGateways);
    gateways = new Gateways(vertx, toGateways, view, workers, heavy);
    admission =
        new Admission(
            new Admission.Places(config.maxConcurrent(), config.maxParallel(), config.maxHeavy()),
            tenant -> share(guard.access().limits(tenant)),
            share,
            System::nanoTime);
    tracer = Tracer.start(config.tracing(), "query", LocalHost.name() + ":" + config.http().port());
    lifecycle.started("traces", QueryProcess.STOP_LIMIT, tracer);
    GatewayFleet fleet = new GatewayFleet(gateways);
    Lanes lanes = new Lanes(admission, ofRules(), ofFaults());
    Querier.Workers evaluating = new Querier.Workers(workers, heavy);
    ofOwnCluster =
        new Querier(config, new Stores(fleet, fleet), lanes, evaluating, aliases, tracer, clock);
    Stores all = new Stores(fleet, fleet);
    if (!config.clusters().others().isEmpty()) {
      clusters =
          Optional.of(
              Clusters.start(
                  vertx,
                  config.clusters(),
                  config.clusters().joins() ? Optional.of(gateways) : Optional.empty(),
                  config.cluster().name(),
                  guard.access(),
                  workers,
                  heavy,
                  clock));
      lifecycle.started("clusters", QueryProcess.STOP_LIMIT.multipliedBy(2), clusters.get());
      all = clusters.get().stores();
    }
    boolean isOwnAlone = clusters.isEmpty() && config.sources().isEmpty();
    querier =
        isOwnAlone
            ? ofOwnCluster
            : new Querier(config, withSources(all), lanes, evaluating, aliases, tracer, clock);
  }

  /** Gateways, and other stores if there are any. */
  private Stores withSources(Stores gateways) throws StartFailure {
    if (config.sources().isEmpty()) {
      return gateways;
    }
    for (SourceSettings settings : config.sources()) {
      ForeignStore store = new ForeignStore(vertx, settings, workers);
      lifecycle.started("source " + settings.name(), QueryProcess.STOP_LIMIT, store);
      sources.add(store);
    }
    SeamedSource seamed =
        new SeamedSource(
            gateways.source(), gateways.fleet(), sources, workers, clock, System::nanoTime);
    return new Stores(seamed, gateways.fleet(), seamed);
  }

  /** Rules have places of their own: nobody's dashboard delays an alert, and none is delayed. */
  private static Admission ofRules() {
    return new Admission(
        new Admission.Places(RULES_IN_FLIGHT, RULES_AT_ONCE, 1),
        tenant -> new TenantShare(1, RULES_AT_ONCE, RULES_IN_FLIGHT),
        ClusterShare.WHOLE,
        System::nanoTime);
  }

  /** So does the evaluation of faults, which reads hosts one group after the other. */
  private static Admission ofFaults() {
    return new Admission(
        new Admission.Places(FAULTS_AT_ONCE, FAULTS_AT_ONCE, FAULTS_AT_ONCE),
        tenant -> new TenantShare(1, FAULTS_AT_ONCE, FAULTS_AT_ONCE),
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

  @Override
  public void declare(Meters meters) {
    admission.declare(meters);
    querier.declare(meters);
    tracer.declare(meters);
    gateways.declare(meters);
    clusters.ifPresent(each -> each.declare(meters));
    StoreCounts.declare(meters, sources);
  }

  /** The threads for light queries. */
  WorkerExecutor workers() {
    return workers;
  }

  /** The connections to gateways and to other query APIs. */
  OutgoingHttp toGateways() {
    return toGateways;
  }

  /** The places of all queries but those of rules. */
  Admission admission() {
    return admission;
  }

  /** Answers from all clusters. */
  Querier querier() {
    return querier;
  }

  /** Answers from the cluster that this process has joined. */
  Querier ofOwnCluster() {
    return ofOwnCluster;
  }

  /** The gateways of that cluster. */
  Gateways gateways() {
    return gateways;
  }

  @Override
  public void close() {
    lifecycle.close();
  }
}
