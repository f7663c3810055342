package io.fleetgauge.promql.syntax;

import io.fleetgauge.promql.syntax.Expr.At;
import io.fleetgauge.promql.syntax.Expr.Matching;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.Numbers;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Trees as text. Parentheses are printed where the tree has them, and also where a tree that no
 * text was parsed for needs them.
 */
final class Printer {
  private Printer() {}

  static String print(Expr expr) {
    return switch (expr) {
      case Expr.Number number -> Numbers.text(number.value());
      case Expr.Text text -> quote(text.value());
      case Expr.Selector selector -> matchers(selector.matchers()) + shift(selector.shift());
      case Expr.Window window ->
          matchers(window.selector().matchers())
              + "["
              + Durations.print(window.range())
              + "]"
              + shift(window.selector().shift());
      case Expr.Subquery subquery ->
          operand(subquery.input(), needsParensBeforeBrackets(subquery.input()))
              + "["
              + Durations.print(subquery.range())
              + ":"
              + (subquery.step() == 0 ? "" : Durations.print(subquery.step()))
              + "]"
              + shift(subquery.shift());
      case Expr.Call call -> call.function().text() + "(" + list(call.arguments()) + ")";
      case Expr.Aggregate aggregate ->
          aggregate.op().text()
              + grouping(aggregate.grouping())
              + "("
              + aggregate.parameter().map(parameter -> parameter + ", ").orElse("")
              + aggregate.input()
              + ")";
      case Expr.Unary unary ->
          (unary.minus() ? "-" : "+") + operand(unary.input(), needsParensAfterSign(unary.input()));
      case Expr.Binary binary ->
          operand(binary.left(), needsParensOnLeft(binary))
              + " "
              + binary.op().text
              + (binary.bool() ? " bool" : "")
              + matching(binary.matching())
              + " "
              + operand(binary.right(), needsParensOnRight(binary));
      case Expr.Paren paren -> "(" + paren.inner() + ")";
    };
  }

  private static String operand(Expr expr, boolean parens) {
    return parens ? "(" + expr + ")" : expr.toString();
  }

  private static boolean needsParensBeforeBrackets(Expr expr) {
    return expr instanceof Expr.Binary
        || expr instanceof Expr.Unary
        || expr instanceof Expr.Number number && isSigned(number);
  }

  private static boolean needsParensAfterSign(Expr expr) {
    // A sign before a number would become part of the number.
    return expr instanceof Expr.Number
        || expr instanceof Expr.Binary binary
            && binary.op().precedence <= BinaryOp.UNARY_PRECEDENCE;
  }

  private static boolean needsParensOnLeft(Expr.Binary binary) {
    BinaryOp op = binary.op();
    return switch (binary.left()) {
      case Expr.Binary left ->
          left.op().precedence < op.precedence
              || left.op().precedence == op.precedence && op.isRightAssociative();
      case Expr.Unary unary -> op.precedence > BinaryOp.UNARY_PRECEDENCE;
      case Expr.Number number -> op.precedence > BinaryOp.UNARY_PRECEDENCE && isSigned(number);
      default -> false;
    };
  }

  private static boolean needsParensOnRight(Expr.Binary binary) {
    BinaryOp op = binary.op();
    return binary.right() instanceof Expr.Binary right
        && (right.op().precedence < op.precedence
            || right.op().precedence == op.precedence && !op.isRightAssociative());
  }

  private static boolean isSigned(Expr.Number number) {
    return Double.isInfinite(number.value()) || Double.doubleToRawLongBits(number.value()) < 0;
  }

  private static String list(List<Expr> arguments) {
    return arguments.stream().map(Expr::toString).collect(Collectors.joining(", "));
  }

  private static String grouping(Expr.Grouping grouping) {
    if (grouping.without()) {
      return " without (" + labels(grouping.labels()) + ") ";
    }
    return grouping.labels().isEmpty() ? "" : " by (" + labels(grouping.labels()) + ") ";
  }

  private static String matching(Matching matching) {
    if (matching.equals(Matching.DEFAULT)) {
      return "";
    }
    String text = matching.on() ? " on (" : " ignoring (";
    text += labels(matching.labels()) + ")";
    return switch (matching.many()) {
      case NEITHER -> text;
      case LEFT -> text + " group_left (" + labels(matching.include()) + ")";
      case RIGHT -> text + " group_right (" + labels(matching.include()) + ")";
    };
  }

  private static String labels(List<String> names) {
    return names.stream().map(Printer::labelName).collect(Collectors.joining(", "));
  }

  private static String matchers(List<Matcher> matchers) {
    Optional<Matcher> name =
        matchers.stream()
            .filter(matcher -> matcher.isName() && isMetricName(matcher.value()))
            .findFirst();
    boolean nameOutside =
        name.isPresent()
            && matchers.stream().filter(matcher -> matcher.name().equals(Labels.NAME)).count() == 1;
    String inside =
        matchers.stream()
            .filter(matcher -> !nameOutside || matcher != name.get())
            .map(Matcher::toString)
            .collect(Collectors.joining(", "));
    String outside = nameOutside ? name.get().value() : "";
    return nameOutside && inside.isEmpty() ? outside : outside + "{" + inside + "}";
  }

  private static String shift(Expr.Shift shift) {
    String text =
        shift
            .at()
            .map(
                at ->
                    switch (at) {
                      case At.Time time -> " @ " + Numbers.seconds(time.millis());
                      case At.Start start -> " @ start()";
                      case At.End end -> " @ end()";
                    })
            .orElse("");
    if (shift.offset() > 0) {
      return text + " offset " + Durations.print(shift.offset());
    }
    return shift.offset() < 0 ? text + " offset -" + Durations.print(-shift.offset()) : text;
  }

  static String labelName(String name) {
    return name.matches("[a-zA-Z_][a-zA-Z0-9_]*") && !Keywords.isNumber(name) ? name : quote(name);
  }

  /** Whether a name can stand before the braces and still be read as a metric's name. */
  private static boolean isMetricName(String name) {
    return name.matches("[a-zA-Z_:][a-zA-Z0-9_:]*") && !Keywords.isReserved(name);
  }

  static String quote(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    text.codePoints()
        .forEach(
            c -> {
              switch (c) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                case '\n' -> quoted.append("\\n");
                case '\r' -> quoted.append("\\r");
                case '\t' -> quoted.append("\\t");
                default -> {
                  if (c < 0x20 || c == 0x7f) {
                    quoted.append(String.format("\\x%02x", c));
                  } else {
                    quoted.appendCodePoint(c);
                  }
                }
              }
            });
    return quoted.append('"').toString();
  }
}
