package io.fleetgauge.probe;

import io.fleetgauge.probe.attribution.Attribution;
import io.fleetgauge.probe.attribution.AttributionSampling;
import io.fleetgauge.probe.attribution.ConfiguredOwner;
import io.fleetgauge.probe.attribution.OwnerSource;
import io.fleetgauge.probe.attribution.kubelet.KubeletSource;
import io.fleetgauge.probe.attribution.process.OwnerUsage;
import io.fleetgauge.probe.attribution.process.ProcessOwners;
import io.fleetgauge.probe.attribution.process.ProcessReport;
import io.fleetgauge.probe.attribution.process.ProcessSampling;
import io.fleetgauge.probe.attribution.runtime.ContainerNames;
import io.fleetgauge.probe.config.AttributionSettings;
import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.probe.gpu.GpuThread;
import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.probe.sampling.ProbePart;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.runtime.process.Lifecycle;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Owners of GPUs, as all that knows them says, and what their processes use. */
final class OwnerPart implements ProbePart {
  private static final Duration USAGE_EVERY = Duration.ofSeconds(5);

  private final Lifecycle lifecycle = new Lifecycle("owners");
  private final Vertx vertx;
  private final ProbeConfig config;
  private final GpuPart gpus;
  private final SchedulerPart schedulers;
  private final TickClass core;
  private final List<Reader> readers = new ArrayList<>();
  private Attribution attribution;
  private Optional<ProcessSampling> processes = Optional.empty();

  /**
   * @param gpus started before
   * @param schedulers started before
   */
  OwnerPart(
      Vertx vertx, ProbeConfig config, GpuPart gpus, SchedulerPart schedulers, TickClass core) {
    this.vertx = vertx;
    this.config = config;
    this.gpus = gpus;
    this.schedulers = schedulers;
    this.core = core;
  }

  @Override
  public void start() {
    gpus.thread()
        .ifPresentOrElse(
            this::follow,
            () ->
                attribution =
                    new Attribution(schedulers.sources(), config.attribution().tenantLabels()));
  }

  private void follow(GpuThread thread) {
    AttributionSettings settings = config.attribution();
    boolean withProcesses = settings.processes().enabled();
    ContainerNames names =
        withProcesses || settings.kubelet().enabled()
            ? ContainerNames.start(vertx, settings.runtimes())
            : ContainerNames.none();
    lifecycle.started("names of containers", ProbeProcess.STOP_LIMIT, names);
    List<OwnerSource> sources = new ArrayList<>();
    if (settings.kubelet().enabled()) {
      KubeletSource kubelet =
          new KubeletSource(
                  vertx,
                  settings.kubelet(),
                  config.host().sys().resolve("fs/cgroup"),
                  thread::identities,
                  names,
                  () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()))
              .start();
      lifecycle.started("kubelet", ProbeProcess.STOP_LIMIT, kubelet);
      sources.add(kubelet);
    }
    sources.addAll(schedulers.sources());
    ProcessOwners owners = new ProcessOwners(config.host().proc(), config.host().root(), names);
    if (withProcesses) {
      sources.add(owners);
    }
    if (!settings.owner().isEmpty()) {
      sources.add(new ConfiguredOwner(settings.owner(), thread::identities));
    }
    attribution = new Attribution(sources, settings.tenantLabels());
    if (withProcesses) {
      ProcessSampling sampling =
          new ProcessSampling(
              settings.processes(),
              thread::processes,
              owners,
              attribution::ask,
              attribution::record,
              core);
      processes = Optional.of(sampling);
      readers.add(sampling);
      readers.add(new ProcessReport(sampling, names, core));
      readers.add(
          gpus.chosen(
              new OwnerUsage(
                  thread::processes,
                  sampling::owner,
                  config.host().proc(),
                  config.host().sys().resolve("fs/cgroup"),
                  new TickClass(longer(core.period())))));
    }
    readers.add(new AttributionSampling(attribution, thread::identities, core));
  }

  /** A tick may be as short as a second; what the owners do is not read so often. */
  private static Duration longer(Duration tick) {
    return tick.compareTo(USAGE_EVERY) > 0 ? tick : USAGE_EVERY;
  }

  /** The owners of this tick, which ends. */
  GpuOwners owners() {
    return attribution.get();
  }

  /** Readings of what processes use; empty when it is not read. */
  Optional<ProcessSampling> processes() {
    return processes;
  }

  @Override
  public List<Reader> readers() {
    return List.copyOf(readers);
  }

  @Override
  public void close() {
    lifecycle.close();
  }
}
