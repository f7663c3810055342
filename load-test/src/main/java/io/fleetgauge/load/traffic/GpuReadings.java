package io.fleetgauge.load.traffic;

import java.util.List;
import java.util.SplittableRandom;

/**
 * What NVML and the profiler read of a GPU: mostly integers, of which many stand still. Not for
 * several threads.
 */
final class GpuReadings {
  static final List<String> METRICS =
      List.of(
          "DCGM_FI_DEV_GPU_UTIL",
          "DCGM_FI_DEV_MEM_COPY_UTIL",
          "DCGM_FI_DEV_POWER_USAGE",
          "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
          "DCGM_FI_DEV_GPU_TEMP",
          "DCGM_FI_DEV_MEMORY_TEMP",
          "DCGM_FI_DEV_FB_USED",
          "DCGM_FI_DEV_FB_FREE",
          "DCGM_FI_DEV_SM_CLOCK",
          "DCGM_FI_DEV_MEM_CLOCK",
          "DCGM_FI_PROF_PCIE_TX_BYTES",
          "DCGM_FI_PROF_PCIE_RX_BYTES",
          "DCGM_FI_DEV_NVLINK_COUNT_TX_BYTES",
          "DCGM_FI_DEV_NVLINK_COUNT_RX_BYTES",
          "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
          "DCGM_FI_PROF_SM_ACTIVE",
          "DCGM_FI_PROF_DRAM_ACTIVE",
          "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
          "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL",
          "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS",
          "DCGM_FI_DEV_THERMAL_VIOLATION",
          "DCGM_FI_DEV_POWER_VIOLATION",
          "DCGM_FI_DEV_PCIE_REPLAY_COUNTER",
          "DCGM_FI_DEV_XID_ERRORS",
          "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL",
          "DCGM_FI_DEV_ECC_SBE_AGG_TOTAL",
          "DCGM_FI_DEV_ECC_DBE_AGG_TOTAL",
          "DCGM_FI_DEV_RETIRED_PENDING",
          "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS",
          "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS",
          "DCGM_FI_DEV_ROW_REMAP_FAILURE",
          "DCGM_FI_DEV_ENC_UTIL",
          "DCGM_FI_DEV_DEC_UTIL",
          "DCGM_FI_DEV_FB_TOTAL",
          "DCGM_FI_DEV_FB_RESERVED",
          "DCGM_FI_DEV_ENFORCED_POWER_LIMIT",
          "DCGM_FI_DEV_SLOWDOWN_TEMP",
          "DCGM_FI_DEV_SHUTDOWN_TEMP",
          "DCGM_FI_DEV_PSTATE",
          "DCGM_FI_DEV_VGPU_LICENSE_STATUS");

  private static final double MEMORY_MIB = 81_559;

  private final SplittableRandom random;
  private final double[] counters = new double[METRICS.size()];
  private double jobLoad;
  private double load;
  private double memory;

  GpuReadings(SplittableRandom random) {
    this.random = random;
    for (int i = 0; i < counters.length; i++) {
      counters[i] = random.nextLong(1L << 36);
    }
  }

  /**
   * A job begins.
   *
   * @param intensity 0 for none, at most 1
   */
  void begin(double intensity) {
    jobLoad = intensity;
    load = intensity;
    memory = Math.rint(MEMORY_MIB * intensity);
  }

  /** Writes the next values from a place on, and returns the place after them. */
  int next(double[] values, int at) {
    if (random.nextInt(40) == 0) {
      // Between steps of a job its GPUs wait now and then.
      load = random.nextInt(4) == 0 ? 0 : jobLoad;
    }
    for (int metric = 0; metric < counters.length; metric++) {
      values[at + metric] = value(metric);
    }
    return at + counters.length;
  }

  private double value(int metric) {
    return switch (metric) {
      // Shares of time in whole percent.
      case 0, 1 ->
          load == 0
              ? 0
              : Math.min(100, Math.rint(100 * load / (1 + metric) + random.nextInt(-6, 7)));
      // Watts in thousandths, of which NVML gives milliwatts; millijoules.
      case 2 -> Math.rint(watts() * 1_000) / 1_000;
      case 3 -> counters[3] += Math.rint(watts() * 15_000);
      case 4, 5 -> Math.rint(35 + 40 * load + random.nextInt(2) + (metric - 4) * 6);
      case 6 -> memory;
      case 7 -> MEMORY_MIB - memory;
      // Clocks, which mostly stand still.
      case 8 -> load == 0 ? 345 : 1980 - 15 * (random.nextInt(10) == 0 ? 1 : 0);
      case 9 -> 2_619;
      case 10, 11 -> Math.rint(load * 2e9 * (0.5 + random.nextDouble()));
      case 12, 13 ->
          counters[metric] += Math.rint(load * 15 * 400e6 * (0.95 + random.nextDouble() / 10));
      // Shares of time as the profiler gives them, with six digits.
      case 14, 15, 16, 17 ->
          Math.rint(load * (0.9 + random.nextDouble() / 10) / (metric - 13) * 1e6) / 1e6;
      // Corrected errors and reasons to go slow, both seldom.
      case 18 -> counters[18] += random.nextInt(400) == 0 ? 1 : 0;
      case 19 -> load > 0.9 && random.nextInt(5) == 0 ? 4 : 0;
      case 20, 21 -> counters[metric] += random.nextInt(20) == 0 ? random.nextInt(1_000_000) : 0;
      case 22 -> counters[22] += random.nextInt(1_000) == 0 ? 1 : 0;
      case 33 -> MEMORY_MIB;
      case 34 -> 551;
      case 35 -> 700;
      case 36 -> 87;
      case 37 -> 92;
      case 25 -> Math.floor(counters[25] / 1e9);
      // What hardly ever changes.
      default -> 0;
    };
  }

  private double watts() {
    return 70 + 560 * load * (0.9 + random.nextDouble() / 8) + random.nextDouble();
  }
}
