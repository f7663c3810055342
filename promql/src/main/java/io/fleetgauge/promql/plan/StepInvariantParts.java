package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.exec.QueryWalk;
import java.util.ArrayList;
import java.util.List;

/**
 * Marks expressions that {@code @} fixes: they have one value for all steps and are evaluated once.
 */
final class StepInvariantParts {
  private StepInvariantParts() {}

  static Plan apply(Plan plan) {
    if (QueryWalk.isSameAtEveryStep(plan.expr())) {
      return new Plan.Once(plan);
    }
    List<Plan> inputs = new ArrayList<>();
    for (Plan input : plan.inputs()) {
      inputs.add(apply(input));
    }
    return plan.with(inputs);
  }
}
