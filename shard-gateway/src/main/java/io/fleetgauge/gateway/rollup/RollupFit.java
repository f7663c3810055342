package io.fleetgauge.gateway.rollup;

import io.fleetgauge.promql.expr.Aggregation;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.expr.Function;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The proof that an aggregation is a fold of what is kept, as far as it does not depend on what is
 * there: its operator can be put together, its steps are steps of the rollup, its lookback or
 * window is that of the rollup, and its matchers and its grouping see labels of the rollup's groups
 * only.
 *
 * @param matchers which groups count
 * @param first where the first step looks, ms
 * @param counter the metric whose rate is taken, to be remarked upon; empty of the metric itself
 */
public record RollupFit(
    RollupKey key, Expr.Aggregate aggregate, List<Matcher> matchers, long first, String counter) {

  /** Either a fit, or why there is none. */
  public record Outcome(Optional<RollupFit> fit, String obstacle) {
    private static Outcome no(String obstacle) {
      return new Outcome(Optional.empty(), obstacle);
    }
  }

  public static Outcome of(Query query, Expr.Aggregate aggregate, Grid grid, RollupRules rules) {
    if (rules.isEmpty()) {
      return Outcome.no("nothing is kept reduced");
    }
    if (aggregate.op().partials() != Aggregation.Partials.EXACT) {
      return Outcome.no(aggregate.op().text() + " is no fold");
    }
    if (query.settings().features().contains(Feature.DELAYED_NAME_REMOVAL)) {
      return Outcome.no("names are removed late");
    }
    RollupKey.Kind kind = RollupKey.Kind.LATEST;
    long window = 0;
    Expr.Selector selector;
    switch (aggregate.input().withoutParens()) {
      case Expr.Selector plain -> selector = plain;
      case Expr.Call call
          when (call.function() == Function.Range.RATE
                  || call.function() == Function.Range.INCREASE)
              && call.arguments().getFirst().withoutParens() instanceof Expr.Window range -> {
        kind =
            call.function() == Function.Range.RATE ? RollupKey.Kind.RATE : RollupKey.Kind.INCREASE;
        window = range.range();
        selector = range.selector();
      }
      default -> {
        return Outcome.no("it folds neither a selector nor its rate or increase");
      }
    }
    if (selector.edges() != Expr.Edges.PLAIN || selector.shift().at().isPresent()) {
      return Outcome.no("the selector looks at fixed times or at edges");
    }
    String metric = "";
    List<Matcher> matchers = new ArrayList<>();
    for (Matcher matcher : selector.matchers()) {
      if (!matcher.name().equals(Labels.NAME)) {
        matchers.add(matcher);
      } else if (matcher.kind() == Matcher.Kind.EQUAL && metric.isEmpty()) {
        metric = matcher.value();
      } else {
        return Outcome.no("the selector does not name one metric");
      }
    }
    RollupRules.Kept kept = rules.of(metric);
    RollupKey key = new RollupKey(metric, kind, window);
    if (!kept.keys().contains(key)) {
      return Outcome.no("no rule keeps " + key.expr());
    }
    if (kind == RollupKey.Kind.LATEST && query.settings().lookback() != rules.lookback()) {
      return Outcome.no("the lookback is not " + rules.lookback() + " ms");
    }
    for (Matcher matcher : matchers) {
      if (!kept.labels().contains(matcher.name())) {
        return Outcome.no("the label " + matcher.name() + " is not one of the rule");
      }
    }
    if (!aggregate.grouping().without()) {
      for (String label : aggregate.grouping().labels()) {
        if (!kept.labels().contains(label)) {
          return Outcome.no("the label " + label + " is not one of the rule");
        }
      }
    }
    long first = grid.start() - selector.shift().offset();
    boolean onGrid = Math.floorMod(first, rules.step()) == 0;
    if (!onGrid || grid.size() > 1 && grid.step() % rules.step() != 0) {
      return Outcome.no("the steps are no multiples of " + rules.step() + " ms");
    }
    String counter = kind == RollupKey.Kind.LATEST ? "" : metric;
    return new Outcome(Optional.of(new RollupFit(key, aggregate, matchers, first, counter)), "");
  }

  /**
   * Whether a page's groups can be put together as asked: what a {@code without} leaves has to be
   * labels of the groups.
   */
  boolean fits(RollupPage page) {
    Expr.Grouping grouping = aggregate.grouping();
    return !grouping.without() || Set.copyOf(grouping.labels()).containsAll(page.others());
  }

  /**
   * The labels of the rule that matter here, when they are fewer than all: pages of many hosts can
   * be put together by these.
   */
  public Optional<List<String>> coarser(RollupRules rules) {
    List<String> all = rules.of(key.metric()).labels();
    Expr.Grouping grouping = aggregate.grouping();
    List<String> some = new ArrayList<>();
    for (String label : all) {
      boolean isGrouped = grouping.labels().contains(label) != grouping.without();
      if (isGrouped || matchers.stream().anyMatch(matcher -> matcher.name().equals(label))) {
        some.add(label);
      }
    }
    return some.size() < all.size() ? Optional.of(List.copyOf(some)) : Optional.empty();
  }

  boolean matches(Labels group) {
    for (Matcher matcher : matchers) {
      if (!matcher.matches(group)) {
        return false;
      }
    }
    return true;
  }

  /** The labels that a group of the page has in the answer. */
  Labels grouped(Labels group) {
    Expr.Grouping grouping = aggregate.grouping();
    return grouping.without() ? group.without(grouping.labels()) : group.only(grouping.labels());
  }
}
