package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Function;
import io.fleetgauge.promql.function.InfoJoin;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Which samples the evaluator reads for a query. */
final class Selections {
  private Selections() {}

  /**
   * What a query reads itself, each selection once.
   *
   * @param provided parts of the query that are evaluated elsewhere, by identity
   */
  static List<Selection> of(Query query, Set<Expr> provided) throws QueryFailure {
    LinkedHashSet<Selection> selections = new LinkedHashSet<>();
    QueryWalk.visit(
        query,
        (expr, grid) -> {
          if (provided.contains(expr)) {
            return false;
          }
          if (grid.size() == 0) {
            return true;
          }
          switch (expr) {
            case Expr.Selector selector ->
                selections.add(of(query, grid, selector, query.settings().lookback()));
            case Expr.Window window ->
                selections.add(of(query, grid, window.selector(), window.range()));
            case Expr.Call call when call.function().sharding() == Function.Sharding.JOINS ->
                selections.add(new InfoJoin(query, grid, call).selection());
            case Expr.Number _,
                Expr.Text _,
                Expr.Subquery _,
                Expr.Call _,
                Expr.Aggregate _,
                Expr.Unary _,
                Expr.Binary _,
                Expr.Paren _ -> {}
          }
          return true;
        });
    return new ArrayList<>(selections);
  }

  /**
   * @param length how far back the selector looks from each step
   */
  static Selection of(Query query, Grid grid, Expr.Selector selector, long length) {
    long first = Grid.lookAt(query, selector.shift(), grid.start());
    long last = Grid.lookAt(query, selector.shift(), grid.last());
    long lookback = query.settings().lookback();
    // A sample for an edge is searched within the lookback beyond it.
    return switch (selector.edges()) {
      case PLAIN -> new Selection(selector.matchers(), first - length, last);
      case ANCHORED -> new Selection(selector.matchers(), first - length - lookback, last);
      case SMOOTHED ->
          new Selection(selector.matchers(), first - length - lookback, last + lookback);
    };
  }
}
