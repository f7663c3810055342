package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.query.Query;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * Which parts of a query have to come with their series in the order that evaluation over all
 * series gives them, because something above looks at it: of equal values {@code topk} takes those
 * that came first, and the last bits of {@code stddev} depend on who came when. An answer itself is
 * put in order at the end, unless something in the query asks for another.
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
      mark(part, matters || Distribution.looksAtOrder(expr));
    }
  }

  private static boolean isLookedAt(Expr expr) {
    return Distribution.looksAtOrder(expr)
        || expr.children().stream().anyMatch(OrderSensitivity::isLookedAt);
  }
}
