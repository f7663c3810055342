package io.fleetgauge.probe;

import io.fleetgauge.probe.attribution.OwnerSource;
import io.fleetgauge.probe.attribution.allocation.AllocationRoutes;
import io.fleetgauge.probe.attribution.allocation.AllocationSource;
import io.fleetgauge.probe.attribution.allocation.Allocations;
import io.fleetgauge.probe.attribution.allocation.LocalSocket;
import io.fleetgauge.probe.attribution.slurm.EndedJobs;
import io.fleetgauge.probe.attribution.slurm.JobCgroups;
import io.fleetgauge.probe.attribution.slurm.JobSampling;
import io.fleetgauge.probe.attribution.slurm.MappingFolder;
import io.fleetgauge.probe.config.AllocationSettings;
import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.probe.config.SlurmSettings;
import io.fleetgauge.probe.gpu.snapshot.GpuIdentity;
import io.fleetgauge.probe.sampling.ProbePart;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.runtime.files.FilePoller;
import io.fleetgauge.runtime.http.SecretFile;
import io.fleetgauge.runtime.process.Lifecycle;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.StartFailure;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Owners and jobs that schedulers tell, over requests, over files, and when they are asked. */
final class SchedulerPart implements ProbePart {
  private final Lifecycle lifecycle = new Lifecycle("schedulers");
  private final Vertx vertx;
  private final ProbeConfig config;
  private final GpuPart gpus;
  private final TickClass core;
  private final LongSupplier clock;
  private SecretFile token;
  private Optional<Allocations> allocations = Optional.empty();
  private Optional<AllocationSource> told = Optional.empty();
  private Optional<AllocationRoutes> routes = Optional.empty();
  private Optional<MappingFolder> mapping = Optional.empty();
  private Optional<JobSampling> jobs = Optional.empty();

  /**
   * @param gpus started before
   * @param clock ms since the epoch
   */
  SchedulerPart(Vertx vertx, ProbeConfig config, GpuPart gpus, TickClass core, LongSupplier clock) {
    this.vertx = vertx;
    this.config = config;
    this.gpus = gpus;
    this.core = core;
    this.clock = clock;
  }

  @Override
  public void start() throws StartFailure {
    AllocationSettings asked = config.attribution().allocations();
    SlurmSettings slurm = config.attribution().slurm();
    Supplier<List<GpuIdentity>> identities =
        gpus.thread().<Supplier<List<GpuIdentity>>>map(all -> all::identities).orElse(List::of);
    token = SecretFile.open("attribution.allocations.tokenFile", asked.token());
    Optional<JobCgroups> cgroups =
        slurm.watchesCgroups()
            ? Optional.of(new JobCgroups(config.host().sys().resolve("fs/cgroup")))
            : Optional.empty();
    List<Runnable> looks = new ArrayList<>(List.of(token::look));
    if (asked.isOpen()) {
      Allocations all =
          Allocations.open(
              asked.limit(),
              config.spool().folder().map(folder -> folder.resolve("allocations")),
              boot(config.host().proc()),
              clock);
      AllocationSource source = new AllocationSource(all, identities);
      allocations = Optional.of(all);
      told = Optional.of(source);
      routes = Optional.of(new AllocationRoutes(vertx, all, source));
      looks.add(all::look);
      cgroups.ifPresent(running -> looks.add(new EndedJobs(all, running)::look));
    }
    if (slurm.mapping().isPresent()) {
      MappingFolder folder =
          new MappingFolder(
              slurm.mapping().get(),
              slurm.numbers(),
              cgroups,
              identities,
              clock,
              SchedulerPart::millis);
      mapping = Optional.of(folder);
      looks.add(folder::look);
    }
    if (allocations.isPresent() || mapping.isPresent()) {
      lifecycle.started(
          "looks at jobs",
          ProbeProcess.STOP_LIMIT,
          FilePoller.start("jobs", slurm.every(), () -> looks.forEach(Runnable::run)));
    }
    if (routes.isPresent() && asked.socket().isPresent()) {
      Router local = Router.router(vertx);
      routes.get().mount(local);
      lifecycle.started(
          "allocation socket",
          ProbeProcess.STOP_LIMIT,
          LocalSocket.start(vertx, asked.socket().get(), asked.socketGroup(), local));
    }
    jobs = slurm.jobs().map(this::ask);
  }

  private JobSampling ask(SlurmSettings.Jobs settings) {
    JobSampling squeue = new JobSampling(settings, core, SchedulerPart::millis);
    lifecycle.started("squeue", ProbeProcess.STOP_LIMIT, squeue);
    lifecycle.started(
        "Slurm jobs",
        ProbeProcess.STOP_LIMIT,
        FilePoller.start("squeue", settings.every(), squeue::look));
    return squeue;
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
  private static long millis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  /** Sources of what is told of the owners of GPUs. */
  List<OwnerSource> sources() {
    List<OwnerSource> sources = new ArrayList<>();
    told.ifPresent(sources::add);
    mapping.ifPresent(sources::add);
    return sources;
  }

  /**
   * Takes requests over the probe's HTTP port, too.
   *
   * @param mayAsk admits requests to that port, before they show their token
   */
  void mount(Router router, Handler<RoutingContext> mayAsk) {
    routes.ifPresent(all -> all.mount(router, mayAsk, token::text));
  }

  @Override
  public List<Reader> readers() {
    return List.copyOf(jobs.stream().toList());
  }

  @Override
  public void declare(Meters meters) {
    allocations.ifPresent(all -> all.declare(meters));
    routes.ifPresent(all -> all.declare(meters));
    mapping.ifPresent(
        folder ->
            meters.gauge(
                "job_mappings_stale",
                "Jobs in files of the mapping folder that have ended.",
                folder::stale));
  }

  @Override
  public void close() {
    lifecycle.close();
  }
}
