package io.fleetgauge.promql.function;

import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Staleness;

/**
 * What is computed from native histograms. They pass through whatever only selects, orders, counts
 * or relabels; arithmetic of them is refused by name and not answered wrongly.
 */
public final class NativeHistograms {
  private NativeHistograms() {}

  public static QueryFailure notYet(String what) {
    return new QueryFailure(
        QueryFailure.Kind.EXECUTION, what + " of native histograms is not supported yet");
  }

  /** Fails if a column has histograms. */
  public static void refuse(Column column, String what) throws QueryFailure {
    if (column.histograms() != null) {
      throw notYet(what);
    }
  }

  /** One number of a histogram. */
  @FunctionalInterface
  public interface Reading {
    double of(Histogram histogram);
  }

  /** One number for each histogram of a column. */
  public static Column apply(Reading reading, Column column) {
    double[] out = new double[column.steps()];
    for (int i = 0; i < out.length; i++) {
      Histogram histogram = column.histograms()[i];
      out[i] = histogram == null ? Staleness.MARKER : reading.of(histogram);
    }
    return column.with(out);
  }
}
