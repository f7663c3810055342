package io.fleetgauge.probe;

import io.fleetgauge.cluster.config.AttributionSettings;
import io.fleetgauge.cluster.config.GpuSettings;
import io.fleetgauge.cluster.config.HttpSettings;
import io.fleetgauge.cluster.config.ProbeConfig;
import io.fleetgauge.cluster.process.EventLoops;
import io.fleetgauge.cluster.process.FolderLock;
import io.fleetgauge.cluster.process.HttpListener;
import io.fleetgauge.cluster.process.Lifecycle;
import io.fleetgauge.cluster.process.Meters;
import io.fleetgauge.cluster.process.OutgoingHttp;
import io.fleetgauge.cluster.process.SecretFile;
import io.fleetgauge.cluster.process.StartFailure;
import io.fleetgauge.cluster.trust.ClusterKey;
import io.fleetgauge.cluster.trust.RequestSigner;
import io.fleetgauge.probe.attribution.Attribution;
import io.fleetgauge.probe.attribution.AttributionSampling;
import io.fleetgauge.probe.attribution.ConfiguredOwner;
import io.fleetgauge.probe.attribution.OwnerSource;
import io.fleetgauge.probe.attribution.process.ProcessOwners;
import io.fleetgauge.probe.attribution.process.ProcessReport;
import io.fleetgauge.probe.attribution.process.ProcessSampling;
import io.fleetgauge.probe.attribution.runtime.ContainerNames;
import io.fleetgauge.probe.gpu.GpuReport;
import io.fleetgauge.probe.gpu.GpuSampling;
import io.fleetgauge.probe.gpu.GpuSource;
import io.fleetgauge.probe.gpu.GpuThread;
import io.fleetgauge.probe.host.HostReader;
import io.fleetgauge.probe.sampling.NodeLabels;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Sampler;
import io.fleetgauge.probe.sampling.TickClasses;
import io.fleetgauge.probe.uplink.Spool;
import io.fleetgauge.probe.uplink.Uplink;
import io.fleetgauge.probe.uplink.UplinkCounts;
import io.fleetgauge.probe.uplink.UplinkSettings;
import io.fleetgauge.probe.xid.XidSampling;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.files.FolderLooks;
import io.fleetgauge.sample.prometheus.KnownMetrics;
import io.fleetgauge.sample.prometheus.TextExposition;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running probe. */
public final class ProbeProcess implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ProbeProcess.class);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(5);
  private static final long LOOK_MILLIS = 2_000;

  private final Lifecycle lifecycle = new Lifecycle("probe");
  private Uplink uplink;
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
    long looks =
        vertx.setPeriodic(
            LOOK_MILLIS,
            id ->
                vertx.executeBlocking(
                    () -> {
                      token.look();
                      secret.look();
                      return null;
                    }));
    lifecycle.started("looks at secrets", STOP_LIMIT, () -> vertx.cancelTimer(looks));
    Optional<Spool> spool = spool(config);
    spool.ifPresent(
        disk -> lifecycle.started("folders", STOP_LIMIT, FolderLooks.start(disk::look)));
    uplink =
        new Uplink(
            vertx,
            config.hostname(),
            config.gateways(),
            new UplinkSettings(
                config.spool().memory(),
                config.spool().maxBytes(),
                config.spool().retention(),
                config.spool().maxDiskBytes()),
            spool,
            toGateways,
            token::text,
            System.nanoTime() ^ ProcessHandle.current().pid() << 32);
    lifecycle.started("uplink", STOP_LIMIT, uplink);
    TickClasses classes = TickClasses.of(config.ticks());
    HostReader host = new HostReader(config.host(), classes, clock);
    Optional<GpuThread> gpus = gpus(config.gpu());
    Optional<GpuThread> withProcesses =
        gpus.filter(all -> config.attribution().processes().enabled());
    ContainerNames names =
        withProcesses.isPresent()
            ? ContainerNames.start(vertx, config.attribution().runtimes())
            : ContainerNames.none();
    lifecycle.started("names of containers", STOP_LIMIT, names);
    ProcessOwners processes = new ProcessOwners(config.host().proc(), config.host().root(), names);
    Attribution attribution = attribution(config, gpus, withProcesses.map(all -> processes));
    gpus.ifPresent(thread -> lifecycle.started("GPU thread", STOP_LIMIT, thread));
    Duration tick = config.ticks().tick();
    List<Reader> readers = new ArrayList<>(host.readers());
    gpus.ifPresent(
        thread -> {
          readers.add(new GpuSampling(thread, classes, tick.dividedBy(3)));
          readers.add(new GpuReport(thread, classes.core(), classes.other()));
          readers.add(xids(config, thread, classes, clock));
          readers.add(new AttributionSampling(attribution, thread::identities, classes.core()));
        });
    Optional<ProcessSampling> sampling =
        withProcesses.map(
            thread ->
                new ProcessSampling(
                    config.attribution().processes(),
                    thread::processes,
                    processes,
                    attribution::record,
                    classes.core()));
    sampling.ifPresent(
        reader -> {
          readers.add(reader);
          readers.add(new ProcessReport(reader, names, classes.core()));
        });
    NodeLabels node =
        new NodeLabels(
            Labels.of("instance", config.instance())
                .with(config.labels())
                .with("Hostname", config.hostname()),
            config.relabelling());
    Sampler sampler =
        new Sampler(readers, node, attribution, config.job(), tick, clock, uplink::offer);
    Meters meters = ProbeMeters.of(uplink, spool, host, gpus, sampler);
    HttpListener.Readiness readiness = new HttpListener.Readiness();
    readiness.watch(() -> spool.map(Spool::trouble).orElse(""));
    HttpListener http =
        HttpListener.start(
            vertx,
            config.http(),
            "http.port",
            HttpListener.router(
                vertx,
                readiness,
                meters,
                () -> exposition(sampler.last(), host),
                RoutingContext::next));
    http.declare(meters);
    port = http.port();
    lifecycle.started("HTTP", STOP_LIMIT, http);
    if (sampling.isPresent() && config.attribution().processes().port().isPresent()) {
      usedGpuMemory(vertx, config, sampling.get());
    }
    sampler.start();
    lifecycle.started("sampling", STOP_LIMIT, sampler);
    readiness.ready();
    lifecycle.started("readiness", STOP_LIMIT, () -> readiness.notReady("stopping"));
    LOG.info(
        "probe of {} reads every {} and sends to {}; its readings: http://{}:{}/metrics",
        config.hostname(),
        tick,
        config.gateways(),
        config.http().host(),
        port);
  }

  /** The port of the exporter of GPU memory by container, for those who scrape it. */
  private void usedGpuMemory(Vertx vertx, ProbeConfig config, ProcessSampling sampling)
      throws StartFailure {
    int at = config.attribution().processes().port().orElseThrow();
    Router router = Router.router(vertx);
    router
        .get("/metrics")
        .handler(
            http -> {
              Tick tick = sampling.usedGpuMemory();
              http.response()
                  .putHeader("Content-Type", Meters.CONTENT_TYPE)
                  .end(TextExposition.write(tick, KnownMetrics.families(tick)));
            });
    HttpSettings settings =
        new HttpSettings(config.http().host(), at, config.http().insecure(), config.http().tls());
    HttpListener listener =
        HttpListener.start(vertx, settings, "attribution.processes.port", router);
    usedGpuMemoryPort = listener.port();
    lifecycle.started("port of used_gpu_memory", STOP_LIMIT, listener);
  }

  private static Attribution attribution(
      ProbeConfig config, Optional<GpuThread> gpus, Optional<ProcessOwners> processes) {
    AttributionSettings settings = config.attribution();
    List<OwnerSource> sources = new ArrayList<>();
    processes.ifPresent(sources::add);
    if (!settings.owner().isEmpty()) {
      gpus.ifPresent(
          thread -> sources.add(new ConfiguredOwner(settings.owner(), thread::identities)));
    }
    return new Attribution(sources, settings.tenantLabels());
  }

  private XidSampling xids(
      ProbeConfig config, GpuThread thread, TickClasses classes, LongSupplier clock) {
    XidSampling xids =
        new XidSampling(
            config.gpu().library(),
            config.gpu().driverRoots(),
            config.gpu().kernelLog(),
            config.host().proc(),
            thread::gpus,
            classes.core(),
            clock);
    lifecycle.started("XIDs", STOP_LIMIT, xids);
    return xids;
  }

  private static Optional<GpuThread> gpus(GpuSettings gpu) {
    return gpu.enabled()
        ? Optional.of(
            new GpuThread(
                new GpuSource(gpu.library(), gpu.driverRoots(), gpu.links(), gpu.expected())))
        : Optional.empty();
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

  private static String exposition(Tick tick, HostReader host) {
    Map<String, TextExposition.Family> families = new HashMap<>(host.families());
    families.putAll(KnownMetrics.families(tick));
    return TextExposition.write(tick, families);
  }

  /** The port of {@code /metrics}. */
  public int port() {
    return port;
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
