package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Function;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.vocabulary.SeriesAliases;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An aggregation as far as its text says that rollups can serve it: an exact operator over the
 * selector of one metric, or over its {@code rate} or {@code increase}. Whether a gateway keeps
 * such a rollup is what its rules say.
 *
 * @param metric that is aggregated
 * @param kind of rollup
 * @param window of the rate or increase, ms; 0 for the selector itself
 * @param matchers of other labels
 * @param offset of the selector, ms
 */
public record RollupShape(
    String metric, Kind kind, long window, List<Matcher> matchers, long offset) {
  /** The values that a rollup has of its series. */
  public enum Kind {
    LATEST,
    RATE,
    INCREASE
  }

  /** A shape, or the reason why there is none. */
  public record Outcome(Optional<RollupShape> shape, String obstacle) {
    private static Outcome no(String obstacle) {
      return new Outcome(Optional.empty(), obstacle);
    }
  }

  public static Outcome of(Expr.Aggregate aggregate) {
    if (!Distribution.isMergeable(aggregate)) {
      return Outcome.no("rollups do not support " + aggregate.op().text());
    }
    Kind kind = Kind.LATEST;
    long window = 0;
    Expr.Selector selector;
    switch (aggregate.input().withoutParens()) {
      case Expr.Selector plain -> selector = plain;
      case Expr.Call call
          when (call.function() == Function.Range.RATE
                  || call.function() == Function.Range.INCREASE)
              && call.arguments().getFirst().withoutParens() instanceof Expr.Window range -> {
        kind = call.function() == Function.Range.RATE ? Kind.RATE : Kind.INCREASE;
        window = range.range();
        selector = range.selector();
      }
      case Expr.Call _,
          Expr.Number _,
          Expr.Text _,
          Expr.Window _,
          Expr.Subquery _,
          Expr.Aggregate _,
          Expr.Unary _,
          Expr.Binary _,
          Expr.Paren _ -> {
        return Outcome.no("rollups cover selectors and their rate and increase");
      }
    }
    if (selector.edges() != Expr.Edges.PLAIN || selector.shift().at().isPresent()) {
      return Outcome.no("the selector has an @ modifier or extended range edges");
    }
    if (!showsStored(aggregate.grouping(), selector)) {
      return Outcome.no("it uses aliases, and rollups have stored names only");
    }
    String metric = "";
    List<Matcher> matchers = new ArrayList<>();
    for (Matcher matcher : selector.matchers()) {
      if (!matcher.name().equals(Labels.NAME)) {
        matchers.add(matcher);
      } else if (matcher.kind() == Matcher.Kind.EQUAL && metric.isEmpty()) {
        metric = matcher.value();
      } else {
        return Outcome.no("the selector does not name exactly one metric");
      }
    }
    return metric.isEmpty()
        ? Outcome.no("the selector does not name exactly one metric")
        : new Outcome(
            Optional.of(new RollupShape(metric, kind, window, matchers, selector.shift().offset())),
            "");
  }

  /**
   * Returns true if the groups are those of the stored series: neither names of metrics nor labels
   * of groups are aliases, and no matcher is of one.
   */
  private static boolean showsStored(Expr.Grouping grouping, Expr.Selector selector) {
    if (selector.readings().isEmpty()) {
      return true;
    }
    SeriesAliases seen = selector.readings().getFirst().seen();
    return selector.readings().size() == 1
        && seen.metric().isEmpty()
        && !grouping.without()
        && grouping.labels().stream().noneMatch(seen.labels()::containsKey);
  }
}
