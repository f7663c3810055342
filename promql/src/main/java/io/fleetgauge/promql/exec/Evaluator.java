package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.aggregate.Aggregator;
import io.fleetgauge.promql.aggregate.CountValues;
import io.fleetgauge.promql.aggregate.FoldAggregation;
import io.fleetgauge.promql.aggregate.Groups;
import io.fleetgauge.promql.aggregate.LimitAggregation;
import io.fleetgauge.promql.aggregate.QuantileAggregation;
import io.fleetgauge.promql.aggregate.Ranking;
import io.fleetgauge.promql.expr.BinaryOp;
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
import io.fleetgauge.promql.kernel.Arithmetic;
import io.fleetgauge.promql.kernel.Columns;
import io.fleetgauge.promql.query.Annotations;
import io.fleetgauge.promql.query.Budget;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.Provided;
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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Walks the tree of a query. A vector's columns are pushed one by one from the selectors towards
 * the root, so that only what an operator needs together is held together. One file for the walk,
 * because its branches call each other; what an operator does stands in a file of its own.
 */
public final class Evaluator {
  private final Query query;
  private final SeriesSource source;
  private final Annotations annotations;
  private final Budget budget;
  private final Map<Expr, Provided> provided;
  private final boolean isPart;
  private final Invariance invariance = new Invariance();

  /**
   * @param provided parts that others have evaluated, by identity
   * @param isPart whether there may be more series elsewhere
   */
  public Evaluator(
      Query query,
      SeriesSource source,
      Map<Expr, Provided> provided,
      boolean isPart,
      Annotations annotations,
      Budget budget) {
    this.query = query;
    this.provided = provided;
    this.isPart = isPart;
    this.source = source;
    this.annotations = annotations;
    this.budget = budget;
  }

  // --- scalars ---

  /** A scalar's value at each step; the caller may write over the array. */
  public double[] scalar(Expr expr, Grid grid) throws QueryFailure {
    budget.work(grid.size());
    if (grid.size() > 1 && invariance.of(expr)) {
      double[] out = new double[grid.size()];
      Arrays.fill(out, scalar(expr, grid.first())[0]);
      return out;
    }
    double[] out = new double[grid.size()];
    switch (expr) {
      case Expr.Number number -> Arrays.fill(out, number.value());
      case Expr.Paren paren -> {
        return scalar(paren.inner(), grid);
      }
      case Expr.Unary unary -> {
        out = scalar(unary.input(), grid);
        if (unary.minus()) {
          Arithmetic.negate(out, out);
        }
      }
      case Expr.Binary binary ->
          Operators.apply(
              binary.op(), scalar(binary.left(), grid), scalar(binary.right(), grid), out);
      case Expr.Call call -> scalarCall(call, grid, out);
      default -> throw new IllegalStateException("not a scalar: " + expr);
    }
    return out;
  }

  private void scalarCall(Expr.Call call, Grid grid, double[] out) throws QueryFailure {
    switch (call.function()) {
      case TIME -> {
        for (int i = 0; i < out.length; i++) {
          out[i] = grid.time(i) / 1000.0;
        }
      }
      case PI -> Arrays.fill(out, Math.PI);
      case START -> Arrays.fill(out, query.start() / 1000.0);
      case END -> Arrays.fill(out, query.end() / 1000.0);
      case RANGE -> Arrays.fill(out, (query.end() - query.start()) / 1000.0);
      case STEP -> Arrays.fill(out, query.step() / 1000.0);
      case MIN_OF, MAX_OF -> {
        double[] first = scalar(call.arguments().get(0), grid);
        double[] second = scalar(call.arguments().get(1), grid);
        for (int i = 0; i < out.length; i++) {
          out[i] =
              call.function() == Function.MIN_OF
                  ? Math.min(first[i], second[i])
                  : Math.max(first[i], second[i]);
        }
      }
      case SCALAR -> only(call.arguments().getFirst(), grid, out);
      default -> throw new IllegalStateException(call.function().text());
    }
  }

