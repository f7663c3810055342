package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Function;
import io.fleetgauge.promql.expr.ValueType;
import io.fleetgauge.promql.function.Absence;
import io.fleetgauge.promql.function.ClassicHistograms;
import io.fleetgauge.promql.function.ElementFunctions;
import io.fleetgauge.promql.function.InfoJoin;
import io.fleetgauge.promql.function.LabelFunctions;
import io.fleetgauge.promql.function.NameDropping;
import io.fleetgauge.promql.function.NativeHistograms;
import io.fleetgauge.promql.function.Ordering;
import io.fleetgauge.promql.function.RangeFunctions;
import io.fleetgauge.promql.kernel.Columns;
import io.fleetgauge.promql.query.Annotations;
import io.fleetgauge.promql.query.Budget;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.promql.query.Sink;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Calls of functions that give a vector: a method for each family or function. */
final class CallEvaluation {
  private final Evaluator evaluator;
  private final Query query;
  private final SeriesSource source;
  private final Annotations annotations;
  private final Budget budget;

  CallEvaluation(
      Evaluator evaluator,
      Query query,
      SeriesSource source,
      Annotations annotations,
      Budget budget) {
    this.evaluator = evaluator;
    this.query = query;
    this.source = source;
    this.annotations = annotations;
    this.budget = budget;
  }

  void apply(Expr.Call call, Grid grid, Sink sink) throws QueryFailure {
    switch (call.function()) {
      case Function.Element function -> elements(function, call, grid, sink);
      case Function.Range function -> overRange(function, call, grid, sink);
      case Function.OfHistograms function -> histograms(function, call, grid, sink);
      case Function.OfVectors function -> vectors(function, call, grid, sink);
      case Function.Scalar function ->
          throw new IllegalStateException("not a vector: " + function.text());
    }
  }

  private void vectors(Function.OfVectors function, Expr.Call call, Grid grid, Sink sink)
      throws QueryFailure {
    switch (function) {
      case VECTOR ->
          evaluator.push(
              new Column(Labels.EMPTY, evaluator.scalar(call.arguments().getFirst(), grid)), sink);
      case ABSENT -> absent(call, grid, sink);
      case ABSENT_OVER_TIME -> absentOverTime(call, grid, sink);
      case TIMESTAMP -> timestamp(call.arguments().getFirst(), grid, sink);
      case SORT -> sort(call, Ordering.byValue(false), grid, sink);
      case SORT_DESC -> sort(call, Ordering.byValue(true), grid, sink);
      case SORT_BY_LABEL -> sort(call, Ordering.byLabels(call), grid, sink);
      case SORT_BY_LABEL_DESC -> sort(call, Ordering.byLabels(call).reversed(), grid, sink);
      case LABEL_REPLACE -> relabel(call, LabelFunctions.replace(call, budget), grid, sink);
      case LABEL_JOIN -> relabel(call, LabelFunctions.join(call, budget), grid, sink);
      case INFO -> info(call, grid, sink);
    }
  }

  private void relabel(Expr.Call call, LabelFunctions.Relabelling relabelling, Grid grid, Sink sink)
      throws QueryFailure {
    Set<Labels> seen = new HashSet<>();
    evaluator.vector(
        call.arguments().getFirst(),
        grid,
        column -> {
          Column relabelled = relabelling.apply(column);
          if (!seen.add(relabelled.labels())) {
            throw QueryFailure.sameLabelSet();
          }
          sink.accept(relabelled);
        });
  }

  private void info(Expr.Call call, Grid grid, Sink sink) throws QueryFailure {
    if (grid.size() == 0) {
      return;
    }
    InfoJoin join = new InfoJoin(query, grid, call);
    List<Series> infos = new ArrayList<>();
    source.select(
        join.selection(),
        series -> {
          budget.hold(series.size());
          infos.add(series);
        });
    join.prepare(infos);
    List<Column> joined = new ArrayList<>();
    evaluator.vector(call.arguments().getFirst(), grid, column -> join.add(column, joined, budget));
    infos.forEach(series -> budget.release(series.size()));
    long held = (long) joined.size() * grid.size();
    evaluator.pushAll(VectorMatching.joined(joined, QueryFailure::sameLabelSet), sink);
    budget.release(held);
  }

