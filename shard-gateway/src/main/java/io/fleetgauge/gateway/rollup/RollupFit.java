package io.fleetgauge.gateway.rollup;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.plan.RollupShape;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The proof that an aggregation equals a fold of rollups, as far as it does not depend on the data:
 * it has the shape of a rollup, its steps are steps of the rollup, its lookback or window is that
 * of the rollup, and its matchers and grouping use labels of the rollup's groups only.
 *
 * @param fold the rows that the operator needs
 * @param matchers select the groups
 * @param first the time of the first step, without the selector's offset, ms
 * @param counter the metric whose rate is computed, for annotations; empty for the metric itself
 */
public record RollupFit(
    RollupKey key,
    Expr.Aggregate aggregate,
    FoldRows fold,
    List<Matcher> matchers,
    long first,
    String counter) {

  /** A fit, or the reason why there is none. */
  public record Outcome(Optional<RollupFit> fit, String obstacle) {
    private static Outcome no(String obstacle) {
      return new Outcome(Optional.empty(), obstacle);
    }
  }

  public static Outcome of(Query query, Expr.Aggregate aggregate, Grid grid, RollupRules rules) {
    if (rules.isEmpty()) {
      return Outcome.no("there are no rollup rules");
    }
    if (query.settings().features().contains(Feature.DELAYED_NAME_REMOVAL)) {
      return Outcome.no("metric names are removed late");
    }
    RollupShape.Outcome outcome = RollupShape.of(aggregate);
    Optional<FoldRows> fold = FoldRows.of(aggregate.op());
    if (outcome.shape().isEmpty() || fold.isEmpty()) {
      return Outcome.no(outcome.obstacle());
    }
    RollupShape shape = outcome.shape().get();
    RollupRules.OfMetric kept = rules.of(shape.metric());
    RollupKey key = new RollupKey(shape.metric(), shape.kind(), shape.window());
    if (!kept.keys().contains(key)) {
      return Outcome.no("no rollup rule computes " + key.expr());
    }
    boolean latest = shape.kind() == RollupShape.Kind.LATEST;
    if (latest && query.settings().lookback() != rules.lookback()) {
      return Outcome.no("the lookback is not " + rules.lookback() + " ms");
    }
    for (Matcher matcher : shape.matchers()) {
      if (!kept.labels().contains(matcher.name())) {
        return Outcome.no("the label " + matcher.name() + " is not a label of the rollup rule");
      }
    }
    if (!aggregate.grouping().without()) {
      for (String label : aggregate.grouping().labels()) {
        if (!kept.labels().contains(label)) {
          return Outcome.no("the label " + label + " is not a label of the rollup rule");
        }
      }
    }
    long first = grid.start() - shape.offset();
    boolean onGrid = Math.floorMod(first, rules.step()) == 0;
    if (!onGrid || grid.size() > 1 && grid.step() % rules.step() != 0) {
      return Outcome.no("the steps are not multiples of " + rules.step() + " ms");
    }
    String counter = latest ? "" : shape.metric();
    return new Outcome(
        Optional.of(new RollupFit(key, aggregate, fold.get(), shape.matchers(), first, counter)),
        "");
  }

  /**
   * Returns true if the groups of a page can be merged as the grouping requires: the labels that a
   * {@code without} keeps must be labels of the groups.
   */
  boolean fits(RollupPage page) {
    Expr.Grouping grouping = aggregate.grouping();
    return !grouping.without() || Set.copyOf(grouping.labels()).containsAll(page.others());
  }

  /**
   * The labels of the rule that the aggregation uses, if they are not all of them: pages of many
   * hosts can be merged by these.
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

  /** The labels of the result that a group of a page belongs to. */
  Labels grouped(Labels group) {
    Expr.Grouping grouping = aggregate.grouping();
    return grouping.without() ? group.without(grouping.labels()) : group.only(grouping.labels());
  }
}
