package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Function;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.QueryFailure;
import java.util.ArrayList;
import java.util.List;

/**
 * Adds the matchers of the scope to every selector. They can only remove series from what the query
 * selects.
 */
final class Scope {
  private Scope() {}

  /**
   * @throws QueryFailure if the query reads series that no selector in it names
   */
  static Expr apply(Expr expr, List<Matcher> scope) throws QueryFailure {
    if (scope.isEmpty()) {
      return expr;
    }
    if (expr instanceof Expr.Call call && call.function().sharding() == Function.Sharding.JOINS) {
      throw new QueryFailure(
          QueryFailure.Kind.BAD_DATA,
          "info() reads series that no selector names, which is not allowed with a scope; join with"
              + " group_left instead");
    }
    if (expr instanceof Expr.Selector selector) {
      return selector.scoped(scope);
    }
    List<Expr> parts = new ArrayList<>();
    for (Expr part : expr.children()) {
      parts.add(apply(part, scope));
    }
    return parts.isEmpty() ? expr : expr.with(parts);
  }
}
