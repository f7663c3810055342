package io.fleetgauge.probe.nvml;

/**
 * What is read of a GPU; the constants are the names of the metrics, which {@link
 * io.fleetgauge.sample.prometheus.KnownMetrics} explains.
 */
public enum GpuMetric {
  DCGM_FI_DEV_GPU_UTIL,
  DCGM_FI_DEV_MEM_COPY_UTIL,
  DCGM_FI_DEV_FB_USED,
  DCGM_FI_DEV_FB_FREE,
  DCGM_FI_DEV_FB_RESERVED,
  DCGM_FI_DEV_FB_TOTAL,
  DCGM_FI_DEV_POWER_USAGE,
  DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION,
  DCGM_FI_DEV_GPU_TEMP,
  DCGM_FI_DEV_SM_CLOCK,
  DCGM_FI_DEV_MEM_CLOCK
}
