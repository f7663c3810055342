package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.exec.Scalars;
import io.fleetgauge.promql.expr.Expr;
import java.util.ArrayList;
import java.util.List;

/** Replaces arithmetic of constants by its result. */
final class ConstantFolding {
  private ConstantFolding() {}

  static Expr apply(Expr expr) {
    List<Expr> parts = new ArrayList<>();
    boolean changed = false;
    for (Expr part : expr.children()) {
      Expr folded = apply(part);
      changed |= folded != part;
      parts.add(folded);
    }
    Expr whole = changed ? expr.with(parts) : expr;
    return switch (whole) {
      case Expr.Binary binary
          when number(binary.left()) != null && number(binary.right()) != null ->
          new Expr.Number(
              Scalars.apply(
                  binary.op(), number(binary.left()).value(), number(binary.right()).value()),
              binary.span());
      case Expr.Unary unary when number(unary.input()) != null ->
          new Expr.Number(
              unary.minus() ? -number(unary.input()).value() : number(unary.input()).value(),
              unary.span());
      case Expr.Number _,
          Expr.Text _,
          Expr.Selector _,
          Expr.Window _,
          Expr.Subquery _,
          Expr.Call _,
          Expr.Aggregate _,
          Expr.Unary _,
          Expr.Binary _,
          Expr.Paren _ ->
          whole;
    };
  }

  private static Expr.Number number(Expr expr) {
    return expr.withoutParens() instanceof Expr.Number number ? number : null;
  }
}