  /** The value of the one element there is at a step; NaN where there is none or several. */
  private void only(Expr expr, Grid grid, double[] out) throws QueryFailure {
    int[] there = new int[out.length];
    Arrays.fill(out, Double.NaN);
    vector(
        expr,
        grid,
        column -> {
          for (int i = 0; i < out.length; i++) {
            if (!Columns.isAbsent(column.values()[i])) {
              out[i] = ++there[i] == 1 ? column.values()[i] : Double.NaN;
            }
          }
        });
  }

  // --- vectors ---

  /** Pushes the columns of a vector into {@code sink}. */
  public void vector(Expr expr, Grid grid, Sink sink) throws QueryFailure {
    if (grid.size() > 1 && invariance.of(expr)) {
      walk(expr, grid.first(), column -> sink.accept(spread(column, grid.size())));
    } else {
      walk(expr, grid, sink);
    }
  }

  /** The one sample of a column at every step. */
  private Column spread(Column column, int size) throws QueryFailure {
    budget.hold(size);
    double[] values = new double[size];
    Arrays.fill(values, column.values()[0]);
    Histogram[] histograms = null;
    if (column.histograms() != null) {
      histograms = new Histogram[size];
      Arrays.fill(histograms, column.histograms()[0]);
    }
    budget.release(size);
    return new Column(column.labels(), values, histograms, column.nameDropped());
  }

  private void walk(Expr expr, Grid grid, Sink sink) throws QueryFailure {
    Provided there = provided.get(expr);
    if (there != null) {
      for (Column column : there.columns()) {
        push(column, sink);
      }
      annotations.add(there.annotations());
      return;
    }
    switch (expr) {
      case Expr.Selector selector -> selector(selector, grid, sink);
      case Expr.Paren paren -> walk(paren.inner(), grid, sink);
      case Expr.Unary unary -> unary(unary, grid, sink);
      case Expr.Binary binary -> binary(binary, grid, sink);
      case Expr.Aggregate aggregate -> aggregate(aggregate, grid, sink);
      case Expr.Call call -> call(call, grid, sink);
      default -> throw new IllegalStateException("not a vector: " + expr);
    }
  }

  /** All columns of a vector at once, counted as held; {@link #release} them. */
  public List<Column> collected(Expr expr, Grid grid) throws QueryFailure {
    List<Column> columns = new ArrayList<>();
    vector(
        expr,
        grid,
        column -> {
          budget.hold(column.steps());
          columns.add(column);
        });
    return columns;
  }

  public void release(List<Column> columns) {
    for (Column column : columns) {
      budget.release(column.steps());
    }
  }

  private void selector(Expr.Selector selector, Grid grid, Sink sink) throws QueryFailure {
    InstantLookup lookup = new InstantLookup(query, selector, grid);
    select(
        selector,
        query.settings().lookback(),
        grid,
        series -> {
          Column column = lookup.apply(series, annotations);
          if (lookup.found() > 0) {
            budget.lookedAt(lookup.found());
            push(column, sink);
          }
        });
  }

  /** Counts a column as held for as long as the sink works on it. */
  private void push(Column column, Sink sink) throws QueryFailure {
    if (column.steps() == 0) {
      return;
    }
    budget.hold(column.steps());
    sink.accept(column);
    budget.release(column.steps());
  }

  private void select(
      Expr.Selector selector, long length, Grid grid, SeriesSource.Receiver receiver)
      throws QueryFailure {
    budget.stopIfTold();
    if (grid.size() == 0) {
      return;
    }
    source.select(
        Selections.of(query, grid, selector, length),
        series -> {
          budget.hold(series.size());
          receiver.accept(series);
          budget.release(series.size());
        });
  }

  private void unary(Expr.Unary unary, Grid grid, Sink sink) throws QueryFailure {
    if (!unary.minus()) {
      vector(unary.input(), grid, sink);
      return;
    }
    NameDropping nameless = NameDropping.refusing(query, sink);
    vector(
        unary.input(),
        grid,
        column -> {
          NativeHistograms.refuse(column, "operator -");
          Arithmetic.negate(column.values(), column.values());
          nameless.accept(column.with(column.values()));
        });
  }

  // --- binary operators ---

