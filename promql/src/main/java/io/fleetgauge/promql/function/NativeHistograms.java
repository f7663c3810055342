package io.fleetgauge.promql.function;

import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Staleness;

/**
 * Functions of native histograms. Operators that only select, sort, count or relabel accept native
 * histograms; arithmetic with them fails with an error that names the operation.
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
