package io.fleetgauge.probe;

import io.fleetgauge.cluster.config.AttributionSettings;
import io.fleetgauge.cluster.config.GpuSettings;
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
import io.fleetgauge.probe.attribution.slurm.JobSampling;
import io.fleetgauge.probe.attribution.slurm.PeriodicLook;
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
    ScheduledOwners scheduled = ScheduledOwners.open(config, gpus, clock);
    lifecycle.started("owners that schedulers tell", STOP_LIMIT, scheduled);
    Attribution attribution = attribution(config, gpus, scheduled.sources());
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
    config
        .attribution()
        .slurm()
        .jobs()
        .ifPresent(
            jobs -> {
              JobSampling sampling = new JobSampling(jobs, classes.core(), ScheduledOwners::millis);
              lifecycle.started("squeue", STOP_LIMIT, sampling);
              lifecycle.started(
                  "Slurm jobs",
                  STOP_LIMIT,
                  PeriodicLook.start("squeue", jobs.every(), sampling::look));
              readers.add(sampling);
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
    scheduled.declare(meters);
    Router router =
        HttpListener.router(
            vertx, readiness, meters, () -> exposition(sampler.last(), host), RoutingContext::next);
    scheduled.listen(vertx, router, meters);
    HttpListener http = HttpListener.start(vertx, config.http(), "http.port", router);
    http.declare(meters);
    port = http.port();
    lifecycle.started("HTTP", STOP_LIMIT, http);
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

  private static Attribution attribution(
      ProbeConfig config, Optional<GpuThread> gpus, List<OwnerSource> scheduled) {
    AttributionSettings settings = config.attribution();
    List<OwnerSource> sources = new ArrayList<>(scheduled);
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

  /** Where the samples went so far. */
  public UplinkCounts counts() {
    return uplink.counts();
  }

  @Override
  public void close() {
    lifecycle.close();
  }
}
