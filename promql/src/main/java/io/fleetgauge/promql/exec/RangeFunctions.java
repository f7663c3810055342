package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.kernel.Columns;
import io.fleetgauge.promql.kernel.Windows;
import io.fleetgauge.promql.syntax.Function;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;

/** One function over a window of each series: one pass over a series for all steps. */
final class RangeFunctions {
  private final Function function;
  private final long[] windowEnds;
  private final long range;
  private final long[] times;
  private final double[] parameter;

  /**
   * @param windowEnds where the window ends at each step, ms, ascending or all equal
   * @param range length of the window, ms
   * @param times the steps, ms
   * @param parameter the function's scalar at each step; null when it has none
   */
  RangeFunctions(
      Function function, long[] windowEnds, long range, long[] times, double[] parameter) {
    this.function = function;
    this.windowEnds = windowEnds;
    this.range = range;
    this.times = times;
    this.parameter = parameter;
  }

  /** Whether this function is evaluated; the others are not yet. */
  static boolean knows(Function function) {
    return switch (function) {
      case RATE,
          INCREASE,
          DELTA,
          IRATE,
          IDELTA,
          CHANGES,
          RESETS,
          DERIV,
          PREDICT_LINEAR,
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

  /** Whether a name that is not a counter's is remarked on; of irate, 3.5 says nothing. */
  static boolean wantsCounter(Function function) {
    return function == Function.RATE || function == Function.INCREASE;
  }

  private static int fewestSamples(Function function) {
    return switch (function) {
      case RATE, INCREASE, DELTA, IRATE, IDELTA, DERIV, PREDICT_LINEAR -> 2;
      default -> 1;
    };
  }

  /** The function at each step, absent where the window has too few samples. */
  double[] apply(Series series) {
    long[] sampleTimes = new long[series.size()];
    double[] values = new double[series.size()];
    int size = withoutMarkers(series, sampleTimes, values);
    double[] scratch = function == Function.QUANTILE_OVER_TIME ? new double[size] : null;
    int fewest = fewestSamples(function);
    double[] out = new double[windowEnds.length];
    int from = 0;
    int to = 0;
    for (int i = 0; i < out.length; i++) {
      long end = windowEnds[i];
      while (to < size && sampleTimes[to] <= end) {
        to++;
      }
      while (from < to && sampleTimes[from] <= end - range) {
        from++;
      }
      out[i] =
          to - from < fewest ? Staleness.MARKER : at(i, sampleTimes, values, from, to, scratch);
    }
    return out;
  }

  private double at(
      int step, long[] sampleTimes, double[] values, int from, int to, double[] scratch) {
    long end = windowEnds[step];
    return switch (function) {
      case RATE -> Windows.rate(sampleTimes, values, from, to, end - range, end);
      case INCREASE -> Windows.increase(sampleTimes, values, from, to, end - range, end);
      case DELTA -> Windows.delta(sampleTimes, values, from, to, end - range, end);
      case IRATE -> Windows.lastRate(sampleTimes, values, to);
      case IDELTA -> values[to - 1] - values[to - 2];
      case CHANGES -> Windows.changes(values, from, to);
      case RESETS -> Windows.resets(values, from, to);
      case DERIV -> Windows.slope(sampleTimes, values, from, to);
      case PREDICT_LINEAR ->
          Windows.forecast(sampleTimes, values, from, to, times[step], parameter[step]);
      case AVG_OVER_TIME -> Windows.avg(values, from, to);
      case COUNT_OVER_TIME -> to - from;
      case LAST_OVER_TIME -> values[to - 1];
      case MAX_OVER_TIME -> Windows.max(values, from, to);
      case MIN_OVER_TIME -> Windows.min(values, from, to);
      case STDDEV_OVER_TIME -> Math.sqrt(Windows.variance(values, from, to));
      case STDVAR_OVER_TIME -> Windows.variance(values, from, to);
      case SUM_OVER_TIME -> Windows.sum(values, from, to);
      case PRESENT_OVER_TIME, ABSENT_OVER_TIME -> 1;
      case QUANTILE_OVER_TIME -> Windows.quantile(parameter[step], values, from, to, scratch);
      default -> throw new IllegalStateException(function.text());
    };
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
