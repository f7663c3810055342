package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Function;
import io.fleetgauge.promql.kernel.Arithmetic;
import io.fleetgauge.promql.kernel.Columns;
import io.fleetgauge.promql.query.Budget;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import java.util.Arrays;

/** Expressions that are one number at each step. */
final class ScalarEvaluation {
  private final Evaluator evaluator;
  private final Query query;
  private final Budget budget;
  private final Invariance invariance;

  ScalarEvaluation(Evaluator evaluator, Query query, Budget budget, Invariance invariance) {
    this.evaluator = evaluator;
    this.query = query;
    this.budget = budget;
    this.invariance = invariance;
  }

  /** A scalar's value at each step; the caller may write over the array. */
  double[] at(Expr expr, Grid grid) throws QueryFailure {
    budget.work(grid.size());
    double[] out = new double[grid.size()];
    if (grid.size() > 1 && invariance.of(expr)) {
      Arrays.fill(out, at(expr, grid.first())[0]);
      return out;
    }
    switch (expr) {
      case Expr.Number number -> Arrays.fill(out, number.value());
      case Expr.Paren paren -> {
        return at(paren.inner(), grid);
      }
      case Expr.Unary unary -> {
        out = at(unary.input(), grid);
        if (unary.minus()) {
          Arithmetic.negate(out, out);
        }
      }
      case Expr.Binary binary ->
          Operators.apply(binary.op(), at(binary.left(), grid), at(binary.right(), grid), out);
      case Expr.Call call -> {
        switch (call.function()) {
          case Function.Scalar function -> call(function, call, grid, out);
          case Function.Element _,
              Function.Range _,
              Function.OfHistograms _,
              Function.OfVectors _ ->
              throw notScalar(expr);
        }
      }
      case Expr.Text _, Expr.Selector _, Expr.Window _, Expr.Subquery _, Expr.Aggregate _ ->
          throw notScalar(expr);
    }
    return out;
  }

  private static IllegalStateException notScalar(Expr expr) {
    return new IllegalStateException("not a scalar: " + expr);
  }

  private void call(Function.Scalar function, Expr.Call call, Grid grid, double[] out)
      throws QueryFailure {
    switch (function) {
      case TIME -> times(grid, out);
      case PI -> Arrays.fill(out, Math.PI);
      case START -> Arrays.fill(out, query.start() / 1000.0);
      case END -> Arrays.fill(out, query.end() / 1000.0);
      case RANGE -> Arrays.fill(out, (query.end() - query.start()) / 1000.0);
      case STEP -> Arrays.fill(out, query.step() / 1000.0);
      case MIN_OF -> {
        double[] other = two(call, grid, out);
        for (int i = 0; i < out.length; i++) {
          out[i] = Math.min(out[i], other[i]);
        }
      }
      case MAX_OF -> {
        double[] other = two(call, grid, out);
        for (int i = 0; i < out.length; i++) {
          out[i] = Math.max(out[i], other[i]);
        }
      }
      case SCALAR -> only(call.arguments().getFirst(), grid, out);
    }
  }

  /** The time of each step, s. */
  static void times(Grid grid, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = grid.time(i) / 1000.0;
    }
  }

  /** Puts the first argument into {@code out}; gives the second. */
  private double[] two(Expr.Call call, Grid grid, double[] out) throws QueryFailure {
    System.arraycopy(at(call.arguments().get(0), grid), 0, out, 0, out.length);
    return at(call.arguments().get(1), grid);
  }

  /** The value of the only element at a step; NaN where there is none or several. */
  private void only(Expr expr, Grid grid, double[] out) throws QueryFailure {
    int[] there = new int[out.length];
    Arrays.fill(out, Double.NaN);
    evaluator.vector(
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
}
