package io.fleetgauge.promql.kernel;

import io.fleetgauge.sample.Staleness;

/** Arithmetic and comparison of columns; an absent operand gives an absent result. */
public final class Arithmetic {
  private Arithmetic() {}

  public static void add(double[] left, double[] right, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = present(left[i], right[i]) ? left[i] + right[i] : Staleness.MARKER;
    }
  }

  public static void subtract(double[] left, double[] right, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = present(left[i], right[i]) ? left[i] - right[i] : Staleness.MARKER;
    }
  }

  public static void multiply(double[] left, double[] right, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = present(left[i], right[i]) ? left[i] * right[i] : Staleness.MARKER;
    }
  }

  public static void divide(double[] left, double[] right, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = present(left[i], right[i]) ? left[i] / right[i] : Staleness.MARKER;
    }
  }

  /** The sign is the dividend's, as C's fmod has it. */
  public static void modulo(double[] left, double[] right, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = present(left[i], right[i]) ? left[i] % right[i] : Staleness.MARKER;
    }
  }

  public static void power(double[] left, double[] right, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = present(left[i], right[i]) ? power(left[i], right[i]) : Staleness.MARKER;
    }
  }

  /** As IEEE 754 recommends and Go does: 1 to any power, and -1 to an infinite one, is 1. */
  static double power(double base, double exponent) {
    if (base == 1 || base == -1 && Double.isInfinite(exponent)) {
      return 1;
    }
    return Math.pow(base, exponent);
  }

  public static void atan2(double[] left, double[] right, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = present(left[i], right[i]) ? Math.atan2(left[i], right[i]) : Staleness.MARKER;
    }
  }

  public static void negate(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : -in[i];
    }
  }

  /** 1 where equal, 0 where not. */
  public static void equal(double[] left, double[] right, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = present(left[i], right[i]) ? left[i] == right[i] ? 1 : 0 : Staleness.MARKER;
    }
  }

  /** 1 where not equal, 0 where equal; NaN is not equal to itself. */
  public static void notEqual(double[] left, double[] right, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = present(left[i], right[i]) ? left[i] != right[i] ? 1 : 0 : Staleness.MARKER;
    }
  }

  /** 1 where left is less, 0 where not. */
  public static void less(double[] left, double[] right, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = present(left[i], right[i]) ? left[i] < right[i] ? 1 : 0 : Staleness.MARKER;
    }
  }

  /** 1 where left is less or equal, 0 where not. */
  public static void lessOrEqual(double[] left, double[] right, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = present(left[i], right[i]) ? left[i] <= right[i] ? 1 : 0 : Staleness.MARKER;
    }
  }

  /** Keeps a value where {@code test} is 1, else makes the step absent. */
  public static void filter(double[] values, double[] test, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = test[i] == 1 ? values[i] : Staleness.MARKER;
    }
  }

  private static boolean present(double left, double right) {
    return !Columns.isAbsent(left) && !Columns.isAbsent(right);
  }
}
