package io.fleetgauge.promql.script;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Function;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Puts {@code @} on every selector of a query; its result is then the same at any time. */
final class Pinning {
  private final Expr.At at;

  private Pinning(long millis) {
    this.at = new Expr.At.Time(millis);
  }

  /** The query pinned to a time; empty when its result still depends on the evaluation time. */
  static Optional<Expr> pinned(Expr expr, long millis) {
    return dependsOnTime(expr) ? Optional.empty() : Optional.of(new Pinning(millis).pin(expr));
  }

  private static boolean dependsOnTime(Expr expr) {
    return switch (expr) {
      case Expr.Number number -> false;
      case Expr.Text text -> false;
      case Expr.Selector selector -> false;
      case Expr.Window window -> false;
      case Expr.Subquery subquery -> dependsOnTime(subquery.input());
      case Expr.Call call ->
          switch (call.function().steps()) {
            case TIME, QUERY, TIME_WITHOUT_ARGUMENTS ->
                call.function() != Function.OfVectors.INFO
                    || call.arguments().stream().anyMatch(Pinning::dependsOnTime);
            case ARGUMENTS -> call.arguments().stream().anyMatch(Pinning::dependsOnTime);
          };
      case Expr.Aggregate aggregate ->
          dependsOnTime(aggregate.input())
              || aggregate.parameter().map(Pinning::dependsOnTime).orElse(false);
      case Expr.Unary unary -> dependsOnTime(unary.input());
      case Expr.Binary binary -> dependsOnTime(binary.left()) || dependsOnTime(binary.right());
      case Expr.Paren paren -> dependsOnTime(paren.inner());
    };
  }

  private Expr pin(Expr expr) {
    return switch (expr) {
      case Expr.Number number -> number;
      case Expr.Text text -> text;
      case Expr.Selector selector -> pin(selector);
      case Expr.Window window ->
          new Expr.Window(pin(window.selector()), window.range(), window.span());
      case Expr.Subquery subquery ->
          // An @ modifier of a subquery applies to everything inside it.
          subquery.shift().at().isPresent()
              ? subquery
              : new Expr.Subquery(
                  subquery.input(),
                  subquery.range(),
                  subquery.step(),
                  new Expr.Shift(Optional.of(at), subquery.shift().offset()),
                  subquery.span());
      case Expr.Call call -> new Expr.Call(call.function(), arguments(call), call.span());
      case Expr.Aggregate aggregate ->
          new Expr.Aggregate(
              aggregate.op(),
              aggregate.grouping(),
              aggregate.parameter().map(this::pin),
              pin(aggregate.input()),
              aggregate.span());
      case Expr.Unary unary -> new Expr.Unary(unary.minus(), pin(unary.input()), unary.span());
      case Expr.Binary binary ->
          new Expr.Binary(
              binary.op(),
              pin(binary.left()),
              pin(binary.right()),
              binary.bool(),
              binary.matching(),
              binary.span());
      case Expr.Paren paren -> new Expr.Paren(pin(paren.inner()), paren.span());
    };
  }

  private List<Expr> arguments(Expr.Call call) {
    // The second argument of info is a list of matchers and is not evaluated.
    boolean info = call.function() == Function.OfVectors.INFO;
    List<Expr> arguments = new ArrayList<>();
    for (Expr argument : call.arguments()) {
      arguments.add(info && !arguments.isEmpty() ? argument : pin(argument));
    }
    return arguments;
  }

  private Expr.Selector pin(Expr.Selector selector) {
    return selector.shift().at().isPresent()
        ? selector
        : selector.with(
            new Expr.Shift(Optional.of(at), selector.shift().offset()), selector.span());
  }
}
