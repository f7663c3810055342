package io.fleetgauge.sample.gpu;

import java.util.Locale;

/**
 * An event of a GPU, and the metric whose values show it: the catalogue for faults at the probe,
 * for annotations and for bundled rules.
 */
public enum GpuEvent {
  /** The GPU reports another XID than before. */
  XID("DCGM_FI_DEV_XID_ERRORS"),
  /** The clocks of the GPU are reduced, for a reason other than idleness or a setting. */
  THROTTLE("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS"),
  /** The driver has lost the GPU, or does not count it any more. */
  GPU_LOST("gpu_lost"),
  /** A driver call has not returned for a minute. */
  DRIVER_HUNG("gpu_probe_driver_responsive"),
  /** The count of uncorrectable ECC errors rose. */
  ECC_UNCORRECTED("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL"),
  /** A row of memory could not be remapped. */
  ROW_REMAP_FAILURE("DCGM_FI_DEV_ROW_REMAP_FAILURE"),
  /** The driver asks for a recovery. */
  RECOVERY_ACTION("DCGM_FI_DEV_GPU_RECOVERY_ACTION");

  private final String metric;
  private final String text = name().toLowerCase(Locale.ROOT);

  GpuEvent(String metric) {
    this.metric = GpuMetrics.of(metric).name();
  }

  /** The metric whose values show it. */
  public String metric() {
    return metric;
  }

  /** Its name in series, files and responses. */
  public String text() {
    return text;
  }

  /**
   * Returns true if a value of the metric shows it.
   *
   * @param before the value before, of the same GPU
   */
  public boolean isShown(double before, double now) {
    return switch (this) {
      case XID -> now != before && now != 0;
      case THROTTLE -> ClockReason.isThrottled((long) now);
      case DRIVER_HUNG -> now < before;
      case GPU_LOST, ECC_UNCORRECTED, ROW_REMAP_FAILURE, RECOVERY_ACTION -> now > before;
    };
  }
}
