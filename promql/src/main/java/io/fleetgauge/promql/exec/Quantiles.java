package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.syntax.Span;
import io.fleetgauge.sample.prometheus.Numbers;

/** What is said of quantiles that are none. */
final class Quantiles {
  private Quantiles() {}

  static boolean isOne(double quantile) {
    return quantile >= 0 && quantile <= 1;
  }

  static void warn(double quantile, Span span, Annotations annotations) {
    if (!isOne(quantile)) {
      annotations.warn(
          "quantile value should be between 0 and 1, got " + Numbers.text(quantile), span);
    }
  }

  /** Of the parameter of an aggregation: its extremes over all steps, and NaN. */
  static void warn(double[] quantiles, Span span, Annotations annotations) {
    double min = Double.POSITIVE_INFINITY;
    double max = Double.NEGATIVE_INFINITY;
    for (double quantile : quantiles) {
      if (Double.isNaN(quantile)) {
        warn(quantile, span, annotations);
      } else {
        min = Math.min(min, quantile);
        max = Math.max(max, quantile);
      }
    }
    if (max > 1) {
      warn(max, span, annotations);
    }
    if (min < 0) {
      warn(min, span, annotations);
    }
  }
}
