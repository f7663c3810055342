package io.fleetgauge.promql.lookup;

import io.fleetgauge.sample.Labels;
import java.util.List;

/** Newest samples reduced by groups: metrics with the same grouping labels share their groups. */
public record MetricReductions(List<String> by, List<Labels> groups, List<OfMetric> metrics) {
  /**
   * One metric; a place in each array for a group. Where the count is 0 the metric has none of it.
   *
   * @param carries what the sums have lost to rounding
   * @param newest time of the newest sample, ms
   */
  public record OfMetric(
      String metric,
      long[] counts,
      double[] sums,
      double[] carries,
      double[] mins,
      double[] maxs,
      long[] newest) {

    /** A metric that none of so many groups has yet. */
    public static OfMetric empty(String metric, int groups) {
      return new OfMetric(
          metric,
          new long[groups],
          new double[groups],
          new double[groups],
          new double[groups],
          new double[groups],
          new long[groups]);
    }
  }
}