  private void elements(Function.Element function, Expr.Call call, Grid grid, Sink sink)
      throws QueryFailure {
    if (call.arguments().isEmpty()) {
      double[] times = new double[grid.size()];
      ScalarEvaluation.times(grid, times);
      ElementFunctions.apply(function, times, null, times);
      evaluator.push(new Column(Labels.EMPTY, times), sink);
      return;
    }
    double[][] scalars = new double[2][];
    annotations.begin();
    for (int i = 1; i < call.arguments().size(); i++) {
      scalars[i - 1] = evaluator.scalar(call.arguments().get(i), grid);
    }
    Annotations.Layer layer = annotations.end();
    if (function == Function.Element.ROUND && scalars[0] == null) {
      scalars[0] = new double[grid.size()];
      Arrays.fill(scalars[0], 1);
    }
    Expr input = call.arguments().getFirst();
    NameDropping nameless = NameDropping.merging(query, input, budget, sink);
    evaluator.vector(
        input,
        grid,
        column -> {
          ElementFunctions.apply(function, column.values(), scalars, column.values());
          if (Columns.count(column.values()) > 0) {
            nameless.accept(column.with(column.values()));
          }
        });
    nameless.finish();
    annotations.add(layer);
  }

  private void histograms(Function.OfHistograms function, Expr.Call call, Grid grid, Sink sink)
      throws QueryFailure {
    List<Expr> arguments = call.arguments();
    switch (function) {
      case HISTOGRAM_COUNT -> nativeHistograms(call, grid, sink, Histogram::count);
      case HISTOGRAM_SUM -> nativeHistograms(call, grid, sink, Histogram::sum);
      case HISTOGRAM_AVG ->
          nativeHistograms(call, grid, sink, histogram -> histogram.sum() / histogram.count());
      case HISTOGRAM_STDDEV, HISTOGRAM_STDVAR -> noNativeHistograms(call, grid);
      case HISTOGRAM_QUANTILE ->
          buckets(
              ClassicHistograms.quantile(
                  context(call, grid, sink), evaluator.scalar(arguments.get(0), grid)),
              grid);
      case HISTOGRAM_FRACTION ->
          buckets(
              ClassicHistograms.fraction(
                  context(call, grid, sink),
                  evaluator.scalar(arguments.get(0), grid),
                  evaluator.scalar(arguments.get(1), grid)),
              grid);
      case HISTOGRAM_QUANTILES -> {
        List<double[]> quantiles = new ArrayList<>();
        for (Expr quantile : arguments.subList(2, arguments.size())) {
          quantiles.add(evaluator.scalar(quantile, grid));
        }
        buckets(ClassicHistograms.quantiles(context(call, grid, sink), quantiles), grid);
      }
    }
  }

  private void nativeHistograms(
      Expr.Call call, Grid grid, Sink sink, NativeHistograms.Reading reading) throws QueryFailure {
    Expr input = call.arguments().getFirst();
    NameDropping nameless = NameDropping.merging(query, input, budget, sink);
    evaluator.vector(
        input,
        grid,
        column -> {
          if (column.histograms() != null) {
            nameless.accept(NativeHistograms.apply(reading, column));
          }
        });
    nameless.finish();
  }

  private void noNativeHistograms(Expr.Call call, Grid grid) throws QueryFailure {
    evaluator.vector(
        call.arguments().getFirst(),
        grid,
        column -> {
          for (int i = 0; column.histograms() != null && i < column.steps(); i++) {
            if (column.histograms()[i] != null) {
              throw NativeHistograms.notYet(call.function().text());
            }
          }
        });
  }

  private ClassicHistograms.Context context(Expr.Call call, Grid grid, Sink sink) {
    return new ClassicHistograms.Context(
        query, call, grid.size(), budget, annotations, column -> evaluator.push(column, sink));
  }

  private void buckets(ClassicHistograms histograms, Grid grid) throws QueryFailure {
    evaluator.vector(histograms.input(), grid, histograms::add);
    histograms.finish();
  }

