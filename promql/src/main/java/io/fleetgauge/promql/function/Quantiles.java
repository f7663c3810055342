package io.fleetgauge.promql.function;

import io.fleetgauge.promql.expr.TextSpan;
import io.fleetgauge.promql.query.Annotations;
import io.fleetgauge.sample.prometheus.Numbers;

/** Annotations about quantiles outside 0 to 1. */
public final class Quantiles {
  private Quantiles() {}

  public static boolean isOne(double quantile) {
    return quantile >= 0 && quantile <= 1;
  }

  public static void warn(double quantile, TextSpan span, Annotations annotations) {
    if (!isOne(quantile)) {
      annotations.warn(
          "quantile value should be between 0 and 1, got " + Numbers.general(quantile), span);
    }
  }

  /** Warns of the parameter of an aggregation: its extremes over all steps, and NaN. */
  public static void warn(double[] quantiles, TextSpan span, Annotations annotations) {
    for (double quantile : quantiles) {
      if (Double.isNaN(quantile)) {
        warn(quantile, span, annotations);
      }
    }
    double max = max(quantiles);
    double min = min(quantiles);
    if (max > 1) {
      warn(max, span, annotations);
    }
    if (min < 0) {
      warn(min, span, annotations);
    }
  }

  /** As Go's: +Inf if there is one, else NaN if there is one. */
  public static double max(double[] values) {
    double max = Double.NEGATIVE_INFINITY;
    for (double value : values) {
      if (value == Double.POSITIVE_INFINITY) {
        return value;
      }
      max = Math.max(max, value);
    }
    return max;
  }

  /** As Go's: -Inf if there is one, else NaN if there is one. */
  public static double min(double[] values) {
    double min = Double.POSITIVE_INFINITY;
    for (double value : values) {
      if (value == Double.NEGATIVE_INFINITY) {
        return value;
      }
      min = Math.min(min, value);
    }
    return min;
  }
}
