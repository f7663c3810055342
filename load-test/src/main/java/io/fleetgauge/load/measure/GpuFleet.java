package io.fleetgauge.load.measure;

import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Series of a GPU fleet whose values move as NVML's do: of each GPU 40, constants, counters, slow
 * and noisy gauges in about the mix that dcgm-exporter and node_exporter have by default, and 60 of
 * each host. From a seed. Not for several threads.
 */
final class GpuFleet {
  static final int GPUS = 8;
  static final int GPU_SERIES = 40;
  static final int HOST_SERIES = 60;
  static final int SERIES = GPUS * GPU_SERIES + HOST_SERIES;

  private static final List<String> TENANTS = List.of("atlas", "borealis", "cirrus", "delta");

  private final SplittableRandom random;
  private final List<String> hosts = new ArrayList<>();
  private final List<List<Labels>> labels = new ArrayList<>();
  private final double[][] state;
  private final double[][] busy;

  GpuFleet(int hostCount, long seed) {
    random = new SplittableRandom(seed);
    state = new double[hostCount][SERIES];
    busy = new double[hostCount][GPUS];
    for (int host = 0; host < hostCount; host++) {
      String name = String.format("node-%04d", host);
      hosts.add(name);
      labels.add(labels(name, host));
      for (int i = 0; i < SERIES; i++) {
        state[host][i] = random.nextLong(1L << 36);
      }
    }
  }

  private static List<Labels> labels(String host, int number) {
    List<Labels> all = new ArrayList<>();
    for (int gpu = 0; gpu < GPUS; gpu++) {
      for (int metric = 0; metric < GPU_SERIES; metric++) {
        all.add(
            Labels.of(
                Labels.NAME,
                metric(metric),
                "Hostname",
                host,
                "UUID",
                String.format("GPU-%08x-0000-4000-8000-%012x", number, gpu),
                "device",
                "nvidia" + gpu,
                "gpu",
                "" + gpu,
                "modelName",
                "NVIDIA H100 80GB HBM3",
                "pci_bus_id",
                String.format("00000000:%02X:00.0", 0x1b + gpu * 0x11),
                "rack",
                "rack-" + number / 8,
                "job",
                isIdle(number) ? "" : "train-" + number / 4,
                "tenant",
                isIdle(number) ? "" : TENANTS.get(number / 4 % TENANTS.size())));
      }
    }
    for (int metric = 0; metric < HOST_SERIES; metric++) {
      all.add(
          Labels.of(
              Labels.NAME,
              metric == 0 ? "node_load1" : String.format("node_metric_%02d", metric / 4),
              "Hostname",
              host,
              "device",
              "dev" + metric % 4,
              "rack",
              "rack-" + number / 8));
    }
    return all;
  }

  /** Those that dashboards ask for have the names that dcgm-exporter gives them. */
  private static String metric(int number) {
    return switch (number) {
      case 0 -> "DCGM_FI_DEV_GPU_UTIL";
      case 3 -> "DCGM_FI_DEV_POWER_USAGE";
      case 4 -> "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION";
      case 5 -> "DCGM_FI_DEV_GPU_TEMP";
      case 7 -> "DCGM_FI_DEV_FB_USED";
      case 9 -> "DCGM_FI_DEV_SM_CLOCK";
      case 13 -> "DCGM_FI_DEV_NVLINK_COUNT_TX_BYTES";
      case 14 -> "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL";
      case 15 -> "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS";
      default -> String.format("DCGM_FI_DEV_METRIC_%02d", number);
    };
  }

  private static boolean isIdle(int host) {
    return host % 16 == 7;
  }

  List<String> hosts() {
    return hosts;
  }

  List<Labels> labels(int host) {
    return labels.get(host);
  }

  /** The values of a host's next tick, in the order of its labels. */
  double[] next(int host) {
    double[] values = new double[SERIES];
    for (int gpu = 0; gpu < GPUS; gpu++) {
      if (random.nextInt(40) == 0) {
        busy[host][gpu] = random.nextInt(4) == 0 ? 0 : 0.5 + random.nextDouble() / 2;
      }
      for (int metric = 0; metric < GPU_SERIES; metric++) {
        int i = gpu * GPU_SERIES + metric;
        values[i] = gpu(host, i, metric, busy[host][gpu]);
      }
    }
    for (int metric = 0; metric < HOST_SERIES; metric++) {
      int i = GPUS * GPU_SERIES + metric;
      values[i] = host(host, i, metric);
    }
    return values;
  }

  private double gpu(int host, int i, int metric, double load) {
    double[] own = state[host];
    return switch (metric) {
      // Utilisation of several units, in whole percent.
      case 0, 1, 2 ->
          Math.min(100, Math.rint(100 * load + (load == 0 ? 0 : random.nextInt(-6, 7))));
      // Watts in thousandths, millijoules, degrees.
      case 3 -> Math.rint((70 + 600 * load * (0.9 + random.nextDouble() / 8)) * 1000) / 1000;
      case 4 -> own[i] += Math.rint((70 + 600 * load + random.nextInt(20)) * 15_000);
      case 5, 6 -> Math.rint(35 + 40 * load + random.nextInt(2));
      // Megabytes in use and free, in steps of jobs.
      case 7, 8 -> Math.rint(81_559 * load);
      // Clocks, which mostly stand still.
      case 9, 10 -> load == 0 ? 345 : 1980 - 15 * (random.nextInt(10) == 0 ? 1 : 0);
      // Kilobytes a second over PCIe, and the bytes sent over NVLink.
      case 11, 12 -> Math.rint(load * random.nextInt(1_000_000));
      case 13 -> own[i] += Math.rint(load * 15 * 400e6 * (0.95 + random.nextDouble() / 10));
      // Shares of time as profilers give them, with six digits.
      case 16, 17, 18 -> Math.rint(load * (0.9 + random.nextDouble() / 10) * 1e6) / 1e6;
      // Corrected errors, and reasons to go slow, both seldom.
      case 14 -> own[i] += random.nextInt(400) == 0 ? 1 : 0;
      case 15 -> load > 0.9 && random.nextInt(5) == 0 ? 4 : 0;
      // Throttled nanoseconds, now and then.
      case 19 -> own[i] += random.nextInt(20) == 0 ? random.nextInt(1_000_000) : 0;
      // ECC, XID, limits, versions, modes: what hardly ever changes.
      default -> metric * 100;
    };
  }

  private double host(int host, int i, int metric) {
    double[] own = state[host];
    return switch (metric % 12) {
      case 0, 6 -> own[i] = Math.rint((own[i] % 1e8 + 15 * random.nextDouble()) * 100) / 100;
      case 1 -> own[i] += random.nextInt(2_000_000_000);
      case 2 -> Math.rint(9600 * random.nextDouble()) / 100;
      case 3 -> 2_164_260_864_000.0 - 4096.0 * random.nextInt(1_000_000);
      case 4 -> own[i] += random.nextInt(10);
      default -> metric;
    };
  }
}
