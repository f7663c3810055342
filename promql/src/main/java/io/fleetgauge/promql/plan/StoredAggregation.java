package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.expr.Reading;
import io.fleetgauge.promql.query.AddedLabel;
import io.fleetgauge.promql.query.PartResult;
import io.fleetgauge.promql.query.Partial;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An aggregation of series with an added label, as one of series without it: rollups know only
 * these.
 *
 * @param aggregate of series without the label
 * @param added the label, if its groups have it
 * @param isExact true if series that have a label of this name as they are stored make no
 *     difference
 */
public record StoredAggregation(
    Expr.Aggregate aggregate, Optional<AddedLabel> added, boolean isExact) {
  /**
   * @param label of all series; empty when none is added
   * @return empty if a selector matches no series with the label
   */
  public static Optional<StoredAggregation> of(
      Expr.Aggregate aggregate, Optional<AddedLabel> label) {
    if (label.isEmpty()) {
      return Optional.of(new StoredAggregation(aggregate, label, true));
    }
    return stored(aggregate.input(), label.get())
        .map(
            input -> {
              Expr.Grouping grouping = aggregate.grouping();
              boolean isKept = grouping.labels().contains(label.get().name()) != grouping.without();
              return new StoredAggregation(
                  new Expr.Aggregate(
                      aggregate.op(),
                      stored(grouping, label.get().name()),
                      aggregate.parameter(),
                      input,
                      aggregate.span()),
                  label.filter(each -> isKept),
                  !isKept && input.equals(aggregate.input()));
            });
  }

  private static Expr.Grouping stored(Expr.Grouping grouping, String name) {
    List<String> labels = new ArrayList<>(grouping.labels());
    labels.removeIf(name::equals);
    if (grouping.without()) {
      labels.add(name);
    }
    return new Expr.Grouping(grouping.without(), List.copyOf(labels));
  }

  private static Optional<Expr> stored(Expr expr, AddedLabel label) {
    if (expr instanceof Expr.Selector selector) {
      return stored(selector, label);
    }
    List<Expr> parts = new ArrayList<>();
    for (Expr part : expr.children()) {
      Optional<Expr> stored = stored(part, label);
      if (stored.isEmpty()) {
        return stored;
      }
      parts.add(stored.get());
    }
    return Optional.of(parts.isEmpty() ? expr : expr.with(parts));
  }

  private static Optional<Expr> stored(Expr.Selector selector, AddedLabel label) {
    List<Reading> readings = new ArrayList<>();
    for (Reading reading : selector.readings()) {
      Optional<List<Matcher>> matchers = label.stored(reading.matchers());
      if (matchers.isEmpty()) {
        return Optional.empty();
      }
      readings.add(new Reading(matchers.get(), reading.seen()));
    }
    return label
        .stored(selector.matchers())
        .map(
            matchers ->
                new Expr.Selector(
                    matchers,
                    selector.named(),
                    selector.shift(),
                    selector.edges(),
                    List.copyOf(readings),
                    selector.span()));
  }

  /** A result for series without the label, as one for series with it. */
  public PartResult seen(PartResult stored) {
    return added
        .map(
            label ->
                new PartResult(
                    stored.columns(),
                    stored.partials().stream().map(each -> seen(each, label)).toList(),
                    stored.annotations(),
                    stored.samples()))
        .orElse(stored);
  }

  private static Partial seen(Partial stored, AddedLabel label) {
    return new Partial(
        label.seen(stored.group()),
        label.seen(stored.first()),
        stored.nameDropped(),
        stored.count(),
        stored.numbers());
  }
}
