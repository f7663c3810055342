package io.fleetgauge.sample.gpu;

import java.util.List;

/** Codes of XIDs by what they call for, after NVIDIA's catalog of XID errors. */
public enum XidClass {
  /** The GPU or its node has to be drained: a fault, and an alert. */
  CRITICAL(
      46, 48, 54, 62, 64, 74, 79, 95, 109, 110, 119, 120, 123, 136, 140, 143, 144, 145, 146, 147,
      148, 149, 150, 155, 156, 157, 158, 161, 165, 166, 167, 169, 171, 172, 173),
  /** An exception of the application, or of the GPU if several jobs have it. */
  EXCEPTION(13, 31),
  /** Another error that mostly comes from the application. */
  APPLICATION(43, 45, 94);

  /** The GPU has fallen off the bus. */
  public static final int OFF_THE_BUS = 79;

  private final List<Integer> codes;

  XidClass(Integer... codes) {
    this.codes = List.of(codes);
  }

  /** In ascending order. */
  public List<Integer> codes() {
    return codes;
  }

  /** Returns true if a code is one of {@link #CRITICAL}. */
  public static boolean isCritical(int code) {
    return CRITICAL.codes.contains(code);
  }
}
