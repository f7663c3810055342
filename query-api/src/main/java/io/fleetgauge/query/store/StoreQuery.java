package io.fleetgauge.query.store;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.expr.Function;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.expr.ValueType;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A query as a store evaluates it: the same expression, with the matchers of the store in each
 * selector. A query is left out of which a store's answer might be another one than ours.
 *
 * @param text as it is sent
 * @param common matchers that every selector has
 */
record StoreQuery(String text, Query query, List<Matcher> common) {
  /** The most points that Prometheus returns. */
  private static final long MAX_STEPS = 11_000;

  /** The query for a store; empty if it has to be evaluated from samples. */
  static Optional<StoreQuery> of(Query query, StoreLabels labels) {
    boolean isUsual =
        query.settings().lookback() == Query.Settings.STOCK.lookback()
            && query.settings().features().equals(Feature.STOCK)
            && query.grid().size() <= MAX_STEPS
            && query.expr().type() == ValueType.VECTOR;
    if (!isUsual || !labels.areSame()) {
      return Optional.empty();
    }
    List<Set<Matcher>> selectors = new ArrayList<>();
    return sent(query.expr(), labels, selectors)
        .map(
            expr -> {
              Set<Matcher> common = new HashSet<>(selectors.getFirst());
              selectors.forEach(common::retainAll);
              return new StoreQuery(expr.toString(), query, List.copyOf(common));
            });
  }

  /** An expression with the matchers of the store; empty if the store may not know it. */
  private static Optional<Expr> sent(Expr expr, StoreLabels labels, List<Set<Matcher>> selectors) {
    if (!isKnown(expr) || hasMatchersInResult(expr) && !labels.always().isEmpty()) {
      return Optional.empty();
    }
    if (expr instanceof Expr.Selector selector) {
      Optional<List<Matcher>> matchers = labels.sent(selector.matchers());
      matchers.ifPresent(all -> selectors.add(Set.copyOf(all)));
      return matchers.map(all -> new Expr.Selector(all, selector.shift(), selector.span()));
    }
    List<Expr> children = new ArrayList<>();
    for (Expr child : expr.children()) {
      Optional<Expr> sent = sent(child, labels, selectors);
      if (sent.isEmpty()) {
        return Optional.empty();
      }
      children.add(sent.get());
    }
    return Optional.of(expr.with(children));
  }

  private static boolean hasMatchersInResult(Expr expr) {
    return expr instanceof Expr.Call call
        && call.function().sharding() == Function.Sharding.ABSENCE;
  }

  private static boolean isKnown(Expr expr) {
    return switch (expr) {
      case Expr.Selector selector ->
          selector.readings().isEmpty() && selector.edges() == Expr.Edges.PLAIN;
      // Its default step is a setting of the store.
      case Expr.Subquery subquery -> subquery.step() > 0;
      case Expr.Call call -> !call.function().isNewer() && !call.function().isExperimental();
      case Expr.Aggregate aggregate -> !aggregate.op().isExperimental();
      case Expr.Binary binary -> binary.matching().fill().equals(Expr.Matching.Fill.NONE);
      case Expr.Number _, Expr.Text _, Expr.Window _, Expr.Unary _, Expr.Paren _ -> true;
    };
  }

  /** Returns true if a series may be one of the result. */
  boolean mayBe(Series result) {
    for (long time : result.times()) {
      boolean isStep =
          query.start() <= time
              && time <= query.grid().last()
              && (time - query.start()) % query.grid().step() == 0;
      if (!isStep) {
        return false;
      }
    }
    for (Matcher each : common) {
      String value = result.labels().value(each.name());
      if (!value.isEmpty() && !each.matches(value)) {
        return false;
      }
    }
    return true;
  }
}
