package io.fleetgauge.probe.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.gpu.reading.LinkSeries;
import io.fleetgauge.probe.gpu.snapshot.GpuSnapshot;
import io.fleetgauge.probe.nvml.StandIn;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.gpu.Tier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A GPU thread over the stand-in driver, whose clock the test turns. */
final class GpuFixture implements AutoCloseable {
  static final Duration LIMIT = Duration.ofMinutes(10);
  static final Set<Tier> ALL = EnumSet.allOf(Tier.class);

  private static final Set<String> OF_GPU =
      Set.of("gpu", "UUID", "device", "modelName", "pci_bus_id", "GPU_I_ID", "GPU_I_PROFILE");
  private static final long SECOND = 1_000_000_000L;

  private static final TickClass CLASS = new TickClass(Duration.ofSeconds(15));

  final GpuThread thread;
  private final GpuReport report;
  private volatile long nanos;

  GpuFixture(StandIn driver) {
    this(driver.library.toString(), LinkSeries.NONE);
  }

  GpuFixture(StandIn driver, LinkSeries links) {
    this(driver.library.toString(), links);
  }

  GpuFixture(String library, LinkSeries links) {
    thread = new GpuThread(new GpuSource(library, List.<Path>of(), links, 0), () -> nanos);
    report = new GpuReport(thread, CLASS, CLASS);
  }

  void pass(double seconds) {
    nanos += (long) (seconds * SECOND);
  }

  /** Reads every tier. */
  Tick read() throws InterruptedException {
    return read(ALL);
  }

  Tick read(Set<Tier> due) throws InterruptedException {
    Optional<GpuSnapshot> reading = thread.read(due, LIMIT);
    assertThat(reading).isPresent();
    Tick.Builder all = new Tick.Builder();
    for (Tier tier : due) {
      Tick tick = reading.get().of(tier).at(0);
      for (int i = 0; i < tick.size(); i++) {
        all.add(tick.series().get(i), tick.values()[i]);
      }
    }
    return all.at(0);
  }

  /** The series of the reading itself. */
  Map<String, Double> report() {
    Readings out = new Readings();
    report.read(report.classes(), out);
    return values(out.of(CLASS).at(0), labels -> true);
  }

  /** The readings of one GPU as a whole, by metric and the labels that are not the GPU's. */
  static Map<String, Double> of(Tick tick, int gpu) {
    return values(
        tick,
        labels ->
            labels.value("gpu").equals(Integer.toString(gpu))
                && labels.value("GPU_I_ID").isEmpty()
                && !labels.metric().equals("gpu_probe_supported"));
  }

  /** The readings of one GPU instance. */
  static Map<String, Double> of(Tick tick, int gpu, int instance) {
    return values(
        tick,
        labels ->
            labels.value("gpu").equals(Integer.toString(gpu))
                && labels.value("GPU_I_ID").equals(Integer.toString(instance))
                && !labels.metric().equals("gpu_probe_supported"));
  }

  /** Metrics that the GPU is said not to support. */
  static Set<String> unsupported(Tick tick, int gpu) {
    Set<String> metrics = new TreeSet<>();
    for (Labels labels : tick.series()) {
      if (labels.metric().equals("gpu_probe_supported")
          && labels.value("gpu").equals(Integer.toString(gpu))) {
        metrics.add(labels.value("metric"));
      }
    }
    return metrics;
  }

  interface Wanted {
    boolean is(Labels labels);
  }

  static Map<String, Double> values(Tick tick, Wanted wanted) {
    Map<String, Double> values = new TreeMap<>();
    for (int i = 0; i < tick.size(); i++) {
      Labels labels = tick.series().get(i);
      if (wanted.is(labels)) {
        Labels own = labels;
        for (String name : labels.value("UUID").isEmpty() ? Set.<String>of() : OF_GPU) {
          own = own.without(name);
        }
        if (labels.metric().equals("gpu_info")) {
          own = Labels.EMPTY;
        }
        own = own.with(Labels.NAME, labels.metric());
        boolean bare = own.size() == 1;
        values.put(bare ? labels.metric() : own.toString(), tick.values()[i]);
      }
    }
    return values;
  }

  @Override
  public void close() {
    thread.close();
  }
}
