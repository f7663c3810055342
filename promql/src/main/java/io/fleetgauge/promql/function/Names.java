package io.fleetgauge.promql.function;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.expr.ValueType;
import io.fleetgauge.sample.Labels;

/** What can be known of metrics' names before any series is seen. */
public final class Names {
  private Names() {}

  /** Whether all columns of a vector are known to have the same name, or none. */
  public static boolean areOne(Expr expr) {
    return switch (expr) {
      case Expr.Selector selector -> fixesName(selector);
      case Expr.Window window -> fixesName(window.selector());
      case Expr.Subquery subquery -> areOne(subquery.input());
      case Expr.Paren paren -> areOne(paren.inner());
      case Expr.Unary unary -> areOne(unary.input());
      case Expr.Aggregate aggregate -> areOne(aggregate.input());
      case Expr.Call call ->
          switch (call.function().metricName()) {
            case KEPT, DROPPED ->
                call.arguments().stream()
                    .filter(argument -> isOfSeries(argument.type()))
                    .findFirst()
                    .map(Names::areOne)
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
