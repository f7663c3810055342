package io.fleetgauge.promql.function;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Function;
import io.fleetgauge.promql.expr.Span;
import io.fleetgauge.promql.expr.ValueType;
import io.fleetgauge.promql.kernel.EdgeWindows;
import io.fleetgauge.promql.kernel.Windows;
import io.fleetgauge.promql.query.Annotations;
import io.fleetgauge.promql.query.Budget;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** One function over a window of each series: one pass over a series for all steps. */
public final class RangeFunctions {
  private final Function function;
  private final Grid grid;
  private final long[] windowEnds;
  private final long range;
  private final long lookback;
  private final Expr.Edges edges;
  private final List<double[]> parameters;
  private final Span argument;
  private final Span firstArgument;
  private final Budget budget;
  private final Annotations annotations;

  /**
   * @param range the argument that is a range vector
   * @param parameters the function's scalars, in order, each with a value for each step
   */
  public RangeFunctions(
      Query query,
      Expr.Call call,
      Expr range,
      Grid grid,
      List<double[]> parameters,
      Budget budget,
      Annotations annotations)
      throws QueryFailure {
    this.function = call.function();
    this.grid = grid;
    this.parameters = parameters;
    this.budget = budget;
    this.annotations = annotations;
    this.firstArgument = call.arguments().getFirst().span();
    // Of a subquery, Prometheus has lost the place when it says something, and names the first.
    this.argument =
        range instanceof Expr.Subquery
            ? Span.NONE
            : call.arguments().stream()
                .filter(candidate -> candidate.type() == ValueType.MATRIX)
                .findFirst()
                .orElseThrow()
                .span();
    Expr.Shift shift;
    switch (range) {
      case Expr.Window window -> {
        this.range = window.range();
        this.edges = window.selector().edges();
        shift = window.selector().shift();
      }
      case Expr.Subquery subquery -> {
        this.range = subquery.range();
        this.edges = Expr.Edges.PLAIN;
        shift = subquery.shift();
      }
      default -> throw new IllegalStateException("not a range vector: " + range);
    }
    this.lookback = query.settings().lookback();
    this.windowEnds = new long[grid.size()];
    for (int i = 0; i < windowEnds.length; i++) {
      windowEnds[i] = Grid.lookAt(query, shift, grid.time(i));
    }
    checkEdges();
  }

