package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.syntax.Expr;
import io.fleetgauge.promql.syntax.Matcher;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * Which samples a query reads: all of the series that match, from after {@code from} up to and with
 * {@code to} (left-open, as PromQL's windows are). Times in ms since the epoch.
 */
public record Selection(List<Matcher> matchers, long from, long to) {

  /** What a query reads, each selection once. */
  static List<Selection> of(Query query) {
    LinkedHashSet<Selection> selections = new LinkedHashSet<>();
    collect(query, query.expr(), selections);
    return new ArrayList<>(selections);
  }

  private static void collect(Query query, Expr expr, LinkedHashSet<Selection> into) {
    switch (expr) {
      case Expr.Number number -> {}
      case Expr.Text text -> {}
      case Expr.Selector selector -> into.add(of(query, selector, query.lookback()));
      case Expr.Window window -> into.add(of(query, window.selector(), window.range()));
      case Expr.Subquery subquery -> collect(query, subquery.input(), into);
      case Expr.Call call -> call.arguments().forEach(argument -> collect(query, argument, into));
      case Expr.Aggregate aggregate -> {
        aggregate.parameter().ifPresent(parameter -> collect(query, parameter, into));
        collect(query, aggregate.input(), into);
      }
      case Expr.Unary unary -> collect(query, unary.input(), into);
      case Expr.Binary binary -> {
        collect(query, binary.left(), into);
        collect(query, binary.right(), into);
      }
      case Expr.Paren paren -> collect(query, paren.inner(), into);
    }
  }

  static Selection of(Query query, Expr.Selector selector, long length) {
    long first = lookAt(query, selector.shift(), query.start());
    long last = lookAt(query, selector.shift(), query.isInstant() ? query.start() : query.end());
    return new Selection(selector.matchers(), first - length, last);
  }

  /** Where in time a shifted selector looks at the step {@code time}. */
  static long lookAt(Query query, Expr.Shift shift, long time) {
    long from =
        shift
            .at()
            .map(
                at ->
                    switch (at) {
                      case Expr.At.Time fixed -> fixed.millis();
                      case Expr.At.Start start -> query.start();
                      case Expr.At.End end -> query.isInstant() ? query.start() : query.end();
                    })
            .orElse(time);
    return from - shift.offset();
  }
}
