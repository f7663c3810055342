package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.syntax.Expr;
import io.fleetgauge.promql.syntax.Function;
import io.fleetgauge.promql.syntax.Matcher;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Which samples a query reads: all of the series that match, from after {@code from} up to and with
 * {@code to} (left-open, as PromQL's windows are). Times in ms since the epoch.
 */
public record Selection(List<Matcher> matchers, long from, long to) {

  /** What a query reads, each selection once. */
  static List<Selection> of(Query query) throws QueryFailure {
    LinkedHashSet<Selection> selections = new LinkedHashSet<>();
    collect(query, new Invariance(), query.grid(), query.expr(), selections);
    return new ArrayList<>(selections);
  }

  private static void collect(
      Query query, Invariance invariance, Grid steps, Expr expr, Set<Selection> into)
      throws QueryFailure {
    // As the evaluator does it: what is the same at every step is read for the first.
    Grid grid = steps.size() > 1 && invariance.of(expr) ? steps.first() : steps;
    switch (expr) {
      case Expr.Number number -> {}
      case Expr.Text text -> {}
      case Expr.Selector selector when grid.size() > 0 ->
          into.add(of(query, grid, selector, query.settings().lookback()));
      case Expr.Window window when grid.size() > 0 ->
          into.add(of(query, grid, window.selector(), window.range()));
      case Expr.Selector selector -> {}
      case Expr.Window window -> {}
      case Expr.Subquery subquery ->
          collect(query, invariance, Grid.of(query, grid, subquery), subquery.input(), into);
      case Expr.Call call -> {
        if (call.function() == Function.INFO) {
          collect(query, invariance, grid, call.arguments().getFirst(), into);
          if (grid.size() > 0) {
            into.add(new InfoJoin(query, grid, call).selection());
          }
        } else {
          for (Expr argument : call.arguments()) {
            collect(query, invariance, grid, argument, into);
          }
        }
      }
      case Expr.Aggregate aggregate -> {
        if (aggregate.parameter().isPresent()) {
          collect(query, invariance, grid, aggregate.parameter().get(), into);
        }
        collect(query, invariance, grid, aggregate.input(), into);
      }
      case Expr.Unary unary -> collect(query, invariance, grid, unary.input(), into);
      case Expr.Binary binary -> {
        collect(query, invariance, grid, binary.left(), into);
        collect(query, invariance, grid, binary.right(), into);
      }
      case Expr.Paren paren -> collect(query, invariance, grid, paren.inner(), into);
    }
  }

  /**
   * @param length how far back the selector looks from each step
   */
  static Selection of(Query query, Grid grid, Expr.Selector selector, long length) {
    long first = Grid.lookAt(query, selector.shift(), grid.start());
    long last = Grid.lookAt(query, selector.shift(), grid.last());
    long lookback = query.settings().lookback();
    // What stands at an edge is found within the lookback beyond it.
    return switch (selector.edges()) {
      case PLAIN -> new Selection(selector.matchers(), first - length, last);
      case ANCHORED -> new Selection(selector.matchers(), first - length - lookback, last);
      case SMOOTHED ->
          new Selection(selector.matchers(), first - length - lookback, last + lookback);
    };
  }
}