  private void timestamp(Expr argument, Grid grid, Sink sink) throws QueryFailure {
    NameDropping nameless = NameDropping.merging(query, argument, budget, sink);
    if (argument.withoutParens() instanceof Expr.Selector selector) {
      InstantLookup lookup = new InstantLookup(query, selector, grid);
      evaluator.select(
          selector,
          query.settings().lookback(),
          grid,
          series -> {
            double[] times = lookup.times(series);
            if (Columns.count(times) > 0) {
              evaluator.push(new Column(series.labels(), times), nameless::accept);
            }
          });
    } else {
      evaluator.vector(
          argument,
          grid,
          column -> {
            double[] times = new double[grid.size()];
            for (int i = 0; i < times.length; i++) {
              times[i] = column.isPresent(i) ? grid.time(i) / 1000.0 : Staleness.MARKER;
            }
            nameless.accept(column.with(times));
          });
    }
    nameless.finish();
  }

  private void sort(Expr.Call call, Comparator<Column> order, Grid grid, Sink sink)
      throws QueryFailure {
    if (!query.isInstant() || grid.size() > 1) {
      // The answer to a range query is ordered by labels, whatever is done here.
      evaluator.vector(call.arguments().getFirst(), grid, sink);
      return;
    }
    List<Column> columns = evaluator.collected(call.arguments().getFirst(), grid);
    columns.sort(order);
    for (Column column : columns) {
      sink.accept(column);
    }
    evaluator.release(columns);
  }

  // --- functions over ranges ---

  private void overRange(Function.Range function, Expr.Call call, Grid grid, Sink sink)
      throws QueryFailure {
    Expr.Ranged range = null;
    List<double[]> parameters = new ArrayList<>();
    for (Expr argument : call.arguments()) {
      if (argument.type() == ValueType.MATRIX) {
        range = (Expr.Ranged) argument.withoutParens();
      } else {
        parameters.add(evaluator.scalar(argument, grid));
      }
    }
    RangeFunctions functions =
        new RangeFunctions(query, function, call, range, grid, parameters, budget, annotations);
    NameDropping nameless =
        switch (function.metricName()) {
          case KEPT -> NameDropping.keeping(sink);
          case DROPPED, WRITTEN -> NameDropping.refusing(query, sink);
        };
    ranges(
        range,
        grid,
        series -> {
          Column column = functions.apply(series);
          if (column != null) {
            evaluator.push(column, nameless::accept);
          }
        });
  }

  private void ranges(Expr.Ranged range, Grid grid, SeriesSource.Receiver receiver)
      throws QueryFailure {
    switch (range) {
      case Expr.Window window ->
          evaluator.select(
              window.selector(), window.range(), grid, series -> receiver.accept(series));
      case Expr.Subquery subquery -> {
        Grid inner = Grid.of(query, grid, subquery);
        evaluator.vector(
            subquery.input(), inner, column -> receiver.accept(Engine.points(inner, column)));
      }
    }
  }

  // --- absence ---

  private void absent(Expr.Call call, Grid grid, Sink sink) throws QueryFailure {
    Expr argument = call.arguments().getFirst();
    boolean[] there = new boolean[grid.size()];
    evaluator.vector(argument, grid, column -> note(column, there));
    pushAbsence(there, argument.withoutParens(), sink);
  }

  private void absentOverTime(Expr.Call call, Grid grid, Sink sink) throws QueryFailure {
    Expr.Ranged range = (Expr.Ranged) call.arguments().getFirst().withoutParens();
    boolean[] there = new boolean[grid.size()];
    RangeFunctions functions =
        new RangeFunctions(
            query,
            Function.Range.PRESENT_OVER_TIME,
            call,
            range,
            grid,
            List.of(),
            budget,
            annotations);
    ranges(
        range,
        grid,
        series -> {
          Column column = functions.apply(series);
          if (column != null) {
            note(column, there);
          }
        });
    pushAbsence(there, range instanceof Expr.Window window ? window.selector() : range, sink);
  }

  private static void note(Column column, boolean[] there) {
    for (int i = 0; i < there.length; i++) {
      there[i] |= column.isPresent(i);
    }
  }

  private void pushAbsence(boolean[] there, Expr argument, Sink sink) throws QueryFailure {
    Column column = Absence.of(there, argument);
    if (!column.isEmpty()) {
      evaluator.push(column, sink);
    }
  }
}
