package io.fleetgauge.sample.gpu;

import java.util.Locale;

/** Reasons why the clocks of a GPU are reduced: the bits of the driver's mask, from the lowest. */
public enum ClockReason {
  GPU_IDLE(false),
  CLOCKS_SETTING(false),
  POWER_CAP(true),
  HW_SLOWDOWN(true),
  SYNC_BOOST(true),
  SW_THERMAL(true),
  HW_THERMAL(true),
  HW_POWER_BRAKE(true),
  DISPLAY_CLOCKS(false);

  private final boolean isThrottling;
  private final String text = name().toLowerCase(Locale.ROOT);

  ClockReason(boolean isThrottling) {
    this.isThrottling = isThrottling;
  }

  /** The value of the label {@code reason}: dcgm-exporter's name. */
  public String text() {
    return text;
  }

  /** Returns true if it is neither idleness nor a setting. */
  public boolean isThrottling() {
    return isThrottling;
  }

  /**
   * Returns true if any reason of a mask throttles the GPU; one that is not known does.
   *
   * @param mask as {@code DCGM_FI_DEV_CLOCK_THROTTLE_REASONS} has it
   */
  public static boolean isThrottled(long mask) {
    long others = mask;
    for (ClockReason reason : values()) {
      if (!reason.isThrottling) {
        others &= ~(1L << reason.ordinal());
      }
    }
    return others != 0;
  }
}
