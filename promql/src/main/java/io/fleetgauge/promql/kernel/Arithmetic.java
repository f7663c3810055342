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

  /** The remainder has the sign of the dividend, as in C's fmod. */
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

  /**
   * A power, equal to Go's to the last digit. The integer part of the exponent is computed by
   * repeated squaring of the mantissa; the binary exponent is kept separately. {@link Math#pow} is
   * more accurate and would differ in the last digit of large powers. The special cases are those
   * of IEEE 754: 1 to any power, any base to the power 0, and -1 to an infinite power, are 1.
   */
  static double power(double base, double exponent) {
    double whole = Math.rint(Math.abs(exponent));
    boolean special =
        base == 0
            || exponent == 0
            || base == 1
            || !(Math.abs(base) <= Double.MAX_VALUE)
            || !(Math.abs(exponent) < 1L << 53)
            || base < 0 && exponent != Math.rint(exponent);
    if (special) {
      boolean one = base == 1 || base == -1 && Double.isInfinite(exponent);
      return one ? 1 : Math.pow(base, exponent);
    }
    if (Math.abs(exponent) == 0.5) {
      return exponent > 0 ? Math.sqrt(base) : 1 / Math.sqrt(base);
    }
    // A fraction of exactly one half rounds down, as in Go.
    if (whole - Math.abs(exponent) == 0.5) {
      whole -= 1;
    }
    double rest = Math.abs(exponent) - whole;
    double mantissa = rest == 0 ? 1 : Math.exp(rest * Math.log(base));
    long scale = 0;
    long factorScale = binaryScale(base);
    double square = Math.scalb(base, (int) -factorScale);
    for (long bits = (long) whole; bits != 0; bits >>= 1) {
      if (factorScale < -4096 || factorScale > 4096) {
        scale += factorScale;
        break;
      }
      if ((bits & 1) == 1) {
        mantissa *= square;
        scale += factorScale;
      }
      square *= square;
      factorScale <<= 1;
      if (square < 0.5) {
        square += square;
        factorScale--;
      }
    }
    if (exponent < 0) {
      mantissa = 1 / mantissa;
      scale = -scale;
    }
    return Math.scalb(mantissa, Math.clamp(scale, -5_000, 5_000));
  }

  /** The e for which {@code 2^(e-1) <= |value| < 2^e}. */
  private static int binaryScale(double value) {
    return Math.getExponent(value) < Double.MIN_EXPONENT
        ? Math.getExponent(value * 0x1p54) + 1 - 54
        : Math.getExponent(value) + 1;
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

  /** Keeps a value where {@code test} is 1; the other steps become absent. */
  public static void filter(double[] values, double[] test, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = test[i] == 1 ? values[i] : Staleness.MARKER;
    }
  }

  private static boolean present(double left, double right) {
    return !Columns.isAbsent(left) && !Columns.isAbsent(right);
  }
}
