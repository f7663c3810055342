package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.aggregate.AggregationGroups;
import io.fleetgauge.promql.aggregate.Aggregator;
import io.fleetgauge.promql.aggregate.CountValues;
import io.fleetgauge.promql.aggregate.FoldAggregation;
import io.fleetgauge.promql.aggregate.LimitAggregation;
import io.fleetgauge.promql.aggregate.QuantileAggregation;
import io.fleetgauge.promql.aggregate.Ranking;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.function.NameDropping;
import io.fleetgauge.promql.function.NativeHistograms;
import io.fleetgauge.promql.kernel.Arithmetic;
import io.fleetgauge.promql.query.Annotations;
import io.fleetgauge.promql.query.Budget;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.ProvidedPart;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.promql.query.Sink;
import io.fleetgauge.sample.Histogram;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Walks the tree of a query. A vector's columns are pushed one by one from the selectors towards
 * the root, so that only what an operator needs together is held together. Scalars, binary
 * operators and calls have classes of their own, which come back here for their arguments.
 */
public final class Evaluator {
  private final Query query;
  private final SeriesSource source;
  private final Annotations annotations;
  private final Budget budget;
  private final Map<Expr, ProvidedPart> provided;
  private final Invariance invariance = new Invariance();
  private final ScalarEvaluation scalars;
  private final BinaryEvaluation operators;
  private final CallEvaluation calls;

  /**
   * @param provided parts that were evaluated elsewhere, by identity
   * @param isPart whether other shards may have more series
   */
  public Evaluator(
      Query query,
      SeriesSource source,
      Map<Expr, ProvidedPart> provided,
      boolean isPart,
      Annotations annotations,
      Budget budget) {
    this.query = query;
    this.provided = provided;
    this.source = source;
    this.annotations = annotations;
    this.budget = budget;
    this.scalars = new ScalarEvaluation(this, query, budget, invariance);
    this.operators = new BinaryEvaluation(this, query, isPart, annotations, budget);
    this.calls = new CallEvaluation(this, query, source, annotations, budget);
  }

  /** A scalar's value at each step; the caller may write over the array. */
  double[] scalar(Expr expr, Grid grid) throws QueryFailure {
    return scalars.at(expr, grid);
  }

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
    ProvidedPart there = provided.get(expr);
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
      case Expr.Binary binary -> operators.apply(binary, grid, sink);
      case Expr.Aggregate aggregate -> aggregate(aggregate, grid, sink);
      case Expr.Call call -> calls.apply(call, grid, sink);
      case Expr.Number _, Expr.Text _, Expr.Window _, Expr.Subquery _ ->
          throw new IllegalStateException("not a vector: " + expr);
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
  void push(Column column, Sink sink) throws QueryFailure {
    if (column.steps() == 0) {
      return;
    }
    budget.hold(column.steps());
    sink.accept(column);
    budget.release(column.steps());
  }

  void select(Expr.Selector selector, long length, Grid grid, SeriesSource.Receiver receiver)
      throws QueryFailure {
    budget.stopIfAsked();
    if (grid.size() == 0) {
      return;
    }
    SeenSeries.read(
        source,
        selector,
        Selections.of(query, grid, selector, length),
        budget,
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

  void pushAll(List<Column> columns, Sink sink) throws QueryFailure {
    for (Column column : columns) {
      if (!column.isEmpty()) {
        push(column, sink);
      }
    }
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
    AggregationGroups groups = new AggregationGroups(aggregate.grouping());
    Expr parameter = aggregate.parameter().map(Expr::withoutParens).orElse(null);
    return switch (aggregate.op()) {
      case SUM, AVG, MIN, MAX, COUNT, GROUP, STDDEV, STDVAR ->
          new FoldAggregation(aggregate, groups, grid.size(), budget, annotations);
      case COUNT_VALUES ->
          new CountValues(((Expr.Text) parameter).value(), groups, grid.size(), budget);
      case QUANTILE ->
          new QuantileAggregation(aggregate, groups, scalar(parameter, grid), budget, annotations);
      case TOPK, BOTTOMK ->
          new Ranking(aggregate, groups, scalar(parameter, grid), budget, annotations);
      case LIMITK, LIMIT_RATIO ->
          new LimitAggregation(aggregate, groups, scalar(parameter, grid), annotations, sink);
    };
  }
}
