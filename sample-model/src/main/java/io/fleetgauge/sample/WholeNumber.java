package io.fleetgauge.sample;

/** Doubles that can travel as integers and come back with the same bits. */
public final class WholeNumber {
  private static final double MAX = 9007199254740992.0; // 2^53

  private WholeNumber() {}

  /** Without fraction, up to 2^53, and not negative zero. */
  public static boolean is(double value) {
    return value == Math.rint(value)
        && Math.abs(value) <= MAX
        && !(value == 0 && Double.doubleToRawLongBits(value) != 0);
  }
}
