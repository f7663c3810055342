package io.fleetgauge.probe;

import io.fleetgauge.probe.config.GpuSettings;
import io.fleetgauge.probe.dcgm.Counters;
import io.fleetgauge.probe.dcgm.CountersFile;
import io.fleetgauge.probe.gpu.GpuReport;
import io.fleetgauge.probe.gpu.GpuSampling;
import io.fleetgauge.probe.gpu.GpuSource;
import io.fleetgauge.probe.gpu.GpuThread;
import io.fleetgauge.probe.gpu.reading.LinkSeries;
import io.fleetgauge.probe.sampling.ChosenSeries;
import io.fleetgauge.probe.sampling.ProbePart;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.TickClasses;
import io.fleetgauge.runtime.files.FilePoller;
import io.fleetgauge.runtime.process.Lifecycle;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.sample.Labels;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The node's GPUs, and which of their metrics are chosen. */
final class GpuPart implements ProbePart {
  private final Lifecycle lifecycle = new Lifecycle("GPUs");
  private final GpuSettings settings;
  private final TickClasses classes;
  private final Duration tick;
  private Optional<CountersFile> chosen = Optional.empty();
  private Optional<GpuThread> thread = Optional.empty();

  /**
   * @param tick time between two ticks
   */
  GpuPart(GpuSettings settings, TickClasses classes, Duration tick) {
    this.settings = settings;
    this.classes = classes;
    this.tick = tick;
  }

  @Override
  public void start() throws StartFailure {
    if (settings.collectors().isPresent()) {
      CountersFile file = open(settings.collectors().get());
      chosen = Optional.of(file);
      lifecycle.started(
          "list of counters",
          ProbeProcess.STOP_LIMIT,
          FilePoller.start("counters", ProbeProcess.LOOK_EVERY, file::look));
    }
    if (settings.enabled()) {
      // Links and labels that the list of counters asks for are read from the start only.
      Set<String> labels = new TreeSet<>(settings.labels());
      labels.addAll(counters().labels());
      GpuThread started =
          new GpuThread(
              new GpuSource(
                  settings.library(),
                  settings.driverRoots(),
                  links(),
                  settings.expected(),
                  labels,
                  settings.dashes()));
      lifecycle.started("GPU thread", ProbeProcess.STOP_LIMIT, started);
      thread = Optional.of(started);
    }
  }

  private LinkSeries links() {
    if (counters().hasLinks()) {
      return LinkSeries.ALL;
    }
    return settings
        .links()
        .map(all -> all ? LinkSeries.ALL : LinkSeries.NONE)
        .orElse(LinkSeries.OF_SWITCHES);
  }

  private static CountersFile open(Path file) throws StartFailure {
    try {
      return CountersFile.open(file);
    } catch (IOException e) {
      throw new StartFailure(
          "the file " + file + " of gpu.collectors cannot be read: " + e.getMessage(), e);
    }
  }

  /** Empty when no GPU is read. */
  Optional<GpuThread> thread() {
    return thread;
  }

  /** The metrics that are chosen now. */
  Counters counters() {
    return chosen.map(CountersFile::counters).orElse(Counters.ALL);
  }

  /** The series of a reader that are of chosen devices and metrics. */
  Reader chosen(Reader reader) {
    return new ChosenSeries(reader, this::isSent);
  }

  private boolean isSent(Labels series) {
    String gpu = series.value("gpu");
    return counters().has(series.metric())
        && (gpu.isEmpty() || settings.devices().has(gpu, series.value("GPU_I_ID")));
  }

  @Override
  public List<Reader> readers() {
    return thread
        .map(
            gpus ->
                List.of(
                    chosen(new GpuSampling(gpus, classes, tick.dividedBy(3))),
                    new GpuReport(gpus, classes.core(), classes.other())))
        .orElse(List.of());
  }

  @Override
  public void declare(Meters meters) {
    thread.ifPresent(gpus -> gpus.declare(meters));
  }

  @Override
  public void close() {
    lifecycle.close();
  }
}
