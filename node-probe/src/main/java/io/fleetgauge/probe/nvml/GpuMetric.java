package io.fleetgauge.probe.nvml;

import io.fleetgauge.sample.prometheus.TextExposition.Family;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/** What is read of a GPU; the constants are the names of the metrics. */
public enum GpuMetric {
  DCGM_FI_DEV_GPU_UTIL("gauge", "Share of time in which a kernel was running, percent."),
  DCGM_FI_DEV_MEM_COPY_UTIL("gauge", "Share of time with memory traffic, percent."),
  DCGM_FI_DEV_FB_USED("gauge", "Frame buffer in use, MiB."),
  DCGM_FI_DEV_FB_FREE("gauge", "Frame buffer that is free, MiB."),
  DCGM_FI_DEV_FB_RESERVED("gauge", "Frame buffer that the driver reserves, MiB."),
  DCGM_FI_DEV_FB_TOTAL("gauge", "Frame buffer in all, MiB."),
  DCGM_FI_DEV_POWER_USAGE("gauge", "Power draw of the board, watts."),
  DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION(
      "counter", "Energy since the driver was loaded, millijoules."),
  DCGM_FI_DEV_GPU_TEMP("gauge", "Temperature of the die, degrees Celsius."),
  DCGM_FI_DEV_SM_CLOCK("gauge", "SM clock, MHz."),
  DCGM_FI_DEV_MEM_CLOCK("gauge", "Memory clock, MHz.");

  private final Family family;

  GpuMetric(String type, String help) {
    this.family = new Family(type, help);
  }

  /** Type and help by metric name. */
  public static Map<String, Family> families() {
    return Arrays.stream(values()).collect(Collectors.toMap(Enum::name, metric -> metric.family));
  }
}
