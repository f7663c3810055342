package io.fleetgauge.promql.function;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Function;
import io.fleetgauge.promql.expr.TextSpan;
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
import java.util.stream.Collectors;

/** One function over a window of each series: one pass over a series for all steps. */
public final class RangeFunctions {
  private final Function.Range function;
  private final Grid grid;
  private final long[] windowEnds;
  private final long range;
  private final long lookback;
  private final Expr.Edges edges;
  private final List<double[]> parameters;
  private final TextSpan argument;
  private final TextSpan firstArgument;
  private final Budget budget;
  private final Annotations annotations;

  /**
   * @param function what is evaluated; {@code absent_over_time} evaluates another one than it is
   * @param range the argument that is a range vector
   * @param parameters the function's scalars, in order, each with a value for each step
   */
  public RangeFunctions(
      Query query,
      Function.Range function,
      Expr.Call call,
      Expr.Ranged range,
      Grid grid,
      List<double[]> parameters,
      Budget budget,
      Annotations annotations)
      throws QueryFailure {
    this.function = function;
    this.grid = grid;
    this.parameters = parameters;
    this.budget = budget;
    this.annotations = annotations;
    this.firstArgument = call.arguments().getFirst().span();
    // Prometheus reports the position of an annotation about a subquery as the start of the query.
    this.argument =
        range instanceof Expr.Subquery
            ? TextSpan.NONE
            : call.arguments().stream()
                .filter(candidate -> candidate.type() == ValueType.MATRIX)
                .findFirst()
                .orElseThrow()
                .span();
    this.range = range.range();
    Expr.Shift shift;
    switch (range) {
      case Expr.Window window -> {
        this.edges = window.selector().edges();
        shift = window.selector().shift();
      }
      case Expr.Subquery subquery -> {
        this.edges = Expr.Edges.PLAIN;
        shift = subquery.shift();
      }
    }
    this.lookback = query.settings().lookback();
    this.windowEnds = new long[grid.size()];
    for (int i = 0; i < windowEnds.length; i++) {
      windowEnds[i] = Grid.lookAt(query, shift, grid.time(i));
    }
    checkEdges(call.function());
  }

  private void checkEdges(Function called) throws QueryFailure {
    boolean allowed = edges == Expr.Edges.PLAIN || called == function && function.allows(edges);
    if (!allowed) {
      throw new QueryFailure(
          QueryFailure.Kind.EXECUTION,
          edges.text
              + " modifier can only be used with: "
              + Arrays.stream(Function.Range.values())
                  .filter(each -> each.allows(edges))
                  .map(Function::text)
                  .collect(Collectors.joining(", "))
              + " - not with "
              + called.text());
    }
  }

  private void checkFactors(int step) throws QueryFailure {
    if (function == Function.Range.DOUBLE_EXPONENTIAL_SMOOTHING) {
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
    if (function == Function.Range.RATE || function == Function.Range.INCREASE) {
      // 3.5 says nothing of irate.
      CounterNames.remark(series.labels().metric())
          .ifPresent(text -> annotations.info(text, argument));
    }
    return new Column(series.labels(), out);
  }

  private boolean plain(Samples samples, double[] out) throws QueryFailure {
    long[] times = samples.times();
    double[] values = samples.values();
    int size = samples.size();
    double[] scratch = null;
    if (function == Function.Range.QUANTILE_OVER_TIME) {
      scratch = new double[size];
    } else if (function == Function.Range.MAD_OVER_TIME) {
      scratch = new double[2 * size];
    }
    int[] falls = null;
    if (function == Function.Range.RATE || function == Function.Range.INCREASE) {
      falls = new int[size];
      Windows.falls(values, size, falls);
    }
    int fewest = function.fewestSamples();
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
      case PRESENT_OVER_TIME -> 1;
      case QUANTILE_OVER_TIME -> {
        double quantile = parameters.getFirst()[step];
        Quantiles.warn(quantile, firstArgument, annotations);
        yield Windows.quantile(quantile, values, from, to, scratch);
      }
      case TS_OF_FIRST_OVER_TIME -> times[from] / 1000.0;
      case TS_OF_LAST_OVER_TIME -> times[to - 1] / 1000.0;
      case TS_OF_MAX_OVER_TIME -> times[Windows.indexOfMax(values, from, to)] / 1000.0;
      case TS_OF_MIN_OVER_TIME -> times[Windows.indexOfMin(values, from, to)] / 1000.0;
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
    boolean counter = function != Function.Range.DELTA;
    if (function == Function.Range.CHANGES || function == Function.Range.RESETS) {
      int anchor = from;
      while (times[anchor + 1 < to ? anchor + 1 : anchor] <= start) {
        anchor++;
      }
      return function == Function.Range.CHANGES
          ? Windows.changes(values, anchor, to)
          : Windows.resets(values, anchor, to);
    }
    double change = EdgeWindows.change(times, values, from, to, start, end, smooth, counter);
    return function == Function.Range.RATE && !Staleness.isMarker(change)
        ? change / (range / 1000.0)
        : change;
  }

  // --- histograms ---

  /** Evaluates a series with histograms; null when the function uses its numbers only. */
  private Column overHistograms(Series series) throws QueryFailure {
    switch (function.histograms()) {
      case TAKEN -> {}
      case REFUSED -> throw NativeHistograms.notYet(function.text());
      case SKIPPED -> {
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
          case PRESENT_OVER_TIME -> values[i] = 1;
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
          case AVG_OVER_TIME,
              CHANGES,
              DELTA,
              DERIV,
              DOUBLE_EXPONENTIAL_SMOOTHING,
              IDELTA,
              INCREASE,
              IRATE,
              MAD_OVER_TIME,
              MAX_OVER_TIME,
              MIN_OVER_TIME,
              PREDICT_LINEAR,
              QUANTILE_OVER_TIME,
              RATE,
              RESETS,
              STDDEV_OVER_TIME,
              STDVAR_OVER_TIME,
              SUM_OVER_TIME,
              TS_OF_MAX_OVER_TIME,
              TS_OF_MIN_OVER_TIME ->
              throw new IllegalStateException(function.text() + " takes no histograms");
        }
      }
    }
    return new Column(series.labels(), values, histograms, false);
  }
}
