package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Function;
import io.fleetgauge.sample.vocabulary.Seen;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Allows shards to use rollups for {@code sum}, {@code avg}, {@code min}, {@code max}, {@code
 * count} and {@code group} of an instant selector or of its {@code rate} or {@code increase}. Each
 * shard proves for itself that its rollups fit.
 */
final class RollupUse {
  private RollupUse() {}

  static Plan apply(Plan plan, OrderSensitivity order, Map<Expr, String> reasons) {
    List<Plan> inputs = new ArrayList<>();
    for (Plan input : plan.inputs()) {
      inputs.add(apply(input, order, reasons));
    }
    if (plan instanceof Plan.Merge merge) {
      Expr input = merge.expr().input().withoutParens();
      if (!isKept(input)) {
        reasons.put(merge.expr(), "rollups are of selectors and their rate and increase");
      } else if (!showsStored(merge.expr(), input)) {
        reasons.put(merge.expr(), "it uses aliases, and rollups are of what is stored");
      } else if (order.of(merge.expr())) {
        reasons.put(
            merge.expr(), "rollups do not know the order of the groups, which is looked at");
      } else {
        return new Plan.Merge(merge.expr(), true);
      }
    }
    return plan.with(inputs);
  }

  /** Whether rollups exist for this kind of expression. */
  static boolean isKept(Expr input) {
    return switch (input) {
      case Expr.Selector selector -> isPlain(selector);
      case Expr.Call call
          when call.function() == Function.Range.RATE
              || call.function() == Function.Range.INCREASE ->
          call.arguments().getFirst().withoutParens() instanceof Expr.Window window
              && isPlain(window.selector());
      case Expr.Number _,
          Expr.Text _,
          Expr.Window _,
          Expr.Subquery _,
          Expr.Call _,
          Expr.Aggregate _,
          Expr.Unary _,
          Expr.Binary _,
          Expr.Paren _ ->
          false;
    };
  }

  /**
   * Whether the groups are those of the stored series: neither names of metrics nor labels of
   * groups are aliases, and no matcher is of one.
   */
  private static boolean showsStored(Expr.Aggregate aggregate, Expr input) {
    Expr.Selector selector = selector(input);
    if (selector.readings().isEmpty()) {
      return true;
    }
    Seen seen = selector.readings().getFirst().seen();
    Expr.Grouping grouping = aggregate.grouping();
    return selector.readings().size() == 1
        && seen.metric().isEmpty()
        && !grouping.without()
        && grouping.labels().stream().noneMatch(seen.labels()::containsKey);
  }

  private static Expr.Selector selector(Expr input) {
    return switch (input) {
      case Expr.Selector selector -> selector;
      case Expr.Window window -> window.selector();
      case Expr other -> selector(other.children().getFirst().withoutParens());
    };
  }

  private static boolean isPlain(Expr.Selector selector) {
    return selector.edges() == Expr.Edges.PLAIN && selector.shift().at().isEmpty();
  }
}
