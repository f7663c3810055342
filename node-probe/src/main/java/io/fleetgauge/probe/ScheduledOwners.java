package io.fleetgauge.probe;

import io.fleetgauge.probe.attribution.OwnerSource;
import io.fleetgauge.probe.attribution.slurm.EndedJobs;
import io.fleetgauge.probe.attribution.slurm.JobCgroups;
import io.fleetgauge.probe.attribution.slurm.MappingFolder;
import io.fleetgauge.probe.attribution.slurm.PeriodicLook;
import io.fleetgauge.probe.attribution.told.AllocationRoutes;
import io.fleetgauge.probe.attribution.told.Allocations;
import io.fleetgauge.probe.attribution.told.LocalSocket;
import io.fleetgauge.probe.attribution.told.ToldSource;
import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.probe.config.gpu.AllocationSettings;
import io.fleetgauge.probe.config.gpu.SlurmSettings;
import io.fleetgauge.probe.gpu.GpuThread;
import io.fleetgauge.probe.gpu.snapshot.GpuIdentity;
import io.fleetgauge.runtime.process.Lifecycle;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.SecretFile;
import io.fleetgauge.runtime.process.StartFailure;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Owners that schedulers tell the probe, over requests and over files. */
final class ScheduledOwners implements AutoCloseable {
  private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

  private final Lifecycle lifecycle = new Lifecycle("owners");
  private final AllocationSettings settings;
  private final SecretFile token;
  private final Optional<Allocations> allocations;
  private final Optional<ToldSource> told;
  private final Optional<MappingFolder> mapping;
  private final List<Runnable> looks = new ArrayList<>();

  private ScheduledOwners(
      ProbeConfig config,
      Supplier<List<GpuIdentity>> gpus,
      Optional<Allocations> allocations,
      SecretFile token,
      LongSupplier clock) {
    SlurmSettings slurm = config.attribution().slurm();
    Optional<JobCgroups> cgroups =
        slurm.watchesCgroups()
            ? Optional.of(new JobCgroups(config.host().sys().resolve("fs/cgroup")))
            : Optional.empty();
    this.settings = config.attribution().allocations();
    this.token = token;
    this.allocations = allocations;
    this.told = allocations.map(all -> new ToldSource(all, gpus));
    this.mapping =
        slurm
            .mapping()
            .map(
                folder ->
                    new MappingFolder(
                        folder, slurm.numbers(), cgroups, gpus, clock, ScheduledOwners::millis));
    looks.add(token::look);
    allocations.ifPresent(all -> looks.add(all::look));
    if (allocations.isPresent() && cgroups.isPresent()) {
      looks.add(new EndedJobs(allocations.get(), cgroups.get())::look);
    }
    mapping.ifPresent(folder -> looks.add(folder::look));
  }

  /**
   * @throws StartFailure if the token cannot be used
   */
  static ScheduledOwners open(ProbeConfig config, Optional<GpuThread> gpus, LongSupplier clock)
      throws StartFailure {
    AllocationSettings settings = config.attribution().allocations();
    SecretFile token = SecretFile.open("attribution.allocations.tokenFile", settings.token());
    Optional<Allocations> allocations = Optional.empty();
    if (settings.isOpen()) {
      allocations =
          Optional.of(
              Allocations.open(
                  settings.limit(),
                  config.spool().folder().map(folder -> folder.resolve("allocations")),
                  boot(config.host().proc()),
                  clock));
    }
    Supplier<List<GpuIdentity>> identities =
        gpus.<Supplier<List<GpuIdentity>>>map(thread -> thread::identities).orElse(List::of);
    ScheduledOwners owners = new ScheduledOwners(config, identities, allocations, token, clock);
    if (owners.allocations.isPresent() || owners.mapping.isPresent()) {
      owners.lifecycle.started(
          "looks at jobs",
          STOP_LIMIT,
          PeriodicLook.start(
              "jobs",
              config.attribution().slurm().every(),
              () -> owners.looks.forEach(Runnable::run)));
    }
    return owners;
  }

  /** Names the time since the machine was started; empty if the kernel does not tell. */
  private static String boot(Path proc) {
    try {
      return Files.readString(proc.resolve("sys/kernel/random/boot_id")).strip();
    } catch (IOException e) {
      return "";
    }
  }

  /** A monotonic clock. */
  static long millis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  List<OwnerSource> sources() {
    List<OwnerSource> sources = new ArrayList<>();
    told.ifPresent(sources::add);
    mapping.ifPresent(sources::add);
    return sources;
  }

  void declare(Meters meters) {
    allocations.ifPresent(all -> all.declare(meters));
    mapping.ifPresent(
        folder ->
            meters.gauge(
                "job_mappings_stale",
                "Jobs in files of the mapping folder that have ended.",
                folder::stale));
  }

  /**
   * Takes requests.
   *
   * @param router of the probe's HTTP port
   * @param mayAsk admits requests to that port, before they show their token
   * @throws StartFailure if the socket cannot be used
   */
  void listen(Vertx vertx, Router router, Handler<RoutingContext> mayAsk, Meters meters)
      throws StartFailure {
    if (allocations.isEmpty()) {
      return;
    }
    AllocationRoutes all = new AllocationRoutes(vertx, allocations.get(), told.orElseThrow());
    all.declare(meters);
    all.mount(router, mayAsk, token::text);
    if (settings.socket().isPresent()) {
      Router local = Router.router(vertx);
      all.mount(local);
      lifecycle.started(
          "allocation socket",
          STOP_LIMIT,
          LocalSocket.start(vertx, settings.socket().get(), settings.socketGroup(), local));
    }
  }

  @Override
  public void close() {
    lifecycle.close();
  }
}
