package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Gives the shards the largest parts that each can evaluate separately: selectors and functions of
 * series, and operators and aggregations whose matching or grouping keeps the host label.
 */
final class HostKeepingSubtrees {
  private HostKeepingSubtrees() {}

  /**
   * @param reasons receives why a part is not given to the shards
   */
  static Plan apply(Plan plan, OrderSensitivity order, Map<Expr, String> reasons) {
    Expr expr = plan.expr();
    if (expr.type() == ValueType.VECTOR && !(expr instanceof Expr.Paren)) {
      Optional<String> obstacle = Distribution.obstacle(expr);
      if (obstacle.isEmpty() && order.of(expr) && !Distribution.isOrdered(expr)) {
        obstacle = Optional.of("an outer expression depends on the order of the series");
      }
      if (obstacle.isEmpty()) {
        return new Plan.Shards(expr);
      }
      reasons.put(expr, obstacle.get());
    }
    List<Plan> inputs = new ArrayList<>();
    for (Plan input : plan.inputs()) {
      inputs.add(apply(input, order, reasons));
    }
    return plan.with(inputs);
  }
}
