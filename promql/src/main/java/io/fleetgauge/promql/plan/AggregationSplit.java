package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.expr.Expr;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Lets the shards begin an aggregation whose partials can be merged exactly: sums with their
 * rounding errors, averages as sum and count, minima, maxima, counts and groups. Other aggregations
 * need the columns themselves: {@code stddev} depends on the order of the series, {@code topk}
 * ranks equal values by it, {@code quantile} and {@code count_values} need every value.
 */
final class AggregationSplit {
  private AggregationSplit() {}

  static Plan apply(Plan plan, OrderSensitivity order, Map<Expr, String> reasons) {
    List<Plan> inputs = new ArrayList<>();
    for (Plan input : plan.inputs()) {
      inputs.add(apply(input, order, reasons));
    }
    return switch (plan) {
      case Plan.Shards shards
          when shards.expr() instanceof Expr.Aggregate aggregate
              && Distribution.isMergeable(aggregate) ->
          new Plan.Merge(aggregate, false);
      case Plan.Here here when here.expr() instanceof Expr.Aggregate aggregate -> {
        Expr input = aggregate.input().withoutParens();
        boolean pushed =
            here.inputs().size() == 1
                && here.inputs().getFirst() instanceof Plan.Shards shards
                && shards.expr() == input;
        if (!Distribution.isMergeable(aggregate)) {
          reasons.put(aggregate, aggregate.op().text() + " needs all values in one process");
        } else if (pushed && order.of(aggregate) && !Distribution.isOrdered(input)) {
          reasons.put(aggregate, "an outer expression depends on the order of the groups");
        } else if (pushed) {
          yield new Plan.Merge(aggregate, false);
        }
        yield plan.with(inputs);
      }
      case Plan.Shards _, Plan.Here _, Plan.Gather _, Plan.Merge _, Plan.Once _ ->
          plan.with(inputs);
    };
  }
}
