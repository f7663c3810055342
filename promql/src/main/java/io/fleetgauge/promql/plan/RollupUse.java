package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.expr.Expr;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Allows shards to use rollups for aggregations that have a {@link RollupShape}. Each shard knows
 * which rollups it keeps.
 */
final class RollupUse {
  private RollupUse() {}

  static Plan apply(Plan plan, OrderSensitivity order, Map<Expr, String> reasons) {
    List<Plan> inputs = new ArrayList<>();
    for (Plan input : plan.inputs()) {
      inputs.add(apply(input, order, reasons));
    }
    if (plan instanceof Plan.Merge merge) {
      RollupShape.Outcome outcome = RollupShape.of(merge.expr());
      if (outcome.shape().isEmpty()) {
        reasons.put(merge.expr(), outcome.obstacle());
      } else if (order.of(merge.expr())) {
        reasons.put(
            merge.expr(),
            "rollups do not have the order of the groups, on which the query depends");
      } else {
        return new Plan.Merge(merge.expr(), true);
      }
    }
    return plan.with(inputs);
  }
}
