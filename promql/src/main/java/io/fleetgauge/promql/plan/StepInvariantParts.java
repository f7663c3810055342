package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.exec.Reads;
import java.util.ArrayList;
import java.util.List;

/** Marks what {@code @} fixes, so that it is the same at every step and asked for one only. */
final class StepInvariantParts {
  private StepInvariantParts() {}

  static Plan apply(Plan plan) {
    if (Reads.isSameAtEveryStep(plan.expr())) {
      return new Plan.Once(plan);
    }
    List<Plan> inputs = new ArrayList<>();
    for (Plan input : plan.inputs()) {
      inputs.add(apply(input));
    }
    return plan.with(inputs);
  }
}
