package io.fleetgauge.promql.function;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.query.Column;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The orders of {@code sort} and {@code sort_by_label}, for columns of one step. */
public final class Ordering {
  private Ordering() {}

  /** Returns true if anything in an instant query sets the order of its result. */
  public static boolean isAskedFor(Expr expr) {
    boolean here =
        switch (expr) {
          case Expr.Call call ->
              switch (call.function().order()) {
                case SET -> true;
                case KEPT, LOST, READ -> false;
              };
          case Expr.Aggregate aggregate ->
              switch (aggregate.op().order()) {
                case SET -> true;
                case IGNORED, READ -> false;
              };
          case Expr.Selector selector -> false;
          case Expr.Window window -> false;
          case Expr.Subquery subquery -> false;
          case Expr.Unary unary -> false;
          case Expr.Binary binary -> false;
          case Expr.Paren paren -> false;
          case Expr.Number number -> false;
          case Expr.Text text -> false;
        };
    return here || expr.children().stream().anyMatch(Ordering::isAskedFor);
  }

  /** By value; NaN comes last in both directions. */
  public static Comparator<Column> byValue(boolean descending) {
    return (a, b) -> byValue(a.values()[0], b.values()[0], descending);
  }

  private static int byValue(double a, double b, boolean descending) {
    if (Double.isNaN(a) || Double.isNaN(b)) {
      return Boolean.compare(Double.isNaN(a), Double.isNaN(b));
    }
    // Not Double.compare: the two zeros are equal here.
    int order = a < b ? -1 : a > b ? 1 : 0;
    return descending ? -order : order;
  }

  /** By the labels that a call names, then by all. */
  public static Comparator<Column> byLabels(Expr.Call call) {
    List<String> labels = new ArrayList<>();
    for (Expr argument : call.arguments().subList(1, call.arguments().size())) {
      labels.add(((Expr.Text) argument.withoutParens()).value());
    }
    return (a, b) -> {
      for (String label : labels) {
        String left = a.labels().value(label);
        String right = b.labels().value(label);
        if (!left.equals(right)) {
          return natural(left, right) ? -1 : 1;
        }
      }
      return a.labels().compareTo(b.labels());
    };
  }

  /** Returns true if {@code a} comes before {@code b}: runs of digits compare as numbers. */
  public static boolean natural(String a, String b) {
    int i = 0;
    int j = 0;
    while (i < a.length() && j < b.length()) {
      int aEnd = chunk(a, i);
      int bEnd = chunk(b, j);
      String left = a.substring(i, aEnd);
      String right = b.substring(j, bEnd);
      if (!left.equals(right)) {
        boolean numbers = isDigit(left.charAt(0)) && isDigit(right.charAt(0));
        if (!numbers) {
          return io.fleetgauge.sample.Utf8Order.compare(left, right) < 0;
        }
        String leftNumber = left.replaceFirst("^0+", "");
        String rightNumber = right.replaceFirst("^0+", "");
        if (leftNumber.length() != rightNumber.length()) {
          return leftNumber.length() < rightNumber.length();
        }
        if (!leftNumber.equals(rightNumber)) {
          return leftNumber.compareTo(rightNumber) < 0;
        }
        if (left.length() != right.length()) {
          return left.length() < right.length();
        }
      }
      i = aEnd;
      j = bEnd;
    }
    return i == a.length() && j < b.length();
  }

  private static int chunk(String text, int from) {
    int to = from;
    boolean digits = isDigit(text.charAt(from));
    while (to < text.length() && isDigit(text.charAt(to)) == digits) {
      to++;
    }
    return to;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
