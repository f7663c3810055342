package io.fleetgauge.gateway;

import io.fleetgauge.cluster.bus.ClusterBus;
import io.fleetgauge.cluster.member.ClusterMember;
import io.fleetgauge.cluster.status.AllGateways;
import io.fleetgauge.cluster.status.TableAge;
import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders.Admission;
import io.fleetgauge.cluster.table.Situation.Report;
import io.fleetgauge.gateway.backup.BackedUpStore;
import io.fleetgauge.gateway.backup.BackupRoute;
import io.fleetgauge.gateway.backup.RestoreRoute;
import io.fleetgauge.gateway.config.GatewayConfig;
import io.fleetgauge.gateway.config.RollupSettings;
import io.fleetgauge.gateway.config.StoreSettings;
import io.fleetgauge.gateway.ingest.IngestMeters;
import io.fleetgauge.gateway.ingest.Intake;
import io.fleetgauge.gateway.ingest.IntakeRoute;
import io.fleetgauge.gateway.ingest.JournalTail;
import io.fleetgauge.gateway.ingest.MemoryWatermark;
import io.fleetgauge.gateway.ingest.host.ClusterAccess;
import io.fleetgauge.gateway.otlp.OtlpRoute;
import io.fleetgauge.gateway.ownership.Ownership;
import io.fleetgauge.gateway.ownership.OwnershipMeters;
import io.fleetgauge.gateway.packing.FramePacking;
import io.fleetgauge.gateway.peer.PeerClient;
import io.fleetgauge.gateway.peer.PeerRoute;
import io.fleetgauge.gateway.remotewrite.MetadataTable;
import io.fleetgauge.gateway.remotewrite.RemoteWriteRoute;
import io.fleetgauge.gateway.remotewrite.SeriesWrites;
import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.gateway.sender.SampleSenders;
import io.fleetgauge.gateway.serve.FragmentCounts;
import io.fleetgauge.gateway.serve.FragmentRoute;
import io.fleetgauge.gateway.serve.FragmentRunner;
import io.fleetgauge.gateway.status.StatusRoute;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.StoreLimits;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.gateway.stream.PeerStreams;
import io.fleetgauge.gateway.stream.StreamCounts;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.discovery.Discovery;
import io.fleetgauge.runtime.files.FilePoller;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.http.HttpListener;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.process.EventLoops;
import io.fleetgauge.runtime.process.FolderLock;
import io.fleetgauge.runtime.process.Lifecycle;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.runtime.tenant.Permission;
import io.fleetgauge.runtime.trace.Tracer;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.files.PrivateFiles;
import io.fleetgauge.sample.frame.HostLabels;
import io.fleetgauge.sample.journal.Journal;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running gateway. It has more than 600 lines, because the steps of a start belong together and
 * have a fixed order.
 */
