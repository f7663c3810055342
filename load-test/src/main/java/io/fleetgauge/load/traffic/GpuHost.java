package io.fleetgauge.load.traffic;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A host with eight GPUs. Two GPUs at a time have a job, whose name is in the labels of their
 * series; a job that ends leaves a staleness marker in each of them, and the next one begins new
 * series. Not for several threads.
 */
public final class GpuHost {
  static final int GPUS = 8;
  public static final int SERIES = GPUS * GpuReadings.METRICS.size() + HostReadings.SERIES.size();
  public static final long TICK = 15_000;

  private static final int SHARED = 2;
  private static final List<String> TENANTS = List.of("atlas", "borealis", "cirrus", "delta");
  private static final List<String> KINDS = List.of("pretrain", "finetune", "evaluate", "serve");
  private static final List<String> NO_JOB = List.of();

  /**
   * How likely it is that a job changes within a tick. GPU series are five of six, and one change
   * of ten is to no job, whose series are new once: 0.5 new series an hour for each active one.
   */
  private static final double JOB_CHANGE = 0.6 / 240;

  private final int number;
  private final String name;
  private final SplittableRandom random;
  private final GpuReadings[] gpus = new GpuReadings[GPUS];
  private final HostReadings host;
  private final Labels[] labels = new Labels[SERIES];
  private final Set<List<String>> jobs = new HashSet<>();
  private long seriesEver = SERIES;
  private int jobsBegun;

  public GpuHost(int number, long seed) {
    this.number = number;
    this.name = GpuFleet.name(number);
    random = new SplittableRandom(seed * 0x9e3779b97f4a7c15L + number);
    host = new HostReadings(random.split());
    for (int gpu = 0; gpu < GPUS; gpu++) {
      gpus[gpu] = new GpuReadings(random.split());
    }
    for (int i = 0; i < HostReadings.SERIES.size(); i++) {
      labels[GPUS * GpuReadings.METRICS.size() + i] = hostLabels(HostReadings.SERIES.get(i));
    }
    for (int first = 0; first < GPUS; first += SHARED) {
      begin(first, nextJob());
    }
  }

  /** The names of all metrics. */
  public static Set<String> metrics() {
    Set<String> all = new LinkedHashSet<>(GpuReadings.METRICS);
    HostReadings.SERIES.forEach(labels -> all.add(labels.get(1)));
    return all;
  }

  /** The next tick; ended series have a staleness marker in it. */
  public Tick next(long time) {
    List<Labels> series = new ArrayList<>(SERIES + SHARED * GpuReadings.METRICS.size());
    double[] values = new double[2 * SERIES];
    int count = 0;
    for (int first = 0; first < GPUS; first += SHARED) {
      if (random.nextDouble() < JOB_CHANGE) {
        int from = first * GpuReadings.METRICS.size();
        int to = from + SHARED * GpuReadings.METRICS.size();
        List<Labels> before = List.copyOf(Arrays.asList(labels).subList(from, to));
        begin(first, nextJob());
        for (int i = from; i < to; i++) {
          // Idle before and after: nothing has ended.
          if (!labels[i].equals(before.get(i - from))) {
            series.add(before.get(i - from));
            values[count++] = Staleness.MARKER;
          }
        }
      }
    }
    series.addAll(Arrays.asList(labels));
    for (GpuReadings gpu : gpus) {
      count = gpu.next(values, count);
    }
    count = host.next(values, count);
    return new Tick(time, series, Arrays.copyOf(values, count));
  }

  public long seriesEver() {
    return seriesEver;
  }

  public double labelBytes() {
    long bytes = 0;
    for (Labels each : labels) {
      for (int i = 0; i < each.size(); i++) {
        bytes += each.name(i).length() + each.value(i).length();
      }
    }
    return (double) bytes / labels.length;
  }

  /** Labels of a job as names and values; none when the GPUs are to be idle. */
  private List<String> nextJob() {
    if (random.nextInt(10) == 0) {
      return NO_JOB;
    }
    String tenant = TENANTS.get(random.nextInt(TENANTS.size()));
    String kind = KINDS.get(random.nextInt(KINDS.size()));
    String job = String.format(Locale.ROOT, "%s-%05d", kind, number / 4 * 97 + jobsBegun++);
    return List.of(
        "job",
        job,
        "tenant",
        tenant,
        "namespace",
        tenant + "-jobs",
        "pod",
        job + "-worker-" + number,
        "container",
        "trainer");
  }

  private void begin(int first, List<String> job) {
    if (jobs.add(List.of(Integer.toString(first), String.join(",", job)))
        && jobs.size() > GPUS / SHARED) {
      seriesEver += SHARED * GpuReadings.METRICS.size();
    }
    for (int gpu = first; gpu < first + SHARED; gpu++) {
      gpus[gpu].begin(job.isEmpty() ? 0 : 0.5 + random.nextDouble() / 2);
      for (int metric = 0; metric < GpuReadings.METRICS.size(); metric++) {
        labels[gpu * GpuReadings.METRICS.size() + metric] =
            gpuLabels(gpu, GpuReadings.METRICS.get(metric), job);
      }
    }
  }

  private Labels gpuLabels(int gpu, String metric, List<String> job) {
    List<String> all =
        new ArrayList<>(
            List.of(
                Labels.NAME,
                metric,
                "UUID",
                String.format(Locale.ROOT, "GPU-%08x-7c1e-4a52-8d3b-%012x", number * 7919, gpu),
                "device",
                "nvidia" + gpu,
                "gpu",
                Integer.toString(gpu),
                "modelName",
                "NVIDIA H100 80GB HBM3",
                "pci_bus_id",
                String.format(Locale.ROOT, "00000000:%02X:00.0", 0x1b + gpu * 0x11)));
    all.addAll(place(9400));
    all.addAll(job);
    return Labels.of(all.toArray(String[]::new));
  }

  private Labels hostLabels(List<String> series) {
    List<String> all = new ArrayList<>(series);
    all.addAll(place(9100));
    all.addAll(List.of("job", "node-exporter"));
    return Labels.of(all.toArray(String[]::new));
  }

  private List<String> place(int port) {
    return List.of(
        "Hostname",
        name,
        "instance",
        name + ":" + port,
        "cluster",
        "training-east-1",
        "zone",
        "dc1-hall-" + number / 64,
        "rack",
        "dc1-rack-" + number / 8);
  }
}
