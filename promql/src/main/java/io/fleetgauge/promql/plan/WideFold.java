package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.sample.Labels;

/** Detects aggregations over all stored series of a metric that no rollup can serve. */
public final class WideFold {
  private WideFold() {}

  /** Returns true if a planned query has one: its selector matches by the metric name only. */
  public static boolean isIn(Planned planned) {
    return isIn(planned.plan());
  }

  private static boolean isIn(Plan plan) {
    boolean kept = plan instanceof Plan.Merge merge && merge.rollups();
    return !kept && folds(plan.expr()) || plan.inputs().stream().anyMatch(WideFold::isIn);
  }

  private static boolean folds(Expr expr) {
    return expr instanceof Expr.Aggregate aggregate && isWide(aggregate.input());
  }

  private static boolean isWide(Expr expr) {
    return switch (expr) {
      case Expr.Selector selector ->
          selector.matchers().stream().allMatch(matcher -> matcher.name().equals(Labels.NAME))
              && UsageUse.obstacle(selector).isEmpty();
      case Expr.Aggregate inner -> false;
      case Expr.Number _,
          Expr.Text _,
          Expr.Window _,
          Expr.Subquery _,
          Expr.Call _,
          Expr.Unary _,
          Expr.Binary _,
          Expr.Paren _ ->
          expr.children().stream().anyMatch(WideFold::isWide);
    };
  }
}