  private void binary(Expr.Binary binary, Grid grid, Sink sink) throws QueryFailure {
    boolean vectors =
        binary.left().type() == ValueType.VECTOR && binary.right().type() == ValueType.VECTOR;
    if (!vectors) {
      vectorAndScalar(binary, grid, sink);
      return;
    }
    VectorMatching matching =
        new VectorMatching(binary, grid.size(), budget, query.delaysNameRemoval(), isPart);
    switch (binary.op()) {
      case AND, UNLESS -> {
        // The right side first, so that the left need not be held; what it says comes second.
        var there = matching.presence();
        annotations.begin();
        vector(binary.right(), grid, there::add);
        Annotations.Layer layer = annotations.end();
        vector(binary.left(), grid, column -> matching.filter(column, there, sink));
        annotations.add(layer);
      }
      default -> {
        List<Column> left = collected(binary.left(), grid);
        List<Column> right = collected(binary.right(), grid);
        List<Column> results =
            binary.op() == BinaryOp.OR
                ? matching.union(left, right)
                : matching.match(left, right, (l, r, out) -> operate(binary, l, r, out));
        pushAll(results, sink);
        matching.release();
        release(left);
        release(right);
      }
    }
  }

  private void pushAll(List<Column> columns, Sink sink) throws QueryFailure {
    for (Column column : columns) {
      if (!column.isEmpty()) {
        push(column, sink);
      }
    }
  }

  private void operate(Expr.Binary binary, double[] left, double[] right, double[] out) {
    Operators.apply(binary.op(), left, right, out);
    if (binary.op().isComparison() && !binary.bool()) {
      Arithmetic.filter(left, out, out);
    }
  }

  private void vectorAndScalar(Expr.Binary binary, Grid grid, Sink sink) throws QueryFailure {
    boolean vectorOnLeft = binary.left().type() == ValueType.VECTOR;
    Expr input = vectorOnLeft ? binary.left() : binary.right();
    annotations.begin();
    double[] scalar = scalar(vectorOnLeft ? binary.right() : binary.left(), grid);
    Annotations.Layer layer = annotations.end();
    if (!vectorOnLeft) {
      annotations.add(layer);
    }
    vectorAndScalar(binary, input, scalar, grid, sink);
    if (vectorOnLeft) {
      annotations.add(layer);
    }
  }

  private void vectorAndScalar(
      Expr.Binary binary, Expr input, double[] scalar, Grid grid, Sink sink) throws QueryFailure {
    boolean vectorOnLeft = input == binary.left();
    if (binary.op().isComparison() && !binary.bool()) {
      double[] test = new double[grid.size()];
      vector(
          input,
          grid,
          column -> {
            double[] values = column.values();
            Operators.apply(
                binary.op(), vectorOnLeft ? values : scalar, vectorOnLeft ? scalar : values, test);
            // The vector's own value is kept, on whichever side it stands.
            Arithmetic.filter(values, test, values);
            if (Columns.count(values) > 0) {
              sink.accept(column.with(values));
            }
          });
      return;
    }
    NameDropping nameless = NameDropping.merging(query, input, budget, sink);
    vector(
        input,
        grid,
        column -> {
          NativeHistograms.refuse(column, "operator " + binary.op().text);
          double[] values = column.values();
          Operators.apply(
              binary.op(), vectorOnLeft ? values : scalar, vectorOnLeft ? scalar : values, values);
          if (Columns.count(values) > 0) {
            nameless.accept(column.with(values));
          }
        });
    nameless.finish();
  }

  // --- aggregations ---

  private void aggregate(Expr.Aggregate aggregate, Grid grid, Sink sink) throws QueryFailure {
    Aggregator aggregator = aggregator(aggregate, grid, sink);
    fold(aggregate, grid, aggregator);
    aggregator.finish(column -> push(column, sink));
  }

  /** Folds the input of an aggregation, and leaves what comes of it with the aggregator. */
  public void fold(Expr.Aggregate aggregate, Grid grid, Aggregator aggregator) throws QueryFailure {
    vector(
        aggregate.input(),
        grid,
        column -> {
          budget.work(column.steps());
          aggregator.add(column);
        });
  }

