package io.fleetgauge.probe;

import io.fleetgauge.probe.attribution.Attribution;
import io.fleetgauge.probe.attribution.AttributionSampling;
import io.fleetgauge.probe.attribution.ConfiguredOwner;
import io.fleetgauge.probe.attribution.OwnerSource;
import io.fleetgauge.probe.attribution.kubelet.KubeletSource;
import io.fleetgauge.probe.attribution.process.ProcessOwners;
import io.fleetgauge.probe.attribution.process.ProcessReport;
import io.fleetgauge.probe.attribution.process.ProcessSampling;
import io.fleetgauge.probe.attribution.runtime.ContainerNames;
import io.fleetgauge.probe.attribution.slurm.JobSampling;
import io.fleetgauge.probe.attribution.slurm.PeriodicLook;
import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.probe.config.gpu.AttributionSettings;
import io.fleetgauge.probe.config.gpu.DeviceChoice;
import io.fleetgauge.probe.config.gpu.GpuSettings;
import io.fleetgauge.probe.counters.Counters;
import io.fleetgauge.probe.counters.CountersFile;
import io.fleetgauge.probe.gpu.GpuReport;
import io.fleetgauge.probe.gpu.GpuSampling;
import io.fleetgauge.probe.gpu.GpuSource;
import io.fleetgauge.probe.gpu.GpuThread;
import io.fleetgauge.probe.host.HostReader;
import io.fleetgauge.probe.host.reading.Faults;
import io.fleetgauge.probe.host.reading.NodeFiles;
import io.fleetgauge.probe.page.MetricsPage;
import io.fleetgauge.probe.recent.RecentReport;
import io.fleetgauge.probe.recent.Recorder;
import io.fleetgauge.probe.sampling.ChosenSeries;
import io.fleetgauge.probe.sampling.NodeLabels;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Sampler;
import io.fleetgauge.probe.sampling.TickClasses;
import io.fleetgauge.probe.scrape.Scrapes;
import io.fleetgauge.probe.uplink.Spool;
import io.fleetgauge.probe.uplink.Uplink;
import io.fleetgauge.probe.uplink.UplinkCounts;
import io.fleetgauge.probe.uplink.UplinkSettings;
import io.fleetgauge.probe.xid.XidSampling;
import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.discovery.DiscoverySettings;
import io.fleetgauge.runtime.config.discovery.RegistrationSettings;
import io.fleetgauge.runtime.discovery.Discovery;
import io.fleetgauge.runtime.discovery.Registration;
import io.fleetgauge.runtime.process.ClientCertificate;
import io.fleetgauge.runtime.process.EventLoops;
import io.fleetgauge.runtime.process.FolderLock;
import io.fleetgauge.runtime.process.HttpListener;
import io.fleetgauge.runtime.process.Lifecycle;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.OutgoingHttp;
import io.fleetgauge.runtime.process.SecretFile;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.files.FolderLooks;
import io.fleetgauge.sample.prometheus.KnownMetrics;
import io.fleetgauge.sample.prometheus.TextExposition;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running probe. */
public final class ProbeProcess implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ProbeProcess.class);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(5);
  private static final long LOOK_MILLIS = 2_000;

  /** The part of the heap that ticks in memory may have at most. */
  private static final int SPOOL_PART = 4;

  /** Folder of the windows of faults in that of the spool. */
  private static final String FAULTS = "faults";

  private final Lifecycle lifecycle = new Lifecycle("probe");
  private Uplink uplink;
  private Router router;
  private int port;
  private int usedGpuMemoryPort;

  private ProbeProcess() {}

  /**
   * @param clock ms since the epoch
   * @throws StartFailure if its port is taken; what had been started is stopped again
   */
  public static ProbeProcess start(ProbeConfig config, LongSupplier clock) throws StartFailure {
    ProbeProcess process = new ProbeProcess();
    process.lifecycle.startOrClose(() -> process.run(config, clock));
    return process;
  }

  private void run(ProbeConfig config, LongSupplier clock) throws StartFailure {
    Vertx vertx = EventLoops.startFew();
    lifecycle.started("event loops", STOP_LIMIT, () -> vertx.close().await(5, TimeUnit.SECONDS));
    SecretFile token = SecretFile.open("tokenFile", config.token());
    SecretFile secret = SecretFile.ofCluster(config.trust());
    OutgoingHttp toGateways =
        new OutgoingHttp(
            vertx,
            config.trust(),
            new RequestSigner(ClusterKey.of(secret::texts), clock),
            Uplink.HTTP_LIMITS);
    Duration tick = config.ticks().tick();
    Scrapes scrapes = new Scrapes(vertx, config.scrape(), config.hostname(), tick);
    lifecycle.started("scrapes", STOP_LIMIT, scrapes);
    Optional<CountersFile> chosen = counters(config.gpu());
    long looks =
        vertx.setPeriodic(
            LOOK_MILLIS,
            id ->
                vertx.executeBlocking(
                    () -> {
                      token.look();
                      secret.look();
                      scrapes.look();
                      chosen.ifPresent(CountersFile::look);
                      return null;
                    }));
    lifecycle.started("looks at secrets", STOP_LIMIT, () -> vertx.cancelTimer(looks));
    Optional<Spool> spool = spool(config);
    spool.ifPresent(
        disk ->
            lifecycle.started("folders", STOP_LIMIT, FolderLooks.start(disk::look, LOOK_MILLIS)));
    uplink =
        new Uplink(
            vertx,
            config.hostname(),
            config.gateways(),
            new UplinkSettings(
                config.spool().memory(),
                maxBytes(config.spool().maxBytes(), Runtime.getRuntime().maxMemory()),
                config.spool().retention(),
                config.spool().maxDiskBytes()),
            spool,
            toGateways,
            token::text,
            System.nanoTime() ^ ProcessHandle.current().pid() << 32);
    lifecycle.started("uplink", STOP_LIMIT, uplink);
    Optional<Discovery> discovery =
        config.discovery().map(settings -> discovery(vertx, config, settings, clock));
    TickClasses classes = TickClasses.of(config.ticks());
    HostReader host = new HostReader(config.host(), classes, clock);
    Supplier<Counters> counters = () -> chosen.map(CountersFile::counters).orElse(Counters.ALL);
    Optional<GpuThread> gpus = gpus(config.gpu(), counters.get());
    ScheduledOwners scheduled = ScheduledOwners.open(config, gpus, clock);
    lifecycle.started("owners that schedulers tell", STOP_LIMIT, scheduled);
    Optional<GpuThread> withProcesses =
        gpus.filter(all -> config.attribution().processes().enabled());
    ContainerNames names =
        withProcesses.isPresent() || gpus.isPresent() && config.attribution().kubelet().enabled()
            ? ContainerNames.start(vertx, config.attribution().runtimes())
            : ContainerNames.none();
    lifecycle.started("names of containers", STOP_LIMIT, names);
    ProcessOwners processes = new ProcessOwners(config.host().proc(), config.host().root(), names);
    List<OwnerSource> sources = new ArrayList<>(scheduled.sources());
    withProcesses.ifPresent(all -> sources.add(processes));
    Attribution attribution = attribution(vertx, config, gpus, names, sources);
    gpus.ifPresent(thread -> lifecycle.started("GPU thread", STOP_LIMIT, thread));
    NodeLabels node =
        new NodeLabels(
            Labels.of("instance", config.instance())
                .with(config.labels())
                .with("Hostname", config.hostname()),
            config.relabelling());
    Optional<Recorder> recorder = recorder(config, gpus, node, clock);
    List<Reader> readers = new ArrayList<>(host.readers());
    gpus.ifPresent(
        thread -> {
          Predicate<Labels> sent = series -> isSent(series, config.gpu().devices(), counters.get());
          readers.add(new ChosenSeries(new GpuSampling(thread, classes, tick.dividedBy(3)), sent));
          readers.add(new GpuReport(thread, classes.core(), classes.other()));
          readers.add(new ChosenSeries(xids(config, thread, classes, clock, recorder), sent));
        });
    Optional<ProcessSampling> sampling =
        withProcesses.map(
            thread ->
                new ProcessSampling(
                    config.attribution().processes(),
                    thread::processes,
                    processes,
                    attribution::ask,
                    attribution::record,
                    classes.core()));
    sampling.ifPresent(
        reader -> {
          readers.add(reader);
          readers.add(new ProcessReport(reader, names, classes.core()));
        });
    gpus.ifPresent(
        thread ->
            readers.add(new AttributionSampling(attribution, thread::identities, classes.core())));
    recorder.ifPresent(recent -> readers.add(new RecentReport(recent, classes.core())));
    config
        .attribution()
        .slurm()
        .jobs()
        .ifPresent(
            jobs -> {
              JobSampling squeue = new JobSampling(jobs, classes.core(), ScheduledOwners::millis);
              lifecycle.started("squeue", STOP_LIMIT, squeue);
              lifecycle.started(
                  "Slurm jobs",
                  STOP_LIMIT,
                  PeriodicLook.start("squeue", jobs.every(), squeue::look));
              readers.add(squeue);
            });
    readers.addAll(scrapes.readers());
    Sampler sampler =
        new Sampler(
            readers,
            node,
            attribution,
            config.job(),
            tick,
            clock,
            uplink::offer,
            uplink::offerPast);
    Meters meters = ProbeMeters.of(uplink, spool, host, gpus, sampler);
    HttpListener.Readiness readiness = new HttpListener.Readiness();
    readiness.watch(() -> spool.map(Spool::trouble).orElse(""));
    scheduled.declare(meters);
    discovery.ifPresent(search -> search.declare(meters));
    MetricsPage page = new MetricsPage(config.page());
    Supplier<Map<String, TextExposition.Family>> families =
        () -> {
          Map<String, TextExposition.Family> all = scrapes.families();
          all.putAll(host.families());
          return all;
        };
    Handler<RoutingContext> mayRead = ClientCertificate.needed(config.http());
    router =
        HttpListener.router(
            vertx,
            readiness,
            meters,
            () -> page.text(sampler.last(), families.get(), counters.get()),
            mayRead);
    new RecentRoute(config.hostname(), recorder).mount(router, mayRead);
    scheduled.listen(vertx, router, mayRead, meters);
    HttpListener http = HttpListener.start(vertx, config.http(), "http.port", router);
    http.declare(meters);
    scrapes.declare(meters);
    port = http.port();
    lifecycle.started("HTTP", STOP_LIMIT, http);
    if (sampling.isPresent() && config.attribution().processes().port().isPresent()) {
      usedGpuMemory(vertx, config, sampling.get());
    }
    sampler.start();
    lifecycle.started("sampling", STOP_LIMIT, sampler);
    recorder.ifPresent(Recorder::start);
    config
        .registration()
        .ifPresent(settings -> register(vertx, settings, config.http().scheme(), meters));
    readiness.ready();
    lifecycle.started("readiness", STOP_LIMIT, () -> readiness.notReady("stopping"));
    LOG.info(
        "probe of {} reads every {} and sends to {}; its readings: {}://{}:{}/metrics",
        config.hostname(),
        tick,
        discovery.isPresent() ? "discovered gateways" : config.gateways(),
        config.http().scheme(),
        config.http().host(),
        port);
  }

  private Discovery discovery(
      Vertx vertx, ProbeConfig config, DiscoverySettings settings, LongSupplier clock) {
    String scheme = settings.isTls() ? "https://" : "http://";
    Discovery discovery =
        Discovery.start(
            vertx,
            settings,
            List.of(),
            clock,
            addresses -> {
              Set<URI> all = new LinkedHashSet<>(config.gateways());
              addresses.forEach(address -> all.add(URI.create(scheme + address)));
              uplink.gateways(List.copyOf(all));
            });
    lifecycle.started("discovery", STOP_LIMIT, discovery);
    return discovery;
  }

  private void register(Vertx vertx, RegistrationSettings settings, String scheme, Meters meters) {
    Registration registration = Registration.start(vertx, settings, scheme, port);
    registration.declare(meters);
    lifecycle.started("registration", STOP_LIMIT, registration);
  }

  /** The port of the exporter of GPU memory by container, for those who scrape it. */
  private void usedGpuMemory(Vertx vertx, ProbeConfig config, ProcessSampling sampling)
      throws StartFailure {
    int at = config.attribution().processes().port().orElseThrow();
    HttpSettings settings =
        new HttpSettings(config.http().host(), at, config.http().insecure(), config.http().tls());
    HttpListener listener =
        HttpListener.start(
            vertx,
            settings,
            "attribution.processes.port",
            usedGpuMemory(vertx, settings, sampling::usedGpuMemory));
    usedGpuMemoryPort = listener.port();
    lifecycle.started("port of used_gpu_memory", STOP_LIMIT, listener);
  }

  /** Its routes. */
  static Router usedGpuMemory(Vertx vertx, HttpSettings settings, Supplier<Tick> used) {
    Router router = Router.router(vertx);
    router
        .get("/metrics")
        .handler(ClientCertificate.needed(settings))
        .handler(
            http -> {
              Tick tick = used.get();
              http.response()
                  .putHeader("Content-Type", Meters.CONTENT_TYPE)
                  .end(TextExposition.write(tick, KnownMetrics.families(tick)));
            });
    return router;
  }

  private Attribution attribution(
      Vertx vertx,
      ProbeConfig config,
      Optional<GpuThread> gpus,
      ContainerNames names,
      List<OwnerSource> others) {
    AttributionSettings settings = config.attribution();
    List<OwnerSource> sources = new ArrayList<>();
    if (settings.kubelet().enabled()) {
      gpus.ifPresent(thread -> sources.add(kubelet(vertx, config, thread, names)));
    }
    sources.addAll(others);
    if (!settings.owner().isEmpty()) {
      gpus.ifPresent(
          thread -> sources.add(new ConfiguredOwner(settings.owner(), thread::identities)));
    }
    return new Attribution(sources, settings.tenantLabels());
  }

  private KubeletSource kubelet(
      Vertx vertx, ProbeConfig config, GpuThread gpus, ContainerNames names) {
    KubeletSource kubelet =
        KubeletSource.start(
            vertx,
            config.attribution().kubelet(),
            config.host().sys().resolve("fs/cgroup"),
            gpus::identities,
            names,
            () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
    lifecycle.started("kubelet", STOP_LIMIT, kubelet);
    return kubelet;
  }

  private XidSampling xids(
      ProbeConfig config,
      GpuThread thread,
      TickClasses classes,
      LongSupplier clock,
      Optional<Recorder> recorder) {
    XidSampling xids =
        new XidSampling(
            config.gpu().library(),
            config.gpu().driverRoots(),
            config.gpu().kernelLog(),
            config.host().proc(),
            thread::gpus,
            classes.core(),
            clock,
            (address, code, time) -> recorder.ifPresent(to -> to.xid(address, code, time)));
    lifecycle.started("XIDs", STOP_LIMIT, xids);
    return xids;
  }

  private Optional<Recorder> recorder(
      ProbeConfig config, Optional<GpuThread> gpus, NodeLabels node, LongSupplier clock) {
    if (!config.recent().enabled()) {
      return Optional.empty();
    }
    Recorder recorder =
        new Recorder(
            config.recent(),
            gpus,
            new NodeFiles(
                config.host().proc(), config.host().sys(), config.host().root(), new Faults()),
            node,
            config.spool().folder().map(folder -> folder.resolve(FAULTS)),
            clock,
            System::nanoTime,
            uplink::offerPast);
    lifecycle.started("high-rate readings", STOP_LIMIT, recorder);
    return Optional.of(recorder);
  }

  private static Optional<CountersFile> counters(GpuSettings gpu) throws StartFailure {
    if (gpu.collectors().isEmpty()) {
      return Optional.empty();
    }
    Path file = gpu.collectors().get();
    try {
      return Optional.of(CountersFile.open(file));
    } catch (IOException e) {
      throw new StartFailure(
          "the file " + file + " of gpu.collectors cannot be read: " + e.getMessage(), e);
    }
  }

  /** Links and labels that the list of counters asks for are read from the start only. */
  private static Optional<GpuThread> gpus(GpuSettings gpu, Counters counters) {
    if (!gpu.enabled()) {
      return Optional.empty();
    }
    Set<String> labels = new TreeSet<>(gpu.labels());
    labels.addAll(counters.labels());
    return Optional.of(
        new GpuThread(
            new GpuSource(
                gpu.library(),
                gpu.driverRoots(),
                gpu.links() || counters.hasLinks(),
                gpu.expected(),
                labels,
                gpu.dashes())));
  }

  private static boolean isSent(Labels series, DeviceChoice devices, Counters counters) {
    String gpu = series.value("gpu");
    return counters.has(series.metric())
        && (gpu.isEmpty() || devices.has(gpu, series.value("GPU_I_ID")));
  }

  /** What waits for a gateway must leave place for everything else. */
  static long maxBytes(long wanted, long heap) {
    long most = heap / SPOOL_PART;
    if (wanted > most) {
      LOG.warn(
          "spool.maxMemory is {} bytes, and the heap has {}: only {} bytes of ticks that no gateway"
              + " has acknowledged are held in memory; lower it, or raise -Xmx",
          wanted,
          heap,
          most);
    }
    return Math.min(wanted, most);
  }

  private Optional<Spool> spool(ProbeConfig config) throws StartFailure {
    if (config.spool().folder().isEmpty()) {
      return Optional.empty();
    }
    Path folder = config.spool().folder().get();
    FolderLock lock = FolderLock.take(folder, "spool.folder");
    lifecycle.started("folder", STOP_LIMIT, lock);
    try {
      Spool spool = Spool.open(folder, config.hostname(), config.spool().maxDiskBytes());
      spool.dependOn(lock.file());
      return Optional.of(spool);
    } catch (IOException e) {
      throw new StartFailure(
          "the folder " + folder + " cannot be used: " + e + "; see spool.folder", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartFailure("interrupted while the spool in " + folder + " was read", e);
    }
  }

  /** The port of {@code /metrics}. */
  public int port() {
    return port;
  }

  /** All routes of that port. */
  Router router() {
    return router;
  }

  /** The port of {@code attribution.processes.port}; 0 without it. */
  public int usedGpuMemoryPort() {
    return usedGpuMemoryPort;
  }

  /** Where the samples went so far. */
  public UplinkCounts counts() {
    return uplink.counts();
  }

  @Override
  public void close() {
    lifecycle.close();
  }
}
