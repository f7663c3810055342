package io.fleetgauge.promql.expr;

import java.util.ArrayList;
import java.util.List;

/**
 * Trees as text over several lines: what is longer than {@link #LINE} characters is broken and its
 * parts indented, as Prometheus formats queries.
 */
public final class PrettyPrinter {
  private static final int LINE = 100;

  private PrettyPrinter() {}

  public static String print(Expr expr) {
    return print(expr, 0);
  }

  private static String print(Expr expr, int level) {
    String indent = "  ".repeat(level);
    String line = expr.toString();
    boolean fits = line.codePointCount(0, line.length()) <= LINE;
    return switch (expr) {
      case Expr.Unary unary ->
          indent + (unary.minus() ? "-" : "+") + print(unary.input(), level).strip();
      case Expr.Subquery subquery when fits -> line;
      case Expr.Subquery subquery -> print(subquery.input(), level) + Printer.brackets(subquery);
      case Expr any when fits -> indent + line;
      case Expr.Aggregate aggregate ->
          indent + call(Printer.operator(aggregate), Printer.arguments(aggregate), level);
      case Expr.Call call -> indent + call(call.function().text(), call.arguments(), level);
      case Expr.Binary binary ->
          print(binary.left(), level + 1)
              + "\n"
              + indent
              + Printer.operator(binary)
              + "\n"
              + print(binary.right(), level + 1);
      case Expr.Paren paren -> indent + call("", List.of(paren.inner()), level);
      case Expr.Number _, Expr.Text _, Expr.Selector _, Expr.Window _ -> indent + line;
    };
  }

  private static String call(String name, List<Expr> arguments, int level) {
    List<String> parts = new ArrayList<>();
    for (Expr argument : arguments) {
      parts.add(print(argument, level + 1));
    }
    return name + "(\n" + String.join(",\n", parts) + "\n" + "  ".repeat(level) + ")";
  }
}
