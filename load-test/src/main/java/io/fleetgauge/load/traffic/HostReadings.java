package io.fleetgauge.load.traffic;

import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What node_exporter reads of a host: counters of seconds and bytes, gauges with noise. Not for
 * several threads.
 */
final class HostReadings {
  /** Names and values of the labels of each series. */
  static final List<List<String>> SERIES = series();

  private static final double MEMORY = 2_164_260_864_000.0;
  private static final double DISK = 3_840_755_982_336.0;

  private final SplittableRandom random;
  private final double[] state = new double[SERIES.size()];
  private double busy = 0.3;

  HostReadings(SplittableRandom random) {
    this.random = random;
    for (int i = 0; i < state.length; i++) {
      state[i] = random.nextLong(1L << 36);
    }
  }

  private static List<List<String>> series() {
    List<List<String>> all = new ArrayList<>();
    for (int cpu = 0; cpu < 4; cpu++) {
      for (String mode : List.of("idle", "iowait", "system", "user")) {
        all.add(List.of(Labels.NAME, "node_cpu_seconds_total", "cpu", "" + cpu, "mode", mode));
      }
    }
    for (String metric :
        List.of("node_network_receive_bytes_total", "node_network_transmit_bytes_total")) {
      for (String device : List.of("bond0", "ens1f0np0", "ib0", "ib1")) {
        all.add(List.of(Labels.NAME, metric, "device", device));
      }
    }
    for (String metric :
        List.of(
            "node_disk_read_bytes_total",
            "node_disk_written_bytes_total",
            "node_disk_io_time_seconds_total")) {
      for (int disk = 0; disk < 4; disk++) {
        all.add(List.of(Labels.NAME, metric, "device", "nvme" + disk + "n1"));
      }
    }
    for (String metric : List.of("node_filesystem_size_bytes", "node_filesystem_avail_bytes")) {
      for (String mount : List.of("/", "/scratch", "/var/lib/containerd", "/home")) {
        all.add(List.of(Labels.NAME, metric, "fstype", "xfs", "mountpoint", mount));
      }
    }
    for (String metric :
        List.of(
            "node_memory_MemTotal_bytes",
            "node_memory_MemAvailable_bytes",
            "node_memory_Buffers_bytes",
            "node_memory_Cached_bytes",
            "node_load1",
            "node_load5",
            "node_load15",
            "node_context_switches_total",
            "node_intr_total",
            "node_pressure_cpu_waiting_seconds_total",
            "node_pressure_io_waiting_seconds_total",
            "node_pressure_memory_waiting_seconds_total",
            "node_nf_conntrack_entries",
            "node_procs_running",
            "node_boot_time_seconds",
            "node_time_seconds")) {
      all.add(List.of(Labels.NAME, metric));
    }
    return List.copyOf(all);
  }

  /** Writes the next values from a place on, and returns the place after them. */
  int next(double[] values, int at) {
    busy = Math.clamp(busy + (random.nextDouble() - 0.5) / 20, 0.02, 0.95);
    for (int i = 0; i < state.length; i++) {
      values[at + i] = value(i);
    }
    return at + state.length;
  }

  private double value(int i) {
    if (i < 16) {
      double share = List.of(1 - busy, 0.01, busy / 4, busy * 3 / 4).get(i % 4);
      return hundredths(i, 15 * share * (0.9 + random.nextDouble() / 5));
    }
    if (i < 24) {
      return state[i] += Math.rint(15e8 * busy * random.nextDouble());
    }
    if (i < 32) {
      return state[i] += random.nextInt(3) == 0 ? 4_096.0 * random.nextInt(100_000) : 0;
    }
    if (i < 36) {
      return hundredths(i, 15 * busy * random.nextDouble() / 4);
    }
    if (i < 40) {
      return DISK;
    }
    if (i < 44) {
      return state[i] = Math.abs(state[i] - 4_096.0 * random.nextInt(-500, 1_000));
    }
    return switch (i - 44) {
      case 0 -> MEMORY;
      case 1 -> MEMORY - 4_096.0 * random.nextInt(100_000_000, 101_000_000);
      case 2 -> 4_096.0 * 52_000;
      case 3 -> 4_096.0 * random.nextInt(30_000_000, 30_100_000);
      case 4, 5, 6 -> Math.rint(9_600 * busy * (0.9 + random.nextDouble() / (i - 46))) / 100;
      case 7, 8 -> state[i] += random.nextInt(400_000, 600_000);
      case 9, 10, 11 -> state[i] = Math.rint((state[i] % 1e6 + random.nextDouble()) * 1e6) / 1e6;
      case 12 -> Math.rint(2_000 + 500 * random.nextDouble());
      case 13 -> random.nextInt(1, 60);
      case 14 -> 1_750_000_000;
      default ->
          state[i] = Math.rint((state[i] % 1e9 + 15 + random.nextDouble() / 1_000) * 1e7) / 1e7;
    };
  }

  private double hundredths(int i, double more) {
    return state[i] = Math.rint((state[i] % 1e8 + more) * 100) / 100;
  }
}
