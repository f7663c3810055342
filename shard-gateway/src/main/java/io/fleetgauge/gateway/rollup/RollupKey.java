package io.fleetgauge.gateway.rollup;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Function;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.expr.TextSpan;
import io.fleetgauge.promql.plan.RollupShape;
import io.fleetgauge.sample.Labels;
import java.util.List;

/**
 * The expression of a rollup: a metric, or its rate or increase.
 *
 * @param kind its order is part of the block format
 * @param window length of the range, ms; 0 for the metric itself
 */
public record RollupKey(String metric, RollupShape.Kind kind, long window)
    implements Comparable<RollupKey> {
  /** Between the name of a metric and what says how a kept page was made. */
  private static final char MADE = '\0';

  /**
   * The key of a page that is kept: a page that was made in another way is another one.
   *
   * @param how the settings that the values of the page depend on
   */
  public RollupKey made(String how) {
    return new RollupKey(metric + MADE + how, kind, window);
  }

  /** The name of the metric that a page is made of, also of the key of a page that is kept. */
  public String source() {
    int end = metric.indexOf(MADE);
    return end < 0 ? metric : metric.substring(0, end);
  }

  /** The expression whose values are aggregated. */
  Expr expr() {
    Expr.Selector selector =
        new Expr.Selector(
            List.of(Matcher.equal(Labels.NAME, metric)), Expr.Shift.NONE, TextSpan.NONE);
    if (kind == RollupShape.Kind.LATEST) {
      return selector;
    }
    Function function =
        kind == RollupShape.Kind.RATE ? Function.Range.RATE : Function.Range.INCREASE;
    return new Expr.Call(
        function, List.of(new Expr.Window(selector, window, TextSpan.NONE)), TextSpan.NONE);
  }

  @Override
  public int compareTo(RollupKey other) {
    int order = metric.compareTo(other.metric);
    order = order != 0 ? order : kind.compareTo(other.kind);
    return order != 0 ? order : Long.compare(window, other.window);
  }
}