  public static boolean knows(Function function) {
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
          DOUBLE_EXPONENTIAL_SMOOTHING,
          AVG_OVER_TIME,
          COUNT_OVER_TIME,
          FIRST_OVER_TIME,
          LAST_OVER_TIME,
          MAD_OVER_TIME,
          MAX_OVER_TIME,
          MIN_OVER_TIME,
          STDDEV_OVER_TIME,
          STDVAR_OVER_TIME,
          SUM_OVER_TIME,
          PRESENT_OVER_TIME,
          ABSENT_OVER_TIME,
          QUANTILE_OVER_TIME,
          TS_OF_FIRST_OVER_TIME,
          TS_OF_LAST_OVER_TIME,
          TS_OF_MAX_OVER_TIME,
          TS_OF_MIN_OVER_TIME ->
          true;
      default -> false;
    };
  }

  /** Whether the results are still samples of the metric. */
  public boolean keepsName() {
    return function == Function.LAST_OVER_TIME || function == Function.FIRST_OVER_TIME;
  }

  private void checkEdges() throws QueryFailure {
    List<Function> allowed =
        switch (edges) {
          case PLAIN -> List.of(function);
          case ANCHORED ->
              List.of(
                  Function.CHANGES,
                  Function.DELTA,
                  Function.INCREASE,
                  Function.RATE,
                  Function.RESETS);
          case SMOOTHED -> List.of(Function.DELTA, Function.INCREASE, Function.RATE);
        };
    if (!allowed.contains(function)) {
      throw new QueryFailure(
          QueryFailure.Kind.EXECUTION,
          edges.text
              + " modifier can only be used with: "
              + String.join(", ", allowed.stream().map(Function::text).toList())
              + " - not with "
              + function.text());
    }
  }

  private void checkFactors(int step) throws QueryFailure {
    if (function == Function.DOUBLE_EXPONENTIAL_SMOOTHING) {
      checkFactor("smoothing", "sf", parameters.get(0)[step]);
      checkFactor("trend", "tf", parameters.get(1)[step]);
    }
  }

  private static void checkFactor(String what, String name, double factor) throws QueryFailure {
    if (factor <= 0 || factor >= 1) {
      throw new QueryFailure(
          QueryFailure.Kind.EXECUTION,
          String.format(
              Locale.ROOT, "invalid %s factor. Expected: 0 < %s < 1, got: %f", what, name, factor));
    }
  }

  private static int fewestSamples(Function function) {
    return switch (function) {
      case RATE,
          INCREASE,
          DELTA,
          IRATE,
          IDELTA,
          DERIV,
          PREDICT_LINEAR,
          DOUBLE_EXPONENTIAL_SMOOTHING ->
          2;
      default -> 1;
    };
  }

  /** The function at each step; null when no step has enough samples. */
  public Column apply(Series series) throws QueryFailure {
    if (series.histograms() != null) {
      Column ofHistograms = overHistograms(series);
      if (ofHistograms != null) {
        return ofHistograms.isEmpty() ? null : ofHistograms;
      }
    }
    Samples samples = Samples.of(series);
    double[] out = new double[windowEnds.length];
    boolean any = edges == Expr.Edges.PLAIN ? plain(samples, out) : extended(samples, out);
    if (!any) {
      return null;
    }
    if (function == Function.RATE || function == Function.INCREASE) {
      // Of irate, 3.5 says nothing.
      CounterNames.remark(series.labels().metric())
          .ifPresent(text -> annotations.info(text, argument));
    }
    return new Column(series.labels(), out);
  }

  private boolean plain(Samples samples, double[] out) throws QueryFailure {
    long[] times = samples.times();
    double[] values = samples.values();
    int size = samples.size();
    double[] scratch =
        switch (function) {
          case QUANTILE_OVER_TIME -> new double[size];
          case MAD_OVER_TIME -> new double[2 * size];
          default -> null;
        };
    int[] falls = null;
    if (function == Function.RATE || function == Function.INCREASE) {
      falls = new int[size];
      Windows.falls(values, size, falls);
    }
    int fewest = fewestSamples(function);
    boolean any = false;
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
      if (to > from) {
        checkFactors(i);
      }
      if (to - from < fewest) {
        out[i] = Staleness.MARKER;
        budget.work(0);
      } else {
        out[i] = at(i, times, values, falls, from, to, scratch);
        any = true;
        budget.work(to - from);
      }
      budget.lookedAt(to - from);
    }
    return any;
  }

  private double at(
      int step, long[] times, double[] values, int[] falls, int from, int to, double[] scratch) {
    long end = windowEnds[step];
    return switch (function) {
      case RATE -> Windows.rate(times, values, falls, from, to, end - range, end);
      case INCREASE -> Windows.increase(times, values, falls, from, to, end - range, end);
      case DELTA -> Windows.delta(times, values, from, to, end - range, end);
      case IRATE -> Windows.lastRate(times, values, to);
      case IDELTA -> values[to - 1] - values[to - 2];
      case CHANGES -> Windows.changes(values, from, to);
      case RESETS -> Windows.resets(values, from, to);
      case DERIV -> Windows.slope(times, values, from, to);
      case PREDICT_LINEAR ->
          Windows.forecast(times, values, from, to, grid.time(step), parameters.getFirst()[step]);
      case DOUBLE_EXPONENTIAL_SMOOTHING ->
          Windows.smoothed(values, from, to, parameters.get(0)[step], parameters.get(1)[step]);
      case AVG_OVER_TIME -> Windows.avg(values, from, to);
      case COUNT_OVER_TIME -> to - from;
      case FIRST_OVER_TIME -> values[from];
      case LAST_OVER_TIME -> values[to - 1];
      case MAD_OVER_TIME -> Windows.medianDeviation(values, from, to, scratch);
      case MAX_OVER_TIME -> Windows.max(values, from, to);
      case MIN_OVER_TIME -> Windows.min(values, from, to);
      case STDDEV_OVER_TIME -> Math.sqrt(Windows.variance(values, from, to));
      case STDVAR_OVER_TIME -> Windows.variance(values, from, to);
      case SUM_OVER_TIME -> Windows.sum(values, from, to);
      case PRESENT_OVER_TIME, ABSENT_OVER_TIME -> 1;
      case QUANTILE_OVER_TIME -> {
        double quantile = parameters.getFirst()[step];
        Quantiles.warn(quantile, firstArgument, annotations);
        yield Windows.quantile(quantile, values, from, to, scratch);
      }
      case TS_OF_FIRST_OVER_TIME -> times[from] / 1000.0;
      case TS_OF_LAST_OVER_TIME -> times[to - 1] / 1000.0;
      case TS_OF_MAX_OVER_TIME -> times[Windows.indexOfMax(values, from, to)] / 1000.0;
      case TS_OF_MIN_OVER_TIME -> times[Windows.indexOfMin(values, from, to)] / 1000.0;
      default -> throw new IllegalStateException(function.text());
    };
  }

  /** With the samples around the window. */
  private boolean extended(Samples samples, double[] out) throws QueryFailure {
    long[] times = samples.times();
    double[] values = samples.values();
    boolean smooth = edges == Expr.Edges.SMOOTHED;
    boolean any = false;
    int from = 0;
    int to = 0;
    for (int i = 0; i < out.length; i++) {
      long end = windowEnds[i];
      long start = end - range;
      while (to < samples.size() && times[to] <= (smooth ? end + lookback : end)) {
        to++;
      }
      while (from < to && times[from] <= start - lookback) {
        from++;
      }
      out[i] = extended(times, values, from, to, start, end, smooth);
      any |= !Staleness.isMarker(out[i]);
      budget.work(to - from);
      budget.lookedAt(to - from);
    }
    return any;
  }

  private double extended(
      long[] times, double[] values, int from, int to, long start, long end, boolean smooth) {
    if (from == to || times[to - 1] <= start) {
      return Staleness.MARKER;
    }
    boolean counter = function != Function.DELTA;
    switch (function) {
      case CHANGES, RESETS -> {
        int anchor = from;
        while (times[anchor + 1 < to ? anchor + 1 : anchor] <= start) {
          anchor++;
        }
        return function == Function.CHANGES
            ? Windows.changes(values, anchor, to)
            : Windows.resets(values, anchor, to);
      }
      default -> {
        double change = EdgeWindows.change(times, values, from, to, start, end, smooth, counter);
        return function == Function.RATE && !Staleness.isMarker(change)
            ? change / (range / 1000.0)
            : change;
      }
    }
  }

  // --- histograms ---

  /** What a function makes of a series with histograms; null when it takes its numbers only. */
  private Column overHistograms(Series series) throws QueryFailure {
    switch (function) {
      case COUNT_OVER_TIME,
          PRESENT_OVER_TIME,
          ABSENT_OVER_TIME,
          FIRST_OVER_TIME,
          LAST_OVER_TIME,
          TS_OF_FIRST_OVER_TIME,
          TS_OF_LAST_OVER_TIME -> {}
      case RATE, INCREASE, DELTA, IRATE, IDELTA, CHANGES, RESETS, AVG_OVER_TIME, SUM_OVER_TIME ->
          throw NativeHistograms.notYet(function.text());
      default -> {
        return null;
      }
    }
    double[] values = new double[windowEnds.length];
    Histogram[] histograms = new Histogram[windowEnds.length];
    Arrays.fill(values, Staleness.MARKER);
    int from = 0;
    int to = 0;
    for (int i = 0; i < values.length; i++) {
      long end = windowEnds[i];
      while (to < series.size() && series.times()[to] <= end) {
        to++;
      }
      while (from < to && series.times()[from] <= end - range) {
        from++;
      }
      int first = -1;
      int last = -1;
      int count = 0;
      for (int j = from; j < to; j++) {
        if (series.histograms()[j] != null || !Staleness.isMarker(series.values()[j])) {
          first = first < 0 ? j : first;
          last = j;
          count++;
        }
      }
      budget.work(to - from);
      budget.lookedAt(count);
      if (count > 0) {
        switch (function) {
          case COUNT_OVER_TIME -> values[i] = count;
          case FIRST_OVER_TIME -> {
            values[i] = series.values()[first];
            histograms[i] = series.histograms()[first];
          }
          case LAST_OVER_TIME -> {
            values[i] = series.values()[last];
            histograms[i] = series.histograms()[last];
          }
          case TS_OF_FIRST_OVER_TIME -> values[i] = series.times()[first] / 1000.0;
          case TS_OF_LAST_OVER_TIME -> values[i] = series.times()[last] / 1000.0;
          default -> values[i] = 1;
        }
      }
    }
    return new Column(series.labels(), values, histograms, false);
  }
}