  private Aggregator aggregator(Expr.Aggregate aggregate, Grid grid, Sink sink)
      throws QueryFailure {
    Groups groups = new Groups(aggregate.grouping());
    Expr parameter = aggregate.parameter().map(Expr::withoutParens).orElse(null);
    switch (aggregate.op()) {
      case SUM, AVG, MIN, MAX, COUNT, GROUP, STDDEV, STDVAR -> {
        return new FoldAggregation(aggregate, groups, grid.size(), budget, annotations);
      }
      case COUNT_VALUES -> {
        return new CountValues(((Expr.Text) parameter).value(), groups, grid.size(), budget);
      }
      default -> {}
    }
    double[] values = scalar(parameter, grid);
    return switch (aggregate.op()) {
      case QUANTILE -> new QuantileAggregation(aggregate, groups, values, budget, annotations);
      case TOPK, BOTTOMK -> new Ranking(aggregate, groups, values, budget, annotations);
      case LIMITK, LIMIT_RATIO ->
          new LimitAggregation(aggregate, groups, values, annotations, sink);
      default -> throw new IllegalStateException(aggregate.op().text());
    };
  }

  // --- functions ---

  private void call(Expr.Call call, Grid grid, Sink sink) throws QueryFailure {
    Function function = call.function();
    switch (function) {
      case VECTOR ->
          push(new Column(Labels.EMPTY, scalar(call.arguments().getFirst(), grid)), sink);
      case ABSENT -> absent(call, grid, sink);
      case ABSENT_OVER_TIME -> absentOverTime(call, grid, sink);
      case TIMESTAMP -> timestamp(call.arguments().getFirst(), grid, sink);
      case SORT, SORT_DESC, SORT_BY_LABEL, SORT_BY_LABEL_DESC -> sort(call, grid, sink);
      case LABEL_REPLACE, LABEL_JOIN -> {
        LabelFunctions.Relabelling relabelling = LabelFunctions.of(call);
        Set<Labels> seen = new HashSet<>();
        vector(
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
      case INFO -> {
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
        vector(call.arguments().getFirst(), grid, column -> join.add(column, joined, budget));
        infos.forEach(series -> budget.release(series.size()));
        long held = (long) joined.size() * grid.size();
        pushAll(VectorMatching.joined(joined, QueryFailure::sameLabelSet), sink);
        budget.release(held);
      }
      case HISTOGRAM_QUANTILE, HISTOGRAM_QUANTILES, HISTOGRAM_FRACTION -> {
        ClassicHistograms histograms = classicHistograms(call, grid, sink);
        vector(histograms.input(), grid, histograms::add);
        histograms.finish();
      }
      case HISTOGRAM_AVG, HISTOGRAM_COUNT, HISTOGRAM_SUM, HISTOGRAM_STDDEV, HISTOGRAM_STDVAR ->
          nativeHistograms(call, grid, sink);
      default -> {
        if (RangeFunctions.knows(function)) {
          overRange(call, grid, sink);
        } else {
          elements(call, grid, sink);
        }
      }
    }
  }

  private void elements(Expr.Call call, Grid grid, Sink sink) throws QueryFailure {
    if (call.arguments().isEmpty()) {
      double[] times = new double[grid.size()];
      for (int i = 0; i < times.length; i++) {
        times[i] = grid.time(i) / 1000.0;
      }
      ElementFunctions.apply(call.function(), times, null, times);
      push(new Column(Labels.EMPTY, times), sink);
      return;
    }
    double[][] scalars = new double[2][];
    annotations.begin();
    for (int i = 1; i < call.arguments().size(); i++) {
      scalars[i - 1] = scalar(call.arguments().get(i), grid);
    }
    Annotations.Layer layer = annotations.end();
    if (call.function() == Function.ROUND && scalars[0] == null) {
      scalars[0] = new double[grid.size()];
      Arrays.fill(scalars[0], 1);
    }
    Expr input = call.arguments().getFirst();
    NameDropping nameless = NameDropping.merging(query, input, budget, sink);
    vector(
        input,
        grid,
        column -> {
          ElementFunctions.apply(call.function(), column.values(), scalars, column.values());
          if (Columns.count(column.values()) > 0) {
            nameless.accept(column.with(column.values()));
          }
        });
    nameless.finish();
    annotations.add(layer);
  }

  private void nativeHistograms(Expr.Call call, Grid grid, Sink sink) throws QueryFailure {
    Expr input = call.arguments().getFirst();
    NameDropping nameless = NameDropping.merging(query, input, budget, sink);
    vector(
        input,
        grid,
        column -> {
          if (column.histograms() != null) {
            nameless.accept(NativeHistograms.apply(call, column));
          }
        });
    nameless.finish();
  }

  private void timestamp(Expr argument, Grid grid, Sink sink) throws QueryFailure {
    NameDropping nameless = NameDropping.merging(query, argument, budget, sink);
    if (argument.withoutParens() instanceof Expr.Selector selector) {
      InstantLookup lookup = new InstantLookup(query, selector, grid);
      select(
          selector,
          query.settings().lookback(),
          grid,
          series -> {
            double[] times = lookup.times(series);
            if (Columns.count(times) > 0) {
              push(new Column(series.labels(), times), nameless::accept);
            }
          });
    } else {
      vector(
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

  private void sort(Expr.Call call, Grid grid, Sink sink) throws QueryFailure {
    if (!query.isInstant() || grid.size() > 1) {
      // The answer to a range query is ordered by labels, whatever is done here.
      vector(call.arguments().getFirst(), grid, sink);
      return;
    }
    List<Column> columns = collected(call.arguments().getFirst(), grid);
    columns.sort(Ordering.of(call));
    for (Column column : columns) {
      sink.accept(column);
    }
    release(columns);
  }

  private ClassicHistograms classicHistograms(Expr.Call call, Grid grid, Sink sink)
      throws QueryFailure {
    List<Expr> arguments = call.arguments();
    ClassicHistograms.Context context =
        new ClassicHistograms.Context(
            query, call, grid.size(), budget, annotations, column -> push(column, sink));
    return switch (call.function()) {
      case HISTOGRAM_QUANTILE ->
          ClassicHistograms.quantile(context, scalar(arguments.get(0), grid));
      case HISTOGRAM_FRACTION ->
          ClassicHistograms.fraction(
              context, scalar(arguments.get(0), grid), scalar(arguments.get(1), grid));
      default -> {
        List<double[]> quantiles = new ArrayList<>();
        for (Expr quantile : arguments.subList(2, arguments.size())) {
          quantiles.add(scalar(quantile, grid));
        }
        yield ClassicHistograms.quantiles(context, quantiles);
      }
    };
  }

  // --- functions over ranges ---

  private void overRange(Expr.Call call, Grid grid, Sink sink) throws QueryFailure {
    Expr range = null;
    List<double[]> parameters = new ArrayList<>();
    for (Expr argument : call.arguments()) {
      if (argument.type() == ValueType.MATRIX) {
        range = argument.withoutParens();
      } else {
        parameters.add(scalar(argument, grid));
      }
    }
    RangeFunctions functions =
        new RangeFunctions(query, call, range, grid, parameters, budget, annotations);
    NameDropping nameless =
        functions.keepsName() ? NameDropping.keeping(sink) : NameDropping.refusing(query, sink);
    ranges(
        range,
        grid,
        series -> {
          Column column = functions.apply(series);
          if (column != null) {
            push(column, nameless::accept);
          }
        });
  }

  private void ranges(Expr range, Grid grid, SeriesSource.Receiver receiver) throws QueryFailure {
    switch (range) {
      case Expr.Window window ->
          select(window.selector(), window.range(), grid, series -> receiver.accept(series));
      case Expr.Subquery subquery -> {
        Grid inner = Grid.of(query, grid, subquery);
        vector(subquery.input(), inner, column -> receiver.accept(Engine.points(inner, column)));
      }
      default -> throw new IllegalStateException("not a range vector: " + range);
    }
  }

  // --- absence ---

  private void absent(Expr.Call call, Grid grid, Sink sink) throws QueryFailure {
    Expr argument = call.arguments().getFirst();
    boolean[] there = new boolean[grid.size()];
    vector(argument, grid, column -> note(column, there));
    pushAbsence(there, argument.withoutParens(), sink);
  }

  private void absentOverTime(Expr.Call call, Grid grid, Sink sink) throws QueryFailure {
    Expr range = call.arguments().getFirst().withoutParens();
    boolean[] there = new boolean[grid.size()];
    RangeFunctions functions =
        new RangeFunctions(query, call, range, grid, List.of(), budget, annotations);
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
      push(column, sink);
    }
  }
}
