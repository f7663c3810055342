package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.ValueType;
import io.fleetgauge.promql.function.NameDropping;
import io.fleetgauge.promql.function.NativeHistograms;
import io.fleetgauge.promql.kernel.Arithmetic;
import io.fleetgauge.promql.kernel.Columns;
import io.fleetgauge.promql.query.Annotations;
import io.fleetgauge.promql.query.Budget;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Sink;
import java.util.List;

/** Binary operators with a vector on at least one side. */
final class BinaryEvaluation {
  private final Evaluator evaluator;
  private final Query query;
  private final boolean isPart;
  private final Annotations annotations;
  private final Budget budget;

  /**
   * @param isPart whether other shards may have more series
   */
  BinaryEvaluation(
      Evaluator evaluator, Query query, boolean isPart, Annotations annotations, Budget budget) {
    this.evaluator = evaluator;
    this.query = query;
    this.isPart = isPart;
    this.annotations = annotations;
    this.budget = budget;
  }

  /** Pushes the columns of an operator whose result is a vector. */
  void apply(Expr.Binary binary, Grid grid, Sink sink) throws QueryFailure {
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
        // The right side first, so that the left need not be held; its annotations come second.
        var there = matching.presence();
        annotations.begin();
        evaluator.vector(binary.right(), grid, there::add);
        Annotations.Layer layer = annotations.end();
        evaluator.vector(binary.left(), grid, column -> matching.filter(column, there, sink));
        annotations.add(layer);
      }
      case OR -> both(binary, grid, sink, matching, matching::union);
      case ADD,
          SUBTRACT,
          MULTIPLY,
          DIVIDE,
          MODULO,
          POWER,
          ATAN2,
          EQUAL,
          NOT_EQUAL,
          LESS,
          LESS_OR_EQUAL,
          GREATER,
          GREATER_OR_EQUAL ->
          both(
              binary,
              grid,
              sink,
              matching,
              (left, right) ->
                  matching.match(left, right, (l, r, out) -> operate(binary, l, r, out)));
    }
  }

  /** Makes the result of all columns of both sides. */
  private interface Join {
    List<Column> of(List<Column> left, List<Column> right) throws QueryFailure;
  }

  private void both(Expr.Binary binary, Grid grid, Sink sink, VectorMatching matching, Join join)
      throws QueryFailure {
    List<Column> left = evaluator.collected(binary.left(), grid);
    List<Column> right = evaluator.collected(binary.right(), grid);
    evaluator.pushAll(join.of(left, right), sink);
    matching.release();
    evaluator.release(left);
    evaluator.release(right);
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
    double[] scalar = evaluator.scalar(vectorOnLeft ? binary.right() : binary.left(), grid);
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
      evaluator.vector(
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
    evaluator.vector(
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
}
