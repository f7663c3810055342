package io.fleetgauge.sample.gpu;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Codes of XIDs by what they call for, after NVIDIA's catalog of XID errors. */
public enum XidClass {
  /** The GPU or its node has to be drained. */
  DRAIN(
      46, 48, 54, 62, 64, 74, 79, 95, 109, 110, 119, 120, 136, 140, 143, 144, 145, 146, 147, 148,
      149, 150, 155, 157, 158, 161, 167, 169, 171, 172, 173),
  /** The same may be true: such an error is a fault, and nobody is alerted because of it alone. */
  SERIOUS(123, 156, 165, 166),
  /** An exception of the application, or of the GPU if several jobs have it. */
  EXCEPTION(13, 31),
  /** Another error that mostly comes from the application. */
  APPLICATION(43, 45, 94);

  /** The GPU has fallen off the bus. */
  public static final int OFF_THE_BUS = 79;

  private static final int[] CRITICAL =
      Stream.of(DRAIN, SERIOUS)
          .flatMap(each -> each.codes.stream())
          .sorted()
          .mapToInt(Integer::intValue)
          .toArray();

  private final List<Integer> codes;

  XidClass(Integer... codes) {
    this.codes = List.of(codes);
  }

  /** In ascending order. */
  public List<Integer> codes() {
    return codes;
  }

  /** Codes after which a GPU or its node has to be drained, or may have to, in ascending order. */
  public static int[] critical() {
    return CRITICAL.clone();
  }

  /** Returns true if a code is one of {@link #critical}. */
  public static boolean isCritical(int code) {
    return Arrays.binarySearch(CRITICAL, code) >= 0;
  }
}
