package io.fleetgauge.promql.expr;

import io.fleetgauge.promql.expr.Expr.At;
import io.fleetgauge.promql.expr.Expr.Matching;
import io.fleetgauge.promql.expr.Expr.Matching.Many;
import io.fleetgauge.sample.Utf8Order;
import io.fleetgauge.sample.prometheus.Numbers;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Trees as text. Parentheses are printed where the tree has them, and also where a tree that no
 * text was parsed for needs them.
 */
public final class Printer {
  private Printer() {}

  public static String print(Expr expr) {
    StringBuilder out = new StringBuilder();
    print(expr, out);
    return out.toString();
  }

  private static void print(Expr expr, StringBuilder out) {
    switch (expr) {
      case Expr.Number number -> out.append(number(number));
      case Expr.Text text -> out.append(quote(text.value()));
      case Expr.Selector selector ->
          out.append(matchers(selector)).append(shift(selector.shift())).append(edges(selector));
      case Expr.Window window ->
          out.append(matchers(window.selector()))
              .append('[')
              .append(Durations.print(window.range()))
              .append(']')
              .append(shift(window.selector().shift()))
              .append(edges(window.selector()));
      case Expr.Subquery subquery -> {
        operand(subquery.input(), needsParensBeforeBrackets(subquery.input()), out);
        out.append(brackets(subquery));
      }
      case Expr.Call call -> {
        out.append(call.function().text()).append('(');
        list(call.arguments(), out);
        out.append(')');
      }
      case Expr.Aggregate aggregate -> {
        out.append(operator(aggregate)).append('(');
        list(arguments(aggregate), out);
        out.append(')');
      }
      case Expr.Unary unary -> {
        out.append(unary.minus() ? '-' : '+');
        operand(unary.input(), needsParensAfterSign(unary.input()), out);
      }
      case Expr.Binary binary -> {
        operand(binary.left(), needsParensOnLeft(binary), out);
        out.append(' ').append(operator(binary)).append(' ');
        operand(binary.right(), needsParensOnRight(binary), out);
      }
      case Expr.Paren paren -> operand(paren.inner(), true, out);
    }
  }

  private static void operand(Expr expr, boolean parens, StringBuilder out) {
    out.append(parens ? "(" : "");
    print(expr, out);
    out.append(parens ? ")" : "");
  }

  private static void list(List<Expr> expressions, StringBuilder out) {
    for (int i = 0; i < expressions.size(); i++) {
      out.append(i == 0 ? "" : ", ");
      print(expressions.get(i), out);
    }
  }

  /** The contents of an aggregation's parentheses. */
  public static List<Expr> arguments(Expr.Aggregate aggregate) {
    return aggregate
        .parameter()
        .map(parameter -> List.of(parameter, aggregate.input()))
        .orElse(List.of(aggregate.input()));
  }

  /** An aggregation up to its parenthesis. */
  public static String operator(Expr.Aggregate aggregate) {
    return aggregate.op().text() + grouping(aggregate.grouping());
  }

  /** The text between the operands. */
  public static String operator(Expr.Binary binary) {
    return binary.op().text + (binary.bool() ? " bool" : "") + matching(binary.matching());
  }

