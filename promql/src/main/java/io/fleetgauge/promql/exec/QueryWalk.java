package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Function;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;

/** Walks a query as the evaluator does, with the steps at which each part is evaluated. */
public final class QueryWalk {
  /** Visits a part of a query. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * @param grid the steps at which the part is evaluated; may have none
     * @return whether to go on with what the part is made of
     */
    boolean visit(Expr expr, Grid grid) throws QueryFailure;
  }

  private final Query query;
  private final Visitor visitor;
  private final Invariance invariance = new Invariance();

  private QueryWalk(Query query, Visitor visitor) {
    this.query = query;
    this.visitor = visitor;
  }

  /**
   * Visits all parts from the root down, left before right.
   *
   * @throws QueryFailure if a subquery has more steps than samples are allowed
   */
  public static void visit(Query query, Visitor visitor) throws QueryFailure {
    visit(query, query.grid(), visitor);
  }

  /** As above, for a part of a query that is evaluated at other steps. */
  static void visit(Query query, Grid grid, Visitor visitor) throws QueryFailure {
    new QueryWalk(query, visitor).walk(query.expr(), grid);
  }

  /**
   * Returns true if a part has the same value at every step, because {@code @} fixes everything in
   * it.
   */
  public static boolean isSameAtEveryStep(Expr expr) {
    return new Invariance().of(expr);
  }

  private void walk(Expr expr, Grid steps) throws QueryFailure {
    // As in the evaluator, an expression that is the same at every step is read for the first.
    Grid grid = steps.size() > 1 && invariance.of(expr) ? steps.first() : steps;
    if (!visitor.visit(expr, grid)) {
      return;
    }
    switch (expr) {
      case Expr.Window window -> {}
      case Expr.Subquery subquery -> walk(subquery.input(), Grid.of(query, grid, subquery));
      case Expr.Call call when call.function().sharding() == Function.Sharding.JOINS ->
          walk(call.arguments().getFirst(), grid);
      case Expr.Number _,
          Expr.Text _,
          Expr.Selector _,
          Expr.Call _,
          Expr.Aggregate _,
          Expr.Unary _,
          Expr.Binary _,
          Expr.Paren _ -> {
        for (Expr part : expr.children()) {
          walk(part, grid);
        }
      }
    }
  }
}
