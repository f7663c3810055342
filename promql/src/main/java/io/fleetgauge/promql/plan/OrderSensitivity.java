package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.query.Query;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * The parts of a query whose columns have to come in the order of evaluation over all series,
 * because an operator above depends on it: {@code topk} keeps the first of equal values, and the
 * last bits of {@code stddev} depend on the order of addition. The answer itself is sorted at the
 * end, unless the query sets another order.
 */
final class OrderSensitivity {
  private final Set<Expr> sensitive = Collections.newSetFromMap(new IdentityHashMap<>());

  private OrderSensitivity() {}

  static OrderSensitivity of(Query query) {
    OrderSensitivity found = new OrderSensitivity();
    found.mark(query.expr(), query.isInstant() && isLookedAt(query.expr()));
    return found;
  }

  boolean of(Expr expr) {
    return sensitive.contains(expr);
  }

  private void mark(Expr expr, boolean matters) {
    if (matters) {
      sensitive.add(expr);
    }
    for (Expr part : expr.children()) {
      mark(part, matters || Distribution.dependsOnOrder(expr));
    }
  }

  private static boolean isLookedAt(Expr expr) {
    return Distribution.dependsOnOrder(expr)
        || expr.children().stream().anyMatch(OrderSensitivity::isLookedAt);
  }
}
