package io.fleetgauge.probe.gpu.snapshot;

/**
 * A metric of a GPU that is read every second: kept of the last minutes, or because it shows a
 * fault.
 */
public enum QuickMetric {
  POWER("DCGM_FI_DEV_POWER_USAGE", 1, "gpu_recent_power_watts"),
  SM_CLOCK("DCGM_FI_DEV_SM_CLOCK", 1, "gpu_recent_sm_clock_megahertz"),
  UTILIZATION("DCGM_FI_DEV_GPU_UTIL", 100, "gpu_recent_utilization_ratio"),
  TENSOR("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", 1, "gpu_recent_tensor_active_ratio"),
  PCIE_TX("DCGM_FI_PROF_PCIE_TX_BYTES", 1, "gpu_recent_pcie_tx_bytes_per_second"),
  PCIE_RX("DCGM_FI_PROF_PCIE_RX_BYTES", 1, "gpu_recent_pcie_rx_bytes_per_second"),
  NVLINK_TX("DCGM_FI_PROF_NVLINK_TX_BYTES", 1, "gpu_recent_nvlink_tx_bytes_per_second"),
  NVLINK_RX("DCGM_FI_PROF_NVLINK_RX_BYTES", 1, "gpu_recent_nvlink_rx_bytes_per_second"),
  ECC_UNCORRECTED("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", 1, ""),
  ROW_REMAP_FAILURE("DCGM_FI_DEV_ROW_REMAP_FAILURE", 1, ""),
  RECOVERY_ACTION("DCGM_FI_DEV_GPU_RECOVERY_ACTION", 1, "");

  private static final QuickMetric[] ALL = values();

  private final String metric;
  private final double divisor;
  private final String series;

  QuickMetric(String metric, double divisor, String series) {
    this.metric = metric;
    this.divisor = divisor;
    this.series = series;
  }

  /** The metric that it is when it is kept; empty for what only shows a fault. */
  public String series() {
    return series;
  }

  /** The metric that it is read as. */
  public String metric() {
    return metric;
  }

  /** The divisor of the metric for the unit of the series. */
  public double divisor() {
    return divisor;
  }

  /** That which is read as a metric; null for none. */
  public static QuickMetric readAs(String metric) {
    for (QuickMetric one : ALL) {
      if (one.metric.equals(metric)) {
        return one;
      }
    }
    return null;
  }
}
