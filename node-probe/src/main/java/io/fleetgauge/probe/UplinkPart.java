package io.fleetgauge.probe;

import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.probe.config.SpoolSettings;
import io.fleetgauge.probe.sampling.ProbePart;
import io.fleetgauge.probe.uplink.Spool;
import io.fleetgauge.probe.uplink.Uplink;
import io.fleetgauge.probe.uplink.UplinkCounts;
import io.fleetgauge.probe.uplink.UplinkSettings;
import io.fleetgauge.runtime.config.DiscoverySettings;
import io.fleetgauge.runtime.discovery.Discovery;
import io.fleetgauge.runtime.files.FilePoller;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.http.SecretFile;
import io.fleetgauge.runtime.process.FolderLock;
import io.fleetgauge.runtime.process.Lifecycle;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.fleetgauge.sample.Tick;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The way of ticks to the gateways: the spool, the uplink and the discovery of gateways. */
final class UplinkPart implements ProbePart {
  private static final Logger LOG = LoggerFactory.getLogger(UplinkPart.class);

  /** The part of the heap that ticks in memory may have at most. */
  private static final int SPOOL_PART = 4;

  private final Lifecycle lifecycle = new Lifecycle("uplink");
  private final Vertx vertx;
  private final ProbeConfig config;
  private final LongSupplier clock;
  private Optional<Spool> spool = Optional.empty();
  private Optional<Discovery> discovery = Optional.empty();
  private Uplink uplink;

  /**
   * @param clock ms since the epoch
   */
  UplinkPart(Vertx vertx, ProbeConfig config, LongSupplier clock) {
    this.vertx = vertx;
    this.config = config;
    this.clock = clock;
  }

  @Override
  public void start() throws StartFailure {
    SecretFile token = SecretFile.open("tokenFile", config.token());
    SecretFile secret = SecretFile.ofCluster(config.trust());
    lifecycle.started(
        "secrets of the uplink",
        ProbeProcess.STOP_LIMIT,
        FilePoller.start(
            vertx,
            "secrets of the uplink",
            ProbeProcess.LOOK_EVERY,
            () -> {
              token.look();
              secret.look();
            }));
    SpoolSettings limits = config.spool();
    if (limits.folder().isPresent()) {
      Spool disk = open(limits.folder().get());
      spool = Optional.of(disk);
      lifecycle.started(
          "folder of the spool",
          ProbeProcess.STOP_LIMIT,
          FilePoller.start("folders", ProbeProcess.LOOK_EVERY, disk::look));
    }
    uplink =
        new Uplink(
            vertx,
            config.hostname(),
            config.gateways(),
            new UplinkSettings(
                limits.memory(),
                maxBytes(limits.maxBytes(), Runtime.getRuntime().maxMemory()),
                limits.retention(),
                limits.maxDiskBytes()),
            spool,
            new OutgoingHttp(
                vertx,
                config.trust(),
                new RequestSigner(ClusterKey.of(secret::texts), clock),
                Uplink.HTTP_LIMITS),
            token::text,
            System.nanoTime() ^ ProcessHandle.current().pid() << 32);
    lifecycle.started("uplink", ProbeProcess.STOP_LIMIT, uplink);
    discovery = config.discovery().map(this::discover);
  }

  private Spool open(Path folder) throws StartFailure {
    FolderLock lock = FolderLock.take(folder, "spool.folder");
    lifecycle.started("lock of the spool", ProbeProcess.STOP_LIMIT, lock);
    try {
      Spool opened = Spool.open(folder, config.hostname(), config.spool().maxDiskBytes());
      opened.dependOn(lock.file());
      return opened;
    } catch (IOException e) {
      throw new StartFailure(
          "the folder " + folder + " cannot be used: " + e + "; see spool.folder", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartFailure("interrupted while the spool in " + folder + " was read", e);
    }
  }

  private Discovery discover(DiscoverySettings settings) {
    String scheme = settings.isTls() ? "https://" : "http://";
    Discovery started =
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
    lifecycle.started("discovery", ProbeProcess.STOP_LIMIT, started);
    return started;
  }

  /** Bounds what waits for a gateway, so that it leaves place for everything else. */
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

  @Override
  public void declare(Meters meters) {
    uplink.declare(meters);
    discovery.ifPresent(search -> search.declare(meters));
  }

  /** Sends a tick; never waits. */
  void offer(Tick tick) {
    uplink.offer(tick);
  }

  /** Sends ticks of the past, in order of time; never waits. */
  void offerPast(List<Tick> ticks) {
    uplink.offerPast(ticks);
  }

  /** Where the samples went so far. */
  UplinkCounts counts() {
    return uplink.counts();
  }

  /** Why the spool cannot be used; empty when it can. */
  String trouble() {
    return spool.map(Spool::trouble).orElse("");
  }

  @Override
  public void close() {
    lifecycle.close();
  }
}
