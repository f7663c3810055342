package io.fleetgauge.distribution.training;

import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.prometheus.RemoteWriteWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.xerial.snappy.Snappy;

/** Samples of some hosts with GPUs, as the bodies of remote writes of both versions. */
final class TrainingSamples {
  static final int HOSTS = 4;
  static final long STEP_MILLIS = 15_000;

  private static final int GPUS = 8;
  private static final List<String> TENANTS = List.of("atlas", "borealis");
  private static final List<String> GAUGES =
      List.of(
          "DCGM_FI_DEV_GPU_UTIL",
          "DCGM_FI_DEV_POWER_USAGE",
          "DCGM_FI_DEV_GPU_TEMP",
          "DCGM_FI_DEV_FB_USED",
          "DCGM_FI_DEV_FB_TOTAL",
          "DCGM_FI_DEV_SM_CLOCK",
          "DCGM_FI_DEV_XID_ERRORS",
          "DCGM_FI_PROF_SM_ACTIVE",
          "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE");
  private static final List<String> COUNTERS =
      List.of(
          "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
          "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL",
          "DCGM_FI_DEV_POWER_VIOLATION");
  private static final List<String> OF_HOST =
      List.of(
          "node_load1",
          "node_memory_MemAvailable_bytes",
          "node_memory_MemTotal_bytes",
          "node_filesystem_avail_bytes",
          "node_filesystem_size_bytes");

  private TrainingSamples() {}

  /** The labels of a series, names and values in turn, and whether it only grows. */
  private record Series(List<String> labels, int number, boolean isCounter) {
    double value(long time) {
      long step = time / STEP_MILLIS;
      if (isCounter) {
        return step * (7 + number % 5);
      }
      return labels.get(1).startsWith("DCGM_FI_PROF")
          ? (step * 31 + number * 17) % 1000 / 1000.0
          : 20 + (step * 31 + number * 17) % 80;
    }
  }

  static String host(int number) {
    return String.format(Locale.ROOT, "gpu-node-%04d", number);
  }

  private static List<Series> of(int host) {
    List<Series> all = new ArrayList<>();
    List<String> place =
        List.of("Hostname", host(host), "instance", host(host) + ":9400", "rack", "r" + host / 2);
    for (int gpu = 0; gpu < GPUS; gpu++) {
      List<String> of = new ArrayList<>(place);
      of.addAll(List.of("UUID", "GPU-%d-%d".formatted(host, gpu), "gpu", "" + gpu));
      of.addAll(List.of("tenant", TENANTS.get(gpu / 4), "job", "pretrain-" + gpu / 2));
      GAUGES.forEach(metric -> all.add(series(metric, of, all.size(), false)));
      COUNTERS.forEach(metric -> all.add(series(metric, of, all.size(), true)));
    }
    OF_HOST.forEach(metric -> all.add(series(metric, place, all.size(), false)));
    for (int cpu = 0; cpu < 4; cpu++) {
      for (String mode : List.of("idle", "user", "system")) {
        List<String> of = new ArrayList<>(place);
        of.addAll(List.of("cpu", "" + cpu, "mode", mode));
        all.add(series("node_cpu_seconds_total", of, all.size(), true));
      }
    }
    return all;
  }

  private static Series series(String metric, List<String> of, int number, boolean isCounter) {
    List<String> labels = new ArrayList<>(List.of("__name__", metric));
    labels.addAll(of);
    return new Series(labels, number, isCounter);
  }

  /**
   * A remote write of one host.
   *
   * @param from time of the first sample, ms since the epoch
   * @param steps samples of each series
   * @param second whether it is of version 2
   */
  static byte[] write(int host, long from, int steps, boolean second) throws IOException {
    RemoteWriteWriter out = new RemoteWriteWriter(second ? Version.V2 : Version.V1);
    for (Series series : of(host)) {
      out.series(series.labels.toArray(String[]::new));
      for (int step = 0; step < steps; step++) {
        long time = from + step * STEP_MILLIS;
        out.sample(time, series.value(time));
      }
    }
    return Snappy.compress(out.toBytes());
  }
}