  /** The text behind the expression of a subquery. */
  public static String brackets(Expr.Subquery subquery) {
    return "["
        + Durations.print(subquery.range())
        + ":"
        + (subquery.step() == 0 ? "" : Durations.print(subquery.step()))
        + "]"
        + shift(subquery.shift());
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
      case Expr.Text _,
          Expr.Selector _,
          Expr.Window _,
          Expr.Subquery _,
          Expr.Call _,
          Expr.Aggregate _,
          Expr.Paren _ ->
          false;
    };
  }

  private static boolean needsParensOnRight(Expr.Binary binary) {
    BinaryOp op = binary.op();
    return binary.right() instanceof Expr.Binary right
        && (right.op().precedence < op.precedence
            || right.op().precedence == op.precedence && !op.isRightAssociative());
  }

  /** Not +Inf: a sign that changes nothing may bind as it likes, and Prometheus prints it bare. */
  private static boolean isSigned(Expr.Number number) {
    return Double.doubleToRawLongBits(number.value()) < 0;
  }

  private static String grouping(Expr.Grouping grouping) {
    if (grouping.without()) {
      return " without (" + labels(grouping.labels()) + ") ";
    }
    return grouping.labels().isEmpty() ? "" : " by (" + labels(grouping.labels()) + ") ";
  }

  private static String matching(Matching matching) {
    Matching.Fill fill = matching.fill();
    String filled =
        fill.left().map(value -> " fill_left (" + Numbers.text(value) + ")").orElse("")
            + fill.right().map(value -> " fill_right (" + Numbers.text(value) + ")").orElse("");
    if (!matching.on() && matching.labels().isEmpty() && matching.many() == Many.NEITHER) {
      return filled;
    }
    String text = matching.on() ? " on (" : " ignoring (";
    text += labels(matching.labels()) + ")";
    return switch (matching.many()) {
          case NEITHER -> text;
          case LEFT -> text + " group_left (" + labels(matching.include()) + ")";
          case RIGHT -> text + " group_right (" + labels(matching.include()) + ")";
        }
        + filled;
  }

  private static String edges(Expr.Selector selector) {
    return selector.edges() == Expr.Edges.PLAIN ? "" : " " + selector.edges().text;
  }

  private static String labels(List<String> names) {
    return names.stream().map(Printer::labelName).collect(Collectors.joining(", "));
  }

  private static String matchers(Expr.Selector selector) {
    int inside = selector.matchers().size() - (selector.named() ? 1 : 0);
    String braces =
        selector.matchers().subList(0, inside).stream()
            .map(Matcher::toString)
            .sorted(Utf8Order::compare)
            .collect(Collectors.joining(","));
    if (!selector.named()) {
      return "{" + braces + "}";
    }
    return selector.matchers().getLast().value() + (inside == 0 ? "" : "{" + braces + "}");
  }

  private static String shift(Expr.Shift shift) {
    String text =
        shift
            .at()
            .map(
                at ->
                    switch (at) {
                      case At.Time time -> " @ " + seconds(time.millis());
                      case At.Start start -> " @ start()";
                      case At.End end -> " @ end()";
                    })
            .orElse("");
    if (shift.offset() > 0) {
      return text + " offset " + Durations.print(shift.offset());
    }
    return shift.offset() < 0 ? text + " offset -" + Durations.print(-shift.offset()) : text;
  }

  /** With three decimals, always. */
  private static String seconds(long millis) {
    String text = Numbers.seconds(millis);
    return text.contains(".") ? text : text + ".000";
  }

  private static String number(Expr.Number number) {
    if (!number.duration()) {
      return Numbers.plain(number.value());
    }
    long millis = Math.round(number.value() * 1000);
    return millis < 0 ? "-" + Durations.print(-millis) : Durations.print(millis);
  }

  public static String labelName(String name) {
    return name.matches("[a-zA-Z_][a-zA-Z0-9_]*") && !Keywords.isNumber(name) ? name : quote(name);
  }

  public static String quote(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    text.codePoints().forEach(c -> quote(c, quoted));
    return quoted.append('"').toString();
  }

  private static void quote(int c, StringBuilder out) {
    switch (c) {
      case '"' -> out.append("\\\"");
      case '\\' -> out.append("\\\\");
      case 7 -> out.append("\\a");
      case '\b' -> out.append("\\b");
      case '\f' -> out.append("\\f");
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      case 11 -> out.append("\\v");
      default -> {
        if (c < 0x20 || c == 0x7f) {
          out.append(String.format("\\x%02x", c));
        } else if (Character.getType(c) == Character.SURROGATE) {
          out.append(String.format("\\x%02x", c & 0xff)); // a byte that is no UTF-8
        } else if (isPrintable(c)) {
          out.appendCodePoint(c);
        } else {
          out.append(String.format(c < 0x10000 ? "\\u%04x" : "\\U%08x", c));
        }
      }
    }
  }

  private static boolean isPrintable(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      case Character.SPACE_SEPARATOR -> c == ' ';
      default -> true;
    };
  }
}
