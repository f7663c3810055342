package io.fleetgauge.promql.kernel;

import io.fleetgauge.sample.Staleness;

/** Functions of one number on columns; an absent step stays absent. */
public final class Maths {
  private static final double LN_2 = Math.log(2);

  private Maths() {}

  public static void abs(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : Math.abs(in[i]);
    }
  }

  public static void ceil(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : Math.ceil(in[i]);
    }
  }

  public static void floor(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : Math.floor(in[i]);
    }
  }

  public static void exp(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : Math.exp(in[i]);
    }
  }

  public static void sqrt(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : Math.sqrt(in[i]);
    }
  }

  public static void ln(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : Math.log(in[i]);
    }
  }

  public static void log2(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : log2(in[i]);
    }
  }

  public static void log10(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : Math.log10(in[i]);
    }
  }

  /** -1 or 1; zeros and NaN are unchanged. */
  public static void sgn(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : Math.signum(in[i]);
    }
  }

  public static void sin(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : Math.sin(in[i]);
    }
  }

  public static void cos(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : Math.cos(in[i]);
    }
  }

  public static void tan(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : Math.tan(in[i]);
    }
  }

  public static void asin(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : Math.asin(in[i]);
    }
  }

  public static void acos(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : Math.acos(in[i]);
    }
  }

  public static void atan(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : Math.atan(in[i]);
    }
  }

  public static void sinh(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : Math.sinh(in[i]);
    }
  }

  public static void cosh(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : Math.cosh(in[i]);
    }
  }

  public static void tanh(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : Math.tanh(in[i]);
    }
  }

  public static void asinh(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : asinh(in[i]);
    }
  }

  public static void acosh(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : acosh(in[i]);
    }
  }

  public static void atanh(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : atanh(in[i]);
    }
  }

  /** Radians as degrees. */
  public static void deg(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : in[i] * 180 / Math.PI;
    }
  }

  /** Degrees as radians. */
  public static void rad(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : in[i] * Math.PI / 180;
    }
  }

  /**
   * To the nearest multiple of {@code to}, ties up; by the inverse of {@code to}, as Prometheus.
   */
  public static void round(double[] in, double[] to, double[] out) {
    for (int i = 0; i < out.length; i++) {
      double inverse = 1 / to[i];
      out[i] =
          Columns.isAbsent(in[i]) ? Staleness.MARKER : Math.floor(in[i] * inverse + 0.5) / inverse;
    }
  }

  /** Not below {@code min}. */
  public static void clampMin(double[] in, double[] min, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : max(min[i], in[i]);
    }
  }

  /** Not above {@code max}. */
  public static void clampMax(double[] in, double[] max, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : min(max[i], in[i]);
    }
  }

  /** Between {@code min} and {@code max}; absent where {@code min} is above {@code max}. */
  public static void clamp(double[] in, double[] min, double[] max, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] =
          Columns.isAbsent(in[i]) || max[i] < min[i]
              ? Staleness.MARKER
              : max(min[i], min(max[i], in[i]));
    }
  }

  /** As in Go: +Inf is greater than NaN too. */
  private static double max(double a, double b) {
    return a == Double.POSITIVE_INFINITY || b == Double.POSITIVE_INFINITY
        ? Double.POSITIVE_INFINITY
        : Math.max(a, b);
  }

  /** As in Go: -Inf is less than NaN too. */
  private static double min(double a, double b) {
    return a == Double.NEGATIVE_INFINITY || b == Double.NEGATIVE_INFINITY
        ? Double.NEGATIVE_INFINITY
        : Math.min(a, b);
  }

  /** Exact for powers of two, which ln(x) / ln(2) is not. */
  static double log2(double x) {
    if (!(x > 0) || Double.isInfinite(x)) {
      return Math.log(x);
    }
    int exponent = Math.getExponent(x);
    if (exponent < Double.MIN_EXPONENT) {
      exponent = Math.getExponent(x * 0x1p54) - 54;
    }
    double fraction = Math.scalb(x, -exponent);
    return fraction == 1 ? exponent : exponent + Math.log(fraction) / LN_2;
  }

  /** Uses log1p: small arguments keep their precision, and large ones do not overflow. */
  static double asinh(double x) {
    double a = Math.abs(x);
    double result;
    if (a > 0x1p28) {
      result = Math.log(a) + LN_2;
    } else {
      result = Math.log1p(a + a * a / (1 + Math.sqrt(1 + a * a)));
    }
    return Math.copySign(result, x);
  }

  static double acosh(double x) {
    if (x < 1) {
      return Double.NaN;
    }
    if (x > 0x1p28) {
      return Math.log(x) + LN_2;
    }
    double t = x - 1;
    return Math.log1p(t + Math.sqrt(2 * t + t * t));
  }

  static double atanh(double x) {
    double a = Math.abs(x);
    double result = 0.5 * Math.log1p(2 * a / (1 - a));
    return a > 1 ? Double.NaN : Math.copySign(result, x);
  }
}
