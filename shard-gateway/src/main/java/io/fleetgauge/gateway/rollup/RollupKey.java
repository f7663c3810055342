package io.fleetgauge.gateway.rollup;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Function;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.expr.Span;
import io.fleetgauge.sample.Labels;
import java.util.List;

/**
 * What is reduced: a metric, or its rate or increase.
 *
 * @param window how long the range is, ms; 0 of the metric itself
 */
public record RollupKey(String metric, Kind kind, long window) implements Comparable<RollupKey> {
  /** How a metric is looked at; the order is that of the numbers on the disk. */
  public enum Kind {
    LATEST,
    RATE,
    INCREASE
  }

  /** The expression whose values are folded. */
  Expr expr() {
    Expr.Selector selector =
        new Expr.Selector(List.of(Matcher.equal(Labels.NAME, metric)), Expr.Shift.NONE, Span.NONE);
    if (kind == Kind.LATEST) {
      return selector;
    }
    Function function = kind == Kind.RATE ? Function.Range.RATE : Function.Range.INCREASE;
    return new Expr.Call(
        function, List.of(new Expr.Window(selector, window, Span.NONE)), Span.NONE);
  }

  @Override
  public int compareTo(RollupKey other) {
    int order = metric.compareTo(other.metric);
    order = order != 0 ? order : kind.compareTo(other.kind);
    return order != 0 ? order : Long.compare(window, other.window);
  }
}
