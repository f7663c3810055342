package io.fleetgauge.promql.function;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.expr.ValueType;
import io.fleetgauge.sample.Labels;

/** Knowledge about metric names before any series is read. */
public final class MetricNames {
  private MetricNames() {}

  /** Returns true if all columns of a vector are known to have the same name, or none. */
  public static boolean areSame(Expr expr) {
    return switch (expr) {
      case Expr.Selector selector -> fixesName(selector);
      case Expr.Window window -> fixesName(window.selector());
      case Expr.Subquery subquery -> areSame(subquery.input());
      case Expr.Paren paren -> areSame(paren.inner());
      case Expr.Unary unary -> areSame(unary.input());
      case Expr.Aggregate aggregate -> areSame(aggregate.input());
      case Expr.Call call ->
          switch (call.function().metricName()) {
            case KEPT, DROPPED ->
                call.arguments().stream()
                    .filter(argument -> isOfSeries(argument.type()))
                    .findFirst()
                    .map(MetricNames::areSame)
                    .orElse(false);
            case WRITTEN -> false;
          };
      case Expr.Binary binary -> false;
      case Expr.Number number -> false;
      case Expr.Text text -> false;
    };
  }

  private static boolean isOfSeries(ValueType type) {
    return switch (type) {
      case VECTOR, MATRIX -> true;
      case SCALAR, STRING -> false;
    };
  }

  private static boolean fixesName(Expr.Selector selector) {
    for (Matcher matcher : selector.matchers()) {
      if (matcher.name().equals(Labels.NAME) && matcher.kind() == Matcher.Kind.EQUAL) {
        return true;
      }
    }
    return false;
  }
}
