package io.fleetgauge.promql.usage;

import io.fleetgauge.sample.Labels;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The metrics that usage is made of, in whole numbers; those that tell owners best are first. */
enum Measure {
  ALLOCATED("gpu_allocated", 1, Role.GAUGE),
  MEMORY("DCGM_FI_DEV_FB_USED", 1 << 20, Role.GAUGE),
  UTILIZATION("DCGM_FI_DEV_GPU_UTIL", UsageTerms.WHOLE / 100.0, Role.GAUGE),
  /** The activity of MIG instances, which have no utilization. */
  ENGINE("DCGM_FI_PROF_GR_ENGINE_ACTIVE", UsageTerms.WHOLE, Role.GAUGE),
  SM("DCGM_FI_PROF_SM_ACTIVE", UsageTerms.WHOLE, Role.GAUGE),
  TENSOR("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", UsageTerms.WHOLE, Role.GAUGE),
  DRAM("DCGM_FI_PROF_DRAM_ACTIVE", UsageTerms.WHOLE, Role.GAUGE),
  POWER("DCGM_FI_DEV_POWER_USAGE", 1_000, Role.GAUGE),
  POWER_LIMIT("DCGM_FI_DEV_ENFORCED_POWER_LIMIT", 1_000, Role.GAUGE),
  /** It is of an owner and its host, whichever GPUs it has there. */
  HOST_MEMORY("gpu_owner_host_memory_bytes", 1, Role.GAUGE),
  ENERGY("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", 1, Role.COUNTER),
  ENERGY_JOULES("gpu_energy_joules_total", 1_000, Role.COUNTER),
  NVLINK("gpu_nvlink_bytes_total", 1, Role.COUNTER),
  PCIE("gpu_pcie_bytes_total", 1, Role.COUNTER),
  CPU("gpu_owner_cpu_seconds_total", 1_000, Role.COUNTER),
  IO("gpu_owner_io_bytes_total", 1, Role.COUNTER),
  PROCESS_MEMORY("gpu_process_memory_bytes", 1, Role.PART),
  CONTAINER_MEMORY("gpu_container_memory_bytes", 1, Role.PART),
  CONTAINER_ACTIVITY("gpu_container_utilization_ratio", UsageTerms.WHOLE, Role.PART),
  ALLOCATION("gpu_allocation_info", 1, Role.SHARER);

  /** Roles of the series of a metric. */
  enum Role {
    /** The value of a device. */
    GAUGE,
    /** A counter of a device. */
    COUNTER,
    /** The part of a device's value that one process or container has. */
    PART,
    /** One of those that a device is divided among. */
    SHARER
  }

  /** Above it, sums could overflow; nothing that is measured of a GPU has so much. */
  static final double MAX_GAUGE = 9e12;

  static final double MAX_COUNTER = 9e18;

  private static final Map<String, Measure> BY_METRIC =
      Arrays.stream(values()).collect(Collectors.toMap(each -> each.metric, Function.identity()));

  final String metric;

  /** One unit of the metric's values in whole numbers. */
  final double scale;

  final Role role;

  Measure(String metric, double scale, Role role) {
    this.metric = metric;
    this.scale = scale;
    this.role = role;
  }

  /** Null if usage is not made of the series. */
  static Measure of(Labels series) {
    Measure measure = BY_METRIC.get(series.metric());
    boolean isMeant =
        switch (measure) {
          case null -> false;
          // Links are parts of their GPU's traffic.
          case NVLINK -> series.value("nvlink").isEmpty();
          // What processes show, or what was configured, gives nobody a GPU.
          case ALLOCATION -> series.value("basis").equals("allocation");
          default -> true;
        };
    return isMeant ? measure : null;
  }

  /** True if a GPU has it as a whole, even if series say of which instance it is. */
  boolean isOfGpu() {
    return switch (this) {
      case POWER, POWER_LIMIT, ENERGY, ENERGY_JOULES, NVLINK, PCIE -> true;
      default -> false;
    };
  }

  /** The amount of a counter. */
  Amount amount() {
    return switch (this) {
      case ENERGY, ENERGY_JOULES -> Amount.ENERGY;
      case NVLINK -> Amount.NVLINK;
      case PCIE -> Amount.PCIE;
      case CPU -> Amount.CPU;
      case IO -> Amount.IO;
      default -> throw new IllegalStateException(this + " is no counter");
    };
  }

  /** Samples as whole numbers; {@link Track#NOTHING} for what cannot be one. */
  long[] wholes(double[] samples) {
    double most = role == Role.COUNTER ? MAX_COUNTER : MAX_GAUGE;
    long[] wholes = new long[samples.length];
    for (int i = 0; i < wholes.length; i++) {
      double scaled = samples[i] * scale;
      long whole = (long) scaled; // most are
      whole = whole == scaled ? whole : Math.round(scaled);
      wholes[i] = scaled >= 0 && scaled <= most ? whole : Track.NOTHING;
    }
    return wholes;
  }
}
