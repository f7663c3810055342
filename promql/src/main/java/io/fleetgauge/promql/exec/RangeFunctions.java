package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.kernel.Columns;
import io.fleetgauge.promql.kernel.Windows;
import io.fleetgauge.promql.syntax.Function;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;

/** Functions over a window of each series: one pass over the series for all steps. */
final class RangeFunctions {
  private RangeFunctions() {}

  static boolean knows(Function function) {
    return switch (function) {
      case RATE,
          INCREASE,
          AVG_OVER_TIME,
          COUNT_OVER_TIME,
          LAST_OVER_TIME,
          MAX_OVER_TIME,
          MIN_OVER_TIME,
          STDDEV_OVER_TIME,
          STDVAR_OVER_TIME,
          SUM_OVER_TIME,
          PRESENT_OVER_TIME,
          ABSENT_OVER_TIME,
          QUANTILE_OVER_TIME ->
          true;
      default -> false;
    };
  }

  /**
   * @param windowEnds where the window ends at each step, ms, ascending or all equal
   * @param quantiles the parameter at each step; only for {@link Function#QUANTILE_OVER_TIME}
   */
  static double[] apply(
      Function function, Series series, long[] windowEnds, long range, double[] quantiles) {
    long[] times = new long[series.size()];
    double[] values = new double[series.size()];
    int size = withoutMarkers(series, times, values);
    double[] scratch = quantiles == null ? null : new double[size];
    double[] out = new double[windowEnds.length];
    int from = 0;
    int to = 0;
    for (int i = 0; i < out.length; i++) {
      long end = windowEnds[i];
      while (to < size && times[to] <= end) {
        to++;
      }
      while (from < to && times[from] <= end - range) {
        from++;
      }
      out[i] =
          from == to
              ? Staleness.MARKER
              : switch (function) {
                case RATE ->
                    to - from < 2
                        ? Staleness.MARKER
                        : Windows.rate(times, values, from, to, end - range, end);
                case INCREASE ->
                    to - from < 2
                        ? Staleness.MARKER
                        : Windows.increase(times, values, from, to, end - range, end);
                case AVG_OVER_TIME -> Windows.avg(values, from, to);
                case COUNT_OVER_TIME -> to - from;
                case LAST_OVER_TIME -> values[to - 1];
                case MAX_OVER_TIME -> Windows.max(values, from, to);
                case MIN_OVER_TIME -> Windows.min(values, from, to);
                case STDDEV_OVER_TIME -> Math.sqrt(Windows.variance(values, from, to));
                case STDVAR_OVER_TIME -> Windows.variance(values, from, to);
                case SUM_OVER_TIME -> Windows.sum(values, from, to);
                case PRESENT_OVER_TIME, ABSENT_OVER_TIME -> 1;
                case QUANTILE_OVER_TIME ->
                    Windows.quantile(quantiles[i], values, from, to, scratch);
                default -> throw new IllegalStateException(function.text());
              };
    }
    return out;
  }

  private static int withoutMarkers(Series series, long[] times, double[] values) {
    int size = 0;
    for (int i = 0; i < series.size(); i++) {
      double value = series.values()[i];
      if (!Columns.isAbsent(value)) {
        times[size] = series.times()[i];
        values[size++] = value;
      }
    }
    return size;
  }
}
