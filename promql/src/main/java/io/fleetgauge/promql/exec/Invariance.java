package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.expr.Expr;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which expressions have the same value at every step, because {@code @} fixes everything in them.
 */
final class Invariance {
  private final Map<Expr, Boolean> known = new IdentityHashMap<>();

  boolean of(Expr expr) {
    Boolean before = known.get(expr);
    if (before != null) {
      return before;
    }
    boolean invariant = find(expr);
    known.put(expr, invariant);
    return invariant;
  }

  private boolean find(Expr expr) {
    return switch (expr) {
      case Expr.Number number -> true;
      case Expr.Text text -> true;
      case Expr.Selector selector -> selector.shift().at().isPresent();
      case Expr.Window window -> window.selector().shift().at().isPresent();
      case Expr.Subquery subquery -> subquery.shift().at().isPresent();
      case Expr.Call call -> !dependsOnTime(call) && all(call.arguments());
      // The parameter takes no part: with a fixed input, that of the first step counts.
      case Expr.Aggregate aggregate -> of(aggregate.input());
      case Expr.Unary unary -> of(unary.input());
      case Expr.Binary binary -> of(binary.left()) & of(binary.right());
      case Expr.Paren paren -> of(paren.inner());
    };
  }

  private boolean all(List<Expr> expressions) {
    boolean all = true;
    for (Expr expr : expressions) {
      all &= of(expr);
    }
    return all;
  }

  private static boolean dependsOnTime(Expr.Call call) {
    return switch (call.function().steps()) {
      case TIME -> true;
      case TIME_WITHOUT_ARGUMENTS -> call.arguments().isEmpty();
      case ARGUMENTS, QUERY -> false;
    };
  }
}
