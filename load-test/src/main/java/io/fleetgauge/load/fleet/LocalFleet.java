package io.fleetgauge.load.fleet;

import io.fleetgauge.cluster.config.ClusterSettings;
import io.fleetgauge.gateway.GatewayProcess;
import io.fleetgauge.gateway.config.GatewayConfig;
import io.fleetgauge.gateway.config.IngestSettings;
import io.fleetgauge.gateway.config.RollupSettings;
import io.fleetgauge.gateway.config.StoreSettings;
import io.fleetgauge.gateway.sender.SenderSettings;
import io.fleetgauge.query.QueryProcess;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.LogSettings;
import io.fleetgauge.runtime.config.TlsSettings;
import io.fleetgauge.runtime.config.TracingSettings;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.process.Lifecycle;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.sample.journal.Journal;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/** Gateways that form a cluster, and query APIs on them. Not for several threads. */
public final class LocalFleet implements AutoCloseable {
  private static final String LOOPBACK = "127.0.0.1";
  private static final LogSettings LOG =
      new LogSettings(LogSettings.Format.TEXT, LogSettings.Level.INFO);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(20);

  private final Lifecycle lifecycle = new Lifecycle("local fleet");
  private final String clusterName;
  private List<SenderSettings> receivers = List.of();
  private final List<Integer> clusterPorts;
  private final Path folder;
  private final LongSupplier clock;
  private Optional<Path> tenants = Optional.empty();
  private TrustSettings trust = TrustSettings.NONE;
  private Optional<TlsSettings> tls = Optional.empty();
  private final List<GatewayProcess> gateways = new ArrayList<>();
  private int members;

  /**
   * @param clusterName so that two fleets on one machine stay apart
   * @param clusterPorts one for each process that will be started
   * @param folder for what the gateways keep
   * @param clock ms since the epoch, for all processes
   */
  public LocalFleet(
      String clusterName, List<Integer> clusterPorts, Path folder, LongSupplier clock) {
    this.folder = folder;
    this.clusterName = clusterName;
    this.clusterPorts = List.copyOf(clusterPorts);
    this.clock = clock;
  }

  /** Sets to whom gateways send samples; for those that are started afterwards. */
  public void sendTo(List<SenderSettings> settings) {
    receivers = List.copyOf(settings);
  }

  /**
   * Starts one more gateway, with the id {@code gateway-1}, {@code gateway-2} and so on.
   *
   * @param port 0 lets the system choose
   */
  public GatewayProcess startGateway(int port, Duration retention) throws StartFailure {
    Path data = folder.resolve("gateway-" + (gateways.size() + 1));
    return startGateway(port, StoreSettings.defaults(data, retention));
  }

  /**
   * As {@link #startGateway(int, Duration)}, with another time until samples leave memory; half of
   * it is how late they may come.
   */
  public GatewayProcess startGateway(int port, Duration retention, Duration memory)
      throws StartFailure {
    Path data = folder.resolve("gateway-" + (gateways.size() + 1));
    StoreSettings store = StoreSettings.defaults(data, retention);
    return startGateway(
        port,
        new StoreSettings(
            data,
            retention,
            store.maxDiskBytes(),
            memory,
            memory.dividedBy(2),
            store.maxSeriesPerHost(),
            store.maxSeriesPerTenant(),
            store.maxSeries(),
            store.gpuLabel(),
            store.ownerLabels()));
  }

  private GatewayProcess startGateway(int port, StoreSettings store) throws StartFailure {
    String id = "gateway-" + (gateways.size() + 1);
    GatewayConfig config =
        new GatewayConfig(
            id,
            http(LOOPBACK, port),
            LOOPBACK,
            "",
            tenants,
            trust,
            Duration.ZERO,
            nextMember(),
            store,
            GatewayConfig.DEFAULT_USAGE_RETENTION,
            RollupSettings.DEFAULT,
            Journal.Settings.defaults(store.folder().resolve("journal")),
            IngestSettings.DEFAULT,
            receivers,
            LOG,
            TracingSettings.OFF);
    GatewayProcess gateway = GatewayProcess.start(config, clock);
    gateways.add(gateway);
    lifecycle.started(id, STOP_LIMIT, gateway);
    return gateway;
  }

  /**
   * Starts a query API.
   *
   * @param host the address to bind
   * @param port 0 lets the system choose
   */
  public QueryProcess startQuery(String host, int port) throws StartFailure {
    return startQuery(host, port, Set.of());
  }

  /**
   * As above.
   *
   * @param insecure whether {@code host} may be one that other machines reach
   * @param configured changes what else is configured
   */
  public QueryProcess startQuery(
      String host, int port, boolean insecure, UnaryOperator<QueryConfig> configured)
      throws StartFailure {
    QueryConfig config =
        QueryConfig.defaults(new HttpSettings(host, port), nextMember(), Set.of(), LOG);
    return startQuery(configured.apply(insecure ? config.openToAll() : config));
  }

  /**
   * @param features as {@code query.features} has them
   */
  public QueryProcess startQuery(String host, int port, Set<String> features) throws StartFailure {
    return startQuery(secured(QueryConfig.defaults(http(host, port), nextMember(), features, LOG)));
  }

  /** Starts a query API that is configured so, in the next place of the cluster. */
  public QueryProcess startQuery(UnaryOperator<QueryConfig> configured) throws StartFailure {
    return startQuery(
        configured.apply(
            secured(QueryConfig.defaults(http(LOOPBACK, 0), nextMember(), Set.of(), LOG))));
  }

  /**
   * Asks for tokens and speaks TLS from then on; for what is started afterwards.
   *
   * @param tenantsFile the file of tenants
   * @param trusted what processes show each other
   */
  public void secure(
      Optional<Path> tenantsFile, TrustSettings trusted, Optional<TlsSettings> listenerTls) {
    tenants = tenantsFile;
    trust = trusted;
    tls = listenerTls;
  }

  private HttpSettings http(String host, int port) {
    return new HttpSettings(host, port, false, tls);
  }

  private QueryConfig secured(QueryConfig base) {
    return base.with(tenants, trust);
  }

  private QueryProcess startQuery(QueryConfig config) throws StartFailure {
    QueryProcess query = QueryProcess.start(config, clock);
    lifecycle.started("query API", STOP_LIMIT, query);
    return query;
  }

  private ClusterSettings nextMember() {
    List<String> all = clusterPorts.stream().map(port -> LOOPBACK + ":" + port).toList();
    return new ClusterSettings(
        clusterName,
        LOOPBACK,
        clusterPorts.get(members++),
        all,
        ClusterSettings.DEFAULT_REPLICATION);
  }

  public List<GatewayProcess> gateways() {
    return List.copyOf(gateways);
  }

  /** Where the gateways are reached. */
  public List<URI> gatewayAddresses() {
    return gateways.stream().map(GatewayProcess::address).toList();
  }

  @Override
  public void close() {
    lifecycle.close();
  }
}