public final class GatewayProcess implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GatewayProcess.class);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

  /** Times between two looks at what is due of hosts that are shared with other gateways, ms. */
  private static final long MIN_LOOK_MILLIS = 50;

  private static final long MAX_LOOK_MILLIS = 150;
  private static final Duration LOOK_AT_FOLDERS = Duration.ofMillis(250);
  private static final Duration LOOK_AT_DISK = Duration.ofMillis(500);
  private static final Duration LOOK_AT_REPLICAS = Duration.ofSeconds(1);
  private static final Duration LEAST_FOR_USAGE = Duration.ofDays(2);
  private static final Duration LOOK_AT_USAGE = Duration.ofMinutes(1);
  private static final long MIN_HOUSEKEEPING_MILLIS = 250;
  private static final long MAX_HOUSEKEEPING_MILLIS = 10_000;

  private final Lifecycle lifecycle;
  private final Runnable onLeave;
  private final AtomicReference<ClusterMember> member = new AtomicReference<>();
  private final DiskWatch disk = new DiskWatch();
  private final ReplicaWatch replicas = new ReplicaWatch();
  private Router router;
  private URI address;
  private Store store;
  private final Ownership ownership;

  private GatewayProcess(String id, Runnable onLeave) {
    this.onLeave = onLeave;
    ownership = new Ownership(id);
    lifecycle = new Lifecycle("gateway " + id);
  }

  /**
   * @param clock ms since the epoch
   * @throws StartFailure if a port is in use or the cluster cannot be joined; everything that was
   *     started is stopped again
   */
  public static GatewayProcess start(GatewayConfig config, LongSupplier clock) throws StartFailure {
    return start(config, clock, () -> {});
  }

  /**
   * @param onLeave stops the process when it is requested over HTTP
   */
  public static GatewayProcess start(GatewayConfig config, LongSupplier clock, Runnable onLeave)
      throws StartFailure {
    GatewayProcess process = new GatewayProcess(config.id(), onLeave);
    process.lifecycle.startOrClose(() -> process.run(config, clock));
    return process;
  }

  private void run(GatewayConfig config, LongSupplier clock) throws StartFailure {
    Startup startup = new Startup(config, clock);
    startup.openStore();
    startup.openIntake();
    startup.maintainOnTimers();
    // Before joining, because the other members need the port.
    startup.listen();
    startup.recover();
    startup.joinCluster();
    startup.becomeReady();
  }

  /** The steps of a start, in their order: each uses what those before it have set up. */
  private final class Startup {
    private final GatewayConfig config;
    private final LongSupplier clock;
    private final Vertx vertx = EventLoops.start();
    private final int threads = Math.max(2, Runtime.getRuntime().availableProcessors());
    private final MemoryWatermark memory = MemoryWatermark.ofHeap();
    private final Meters meters = new Meters("fleetgauge_gateway");
    private final HttpListener.Readiness readiness = new HttpListener.Readiness();
    private Journal journal;
    private Guard guard;
    private OutgoingHttp toPeers;
    private final StreamCounts streamCounts = new StreamCounts();
    private WorkerExecutor peerWorkers;
    private PeerClient peers;
    private Intake intake;
    private SampleSenders senders;
    private final MetadataTable metadata = new MetadataTable();
    private Tracer tracer;
    private final TableAge tableAge;

    Startup(GatewayConfig config, LongSupplier clock) {
      this.config = config;
      this.clock = clock;
      this.tableAge = new TableAge(clock);
      lifecycle.started("event loops", STOP_LIMIT, () -> vertx.close().await(5, TimeUnit.SECONDS));
    }

    void openStore() throws StartFailure {
      FolderLock lock = FolderLock.take(config.store().folder(), "store.folder");
      lifecycle.started("folder", STOP_LIMIT, lock);
      StoreOwner.claim(config.store().folder(), config.id());
      Path blocks = config.store().folder().resolve("blocks");
      journal = journal(config.journal(), List.of(config.store().folder(), lock.file(), blocks));
      lifecycle.started("journal", STOP_LIMIT, journal);
      lifecycle.started(
          "folders", STOP_LIMIT, FilePoller.start("folders", LOOK_AT_FOLDERS, journal::look));
      store = store(config.store(), rules(config.rollups()), usageRetention(config));
      try {
        store.requireReadable();
      } catch (IOException e) {
        throw new StartFailure(e.getMessage(), e);
      }
      store.counts().declare(meters, store);
    }

    void openIntake() throws StartFailure {
      tracer = Tracer.start(config.tracing(), "gateway", config.id());
      lifecycle.started("traces", STOP_LIMIT, tracer);
      tracer.declare(meters);
      guard =
          Guard.open(
              vertx,
              config.http(),
              config.tenants(),
              config.trust(),
              TenantLimits.DEFAULT,
              Parser::selectorProblem,
              clock);
      guard.isReachedAs(config.advertisedHost());
      toPeers = new OutgoingHttp(vertx, config.trust(), guard.signer(), PeerClient.HTTP_LIMITS);
      lifecycle.started("connections to gateways", STOP_LIMIT, toPeers);
      streamCounts.declare(meters);
      PeerStreams streams =
          new PeerStreams(vertx, toPeers, guard.key(), PeerClient.STREAM_LIMITS, streamCounts);
      lifecycle.started("streams to gateways", STOP_LIMIT, streams);
      peerWorkers = vertx.createSharedWorkerExecutor("peers", threads);
      peers = new PeerClient(vertx, toPeers, streams, peerWorkers, store, clock);
      senders =
          new SampleSenders(
              vertx,
              config.remoteWrite(),
              new SampleSenders.Environment(
                  config.id(),
                  config.store().folder().resolve("remote-write"),
                  store,
                  toPeers,
                  journal::position,
                  GatewayProcess.this::view,
                  () -> metadata.read(List.of()),
                  (host, since) -> intake.isWholeCopy(host, since),
                  () -> intake.isRecovered(),
                  clock));
      // Closed after the intake, of whose late samples it has to hear.
      lifecycle.started("remote write to receivers", STOP_LIMIT, senders);
      intake =
          new Intake(
              store,
              journal,
              new ClusterAccess(
                  config.id(),
                  config.cluster().replication(),
                  GatewayProcess.this::view,
                  GatewayProcess.this::register,
                  GatewayProcess.this::report,
                  peers),
              memory,
              clock,
              threads,
              config.ingest().maxQueuedRequests());
      lifecycle.started("intake", STOP_LIMIT, intake);
      peers.begin(intake);
      IngestMeters.declare(meters, intake, journal, memory);
      senders.declare(meters);
    }

    void maintainOnTimers() {
      lifecycle.started("memory watch", STOP_LIMIT, memory.watchCollections());
      long housekeepingMillis = config.store().memory().toMillis() / 64;
      vertx.setPeriodic(
          Math.clamp(housekeepingMillis, MIN_HOUSEKEEPING_MILLIS, MAX_HOUSEKEEPING_MILLIS),
          id -> intake.maintain());
    }

    void listen() throws StartFailure {
      guard.declare(meters);
      OwnershipMeters.declare(
          meters, GatewayProcess.this::view, GatewayProcess.this::forgotten, config.id());
      readiness.watch(() -> intake.diskTrouble().orElse(""));
      readiness.watchReplicas(replicas::incomplete);
      router =
          HttpListener.router(
              vertx, readiness, meters, () -> "", guard.needsPeerOr(Permission.OPERATE));
      HostLabels hostLabels = new HostLabels(config.ingest().hostLabels());
      // Routes are tried in this order, and a query sends many fragments.
      mountFragments(router, hostLabels);
      mountRemoteWrite(router, hostLabels);
      senders.mount(router, guard.needsPeer());
      IntakeRoute.mount(
          router,
          vertx,
          guard.needsPeerOr(Permission.WRITE),
          intake,
          config.ingest().maxBodyBytes(),
          tracer);
      LeaveRoute.mount(router, guard.needsNewProofOr(Permission.OPERATE), onLeave);
      new RemovalRoute(
              GatewayProcess.this::view,
              store,
              toPeers,
              host -> remove(host, clock.getAsLong()),
              clock)
          .mount(router, guard);
      TableRoute.mount(router, guard.needsPeerOr(Permission.OPERATE), GatewayProcess.this::view);
      new StatusRoute(config, store, intake, journal, memory, clock)
          .mount(
              router,
              vertx,
              guard,
              new AllGateways(GatewayProcess.this::view, toPeers.web()),
              tableAge);
      PeerRoute.mount(
          router, vertx, guard.needsPeer(), guard.key(), streamCounts, peerWorkers, intake, store);
      lifecycle.started(
          "snapshots",
          STOP_LIMIT,
          BackupRoute.mount(
              router,
              vertx,
              guard,
              vertx.createSharedWorkerExecutor("restore", 2),
              new BackedUpStore(
                  config.id(),
                  config.cluster().name(),
                  config.store().folder(),
                  store,
                  intake,
                  GatewayProcess.this::view),
              new RestoreRoute.Placing(
                  GatewayProcess.this::register,
                  config.ingest().relabelling()::apply,
                  hostLabels::hostOf),
              clock));
      HttpListener http = HttpListener.start(vertx, config.http(), "http.port", router);
      http.declare(meters);
      lifecycle.started("HTTP", STOP_LIMIT, http);
      address =
          URI.create(config.http().scheme() + "://" + config.advertisedHost() + ":" + http.port());
    }

    private void mountRemoteWrite(Router router, HostLabels hostLabels) {
      SeriesWrites writes =
          new SeriesWrites(
              vertx,
              peers,
              intake,
              new SeriesWrites.Settings(
                  config.ingest().relabelling(),
                  hostLabels,
                  store.limits().future().toMillis(),
                  clock),
              metadata,
              meters);
      lifecycle.started("remote write", STOP_LIMIT, writes);
      new RemoteWriteRoute(vertx, writes).mount(router, guard);
      OtlpRoute otlp = new OtlpRoute(vertx, writes, config.ingest().otlp(), meters);
      lifecycle.started("OTLP", STOP_LIMIT, otlp.mount(router, guard));
    }

    private void mountFragments(Router router, HostLabels hostLabels) {
      FragmentRunner runner =
          new FragmentRunner(
              store,
              hostLabels,
              ownership,
              GatewayProcess.this::view,
              intake::isWholeCopy,
              intake::isRecovered,
              metadata::read);
      FragmentCounts counts = new FragmentCounts();
      counts.declare(meters, runner::caches);
      FragmentRoute route =
          new FragmentRoute(vertx, runner, threads, counts, memory::queriesAreShed, tracer);
      route.declare(meters);
      route.mount(router, guard.needsPeer());
    }

    /** Reads the samples from before the start, on a separate thread: nothing waits for it. */
    void recover() {
      Thread.ofPlatform()
          .daemon()
          .name("recovery")
          .start(
              () -> {
                try {
                  intake.recover(new JournalTail(senders.notedAt(), senders::replayed));
                  settle(intake);
                } catch (IOException | RuntimeException e) {
                  intake.recoveryFailed(e);
                } catch (InterruptedException e) {
                  LOG.info("closed before all samples from before the start were loaded");
                }
              });
    }

    void joinCluster() throws StartFailure {
      Optional<Discovery> discovery =
          config
              .cluster()
              .discovery()
              .map(
                  settings ->
                      Discovery.ofMembers(
                          vertx, settings, config.cluster().members(), clock, meters));
      discovery.ifPresent(search -> lifecycle.started("discovery", STOP_LIMIT, search));
      join(
          config,
          () -> discovery.map(Discovery::addresses).orElse(config.cluster().members()),
          guard);
      ClusterBus bus = ClusterBus.start(member.get(), config.cluster().host(), config.id(), guard);
      lifecycle.started("event bus", STOP_LIMIT, bus);
      bus.declare(meters);
      meters.counter(
          "cluster_entries_ignored",
          "Entries in Hazelcast that were ignored because they are invalid or not authenticated.",
          member.get()::ignoredEntries);
      member.get().onChange(view -> intake.lookAtAll());
      member.get().onChange(tableAge::look);
      senders.start();
      lookAtCopies();
      vertx.setPeriodic(LOOK_AT_DISK.toMillis(), id -> lookAtDisk());
      vertx.setPeriodic(LOOK_AT_REPLICAS.toMillis(), id -> lookAtReplicas());
      vertx.setPeriodic(LOOK_AT_USAGE.toMillis(), id -> peers.fetchUsage(view(), config.id()));
    }

    private void lookAtReplicas() {
      if (replicas.isDone()) {
        return;
      }
      String incomplete =
          intake.isRecovered()
              ? ownership.incompleteHosts(view(), config.cluster().replication())
              : "samples from before the start are being loaded";
      replicas.look(incomplete, TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
    }

    /** Looks more often while something is due soon: each look of an idle process costs. */
    private void lookAtCopies() {
      intake.timePassed();
      vertx.setTimer(
          Math.clamp(intake.dueInMillis(), MIN_LOOK_MILLIS, MAX_LOOK_MILLIS), id -> lookAtCopies());
    }

    /** Other gateways take over the hosts of one that cannot write. */
    private void lookAtDisk() {
      Optional<String> trouble = intake.diskTrouble();
      if (!intake.isRecovered()) {
        return; // it has not been given hosts yet
      }
      disk.look(
          trouble.isPresent(),
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime()),
          takesHosts -> {
            if (takesHosts) {
              LOG.info("the disk works again: this gateway accepts hosts");
              member.get().activate();
            } else {
              LOG.error(
                  "the disk fails: other gateways take over the hosts of this one; {}",
                  trouble.orElse(""));
              member.get().retire();
            }
          });
    }

    void becomeReady() {
      settle(intake);
      readiness.ready();
      lifecycle.started("readiness", STOP_LIMIT, () -> readiness.notReady("stopping"));
      if (config.drainTimeout().toMillis() > 0) {
        lifecycle.started(
            "ownership",
            config.drainTimeout().plus(STOP_LIMIT),
            () -> drain(config.drainTimeout()));
      }
      LOG.info(
          "gateway {} at {} is in cluster {} with {} gateways",
          config.id(),
          address,
          config.cluster().name(),
          view().gateways().size());
    }
  }

  /**
   * @param folders what has to stay where it is, besides the journal's own; the last may be new
   */
  private static Journal journal(Journal.Settings settings, List<Path> folders)
      throws StartFailure {
    try {
      PrivateFiles.createFolders(folders.getLast());
      Journal journal = Journal.open(settings, new FramePacking());
      for (Path each : folders) {
        journal.dependOn(each);
      }
      return journal;
    } catch (IOException e) {
      throw new StartFailure(
          "the folder " + settings.folder() + " cannot be used: " + e + "; see store.folder", e);
    }
  }

  private static RollupRules rules(RollupSettings settings) {
    return new RollupRules(
        settings.step().toMillis(),
        settings.lookback().toMillis(),
        settings.rules().stream()
            .map(
                rule ->
                    new RollupRules.Rule(
                        Matcher.of(Matcher.Kind.REGEX, Labels.NAME, rule.metrics()),
                        rule.labels(),
                        rule.latest(),
                        rule.windows().stream().map(Duration::toMillis).toList()))
            .toList());
  }

  /** A day's samples have to be here together. */
  private static Duration usageRetention(GatewayConfig config) {
    return config.store().retention().compareTo(LEAST_FOR_USAGE) < 0
        ? Duration.ZERO
        : config.usageRetention();
  }

  private static Store store(StoreSettings settings, RollupRules rules, Duration usageRetention) {
    return new Store(
        settings.folder().resolve("blocks"),
        new StoreLimits(
            settings.retention(),
            settings.maxDiskBytes(),
            settings.memory(),
            settings.outOfOrder(),
            StoreLimits.DEFAULT_FUTURE,
            settings.maxSeriesPerHost(),
            settings.maxSeriesPerTenant(),
            settings.maxSeries()),
        new Dimensions(settings.gpuLabel(), Set.copyOf(settings.ownerLabels())),
        rules,
        usageRetention);
  }

  /**
   * When all samples from before the start are back and the gateway is in the cluster: makes the
   * hosts known that it has samples of, and lets the table assign hosts to it.
   */
  private void settle(Intake intake) {
    if (intake.isRecovered() && member.get() != null) {
      intake.lookAtAll();
      member.get().activate();
    }
  }

  /** Hands over all hosts. A gateway without another one to take them stops as it is. */
  private void drain(Duration timeout) {
    ClusterMember seat = member.get();
    String id = ownership.self();
    long deadline = System.nanoTime() + timeout.toNanos();
    disk.leave();
    seat.retire();
    while (ownership.hasToWaitToLeave(seat.view()) && System.nanoTime() < deadline) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
    if (seat.view().table().involves(id)) {
      LOG.warn("gateway {} leaves with hosts that were not handed over within {}", id, timeout);
    } else {
      LOG.info("all hosts of gateway {} have been handed over", id);
    }
  }

  private void report(String host, Report report) {
    Optional.ofNullable(member.get()).ifPresent(seat -> seat.report(host, report));
  }

  private void remove(String host, long now) {
    Optional.ofNullable(member.get()).ifPresent(seat -> seat.remove(host, now));
  }

  private void register(String host, Admission admission) {
    Optional.ofNullable(member.get()).ifPresent(seat -> seat.register(host, admission));
  }

  private void join(GatewayConfig config, Supplier<List<String>> members, Guard guard)
      throws StartFailure {
    try {
      ClusterMember seat =
          ClusterMember.join(
              config.cluster(),
              members,
              Optional.of(
                  new ClusterMember.Gateway(
                      config.id(),
                      address,
                      config.zone(),
                      config.store().folder().resolve("table"))),
              guard.key());
      lifecycle.started("cluster", STOP_LIMIT, seat);
      member.set(seat);
    } catch (IllegalStateException e) {
      throw new StartFailure(e.getMessage(), e);
    }
  }

  /** Hosts that left the table, by reason. */
  private Map<String, Long> forgotten() {
    Optional<ClusterMember> seat = Optional.ofNullable(member.get());
    return Map.of(
        "expired", seat.map(ClusterMember::expiredHosts).orElse(0L),
        "removed", seat.map(ClusterMember::removedHosts).orElse(0L));
  }

  /** The newest view of the cluster; empty before it has joined. */
  public ClusterView view() {
    ClusterMember seat = member.get();
    return seat == null ? ClusterView.EMPTY : seat.view();
  }

  /** Number of series of the hosts whose names begin with a prefix. */
  public long seriesOf(String hosts) {
    return store.hosts().stream()
        .filter(host -> host.startsWith(hosts))
        .mapToLong(host -> store.lane(host).seriesCount())
        .sum();
  }

  /** All routes. */
  Router router() {
    return router;
  }

  /** The address of its HTTP listener. */
  public URI address() {
    return address;
  }

  @Override
  public void close() {
    lifecycle.close();
  }
}
