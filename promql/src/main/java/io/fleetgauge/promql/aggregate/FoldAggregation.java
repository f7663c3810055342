package io.fleetgauge.promql.aggregate;

import io.fleetgauge.promql.expr.Aggregation;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.function.NativeHistograms;
import io.fleetgauge.promql.kernel.Reductions;
import io.fleetgauge.promql.query.Annotations;
import io.fleetgauge.promql.query.Budget;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.Partial;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Sink;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Aggregations that fold each column into its group and keep nothing of it: {@code sum}, {@code
 * avg}, {@code min}, {@code max}, {@code count}, {@code group}, {@code stddev}, {@code stdvar}.
 */
public final class FoldAggregation implements Aggregator {
  private static final long GROUP_COLUMNS = 3;

  private static final class Group {
    final Labels first;
    final int[] count;
    final ExactSum sum;
    final double[] value;
    final double[] squares;
    boolean nameDropped;

    Group(Labels first, int steps, Aggregation op) {
      this.first = first;
      count = new int[steps];
      sum = op == Aggregation.SUM || op == Aggregation.AVG ? new ExactSum(count) : null;
      value =
          switch (op) {
            case MIN, MAX, STDDEV, STDVAR -> new double[steps];
            case SUM, AVG, COUNT, GROUP -> null;
            case QUANTILE, COUNT_VALUES, TOPK, BOTTOMK, LIMITK, LIMIT_RATIO -> throw notFold(op);
          };
      squares = op == Aggregation.STDDEV || op == Aggregation.STDVAR ? new double[steps] : null;
    }
  }

  private final Expr.Aggregate aggregate;
  private final Aggregation op;
  private final AggregationGroups groups;
  private final int steps;
  private final Budget budget;
  private final Annotations annotations;
  private final Map<Labels, Group> byLabels = new LinkedHashMap<>();

  public FoldAggregation(
      Expr.Aggregate aggregate,
      AggregationGroups groups,
      int steps,
      Budget budget,
      Annotations annotations) {
    this.aggregate = aggregate;
    this.op = aggregate.op();
    this.groups = groups;
    this.steps = steps;
    this.budget = budget;
    this.annotations = annotations;
  }

  private static IllegalStateException notFold(Aggregation op) {
    return new IllegalStateException(op.text() + " is not a fold");
  }

  @Override
  public void add(Column column) throws QueryFailure {
    Group group = group(groups.of(column), column.labels());
    group.nameDropped |= column.nameDropped();
    double[] in = column.values();
    switch (op) {
      case SUM, AVG -> group.sum.add(in);
      case MIN -> Reductions.min(in, group.value, group.count);
      case MAX -> Reductions.max(in, group.value, group.count);
      case COUNT, GROUP -> Reductions.count(in, group.count);
      case STDDEV, STDVAR -> Reductions.variance(in, group.value, group.squares, group.count);
      case QUANTILE, COUNT_VALUES, TOPK, BOTTOMK, LIMITK, LIMIT_RATIO -> throw notFold(op);
    }
    if (column.histograms() != null) {
      addHistograms(column, group);
    }
  }

  private Group group(Labels labels, Labels first) throws QueryFailure {
    Group group = byLabels.get(labels);
    if (group == null) {
      // The columns of a group, each of eight bytes a step at the most.
      budget.hold(GROUP_COLUMNS * steps);
      group = new Group(first, steps, op);
      byLabels.put(labels, group);
    }
    return group;
  }

  /** Adds what others have folded. */
  public void add(Partial partial) throws QueryFailure {
    Group group = group(partial.group(), partial.first());
    group.nameDropped |= partial.nameDropped();
    switch (op) {
      case SUM, AVG -> group.sum.add(partial);
      case MIN, MAX -> {
        double[] in = partial.numbers()[0].clone();
        int[] present = new int[steps];
        for (int i = 0; i < steps; i++) {
          if (partial.count()[i] == 0) {
            in[i] = Staleness.MARKER;
          }
          present[i] = group.count[i];
        }
        if (op == Aggregation.MIN) {
          Reductions.min(in, group.value, present);
        } else {
          Reductions.max(in, group.value, present);
        }
        addCounts(partial, group);
      }
      case COUNT, GROUP -> addCounts(partial, group);
      case STDDEV, STDVAR, QUANTILE, COUNT_VALUES, TOPK, BOTTOMK, LIMITK, LIMIT_RATIO ->
          throw new IllegalStateException(op.text() + " has no partials");
    }
  }

  private static void addCounts(Partial partial, Group group) {
    for (int i = 0; i < group.count.length; i++) {
      group.count[i] += partial.count()[i];
    }
  }

  /**
   * The result of the folding so far, for others to go on with; in no order.
   *
   * @return empty when a sum needs more bits than a partial has
   */
  public Optional<List<Partial>> partials() {
    List<Partial> partials = new ArrayList<>();
    for (var entry : byLabels.entrySet()) {
      Group group = entry.getValue();
      double[][] numbers =
          switch (op) {
            case SUM, AVG -> group.sum.parts();
            case MIN, MAX -> new double[][] {group.value};
            case COUNT, GROUP -> new double[0][];
            case STDDEV, STDVAR, QUANTILE, COUNT_VALUES, TOPK, BOTTOMK, LIMITK, LIMIT_RATIO ->
                throw new IllegalStateException(op.text() + " has no partials");
          };
      if (numbers == null) {
        return Optional.empty();
      }
      partials.add(
          new Partial(entry.getKey(), group.first, group.nameDropped, group.count, numbers));
    }
    return Optional.of(partials);
  }

  private void addHistograms(Column column, Group group) throws QueryFailure {
    for (int i = 0; i < steps; i++) {
      if (column.histograms()[i] != null) {
        switch (op) {
          case COUNT, GROUP -> group.count[i]++;
          case MIN, MAX, STDDEV, STDVAR ->
              annotations.info(
                  "ignored histogram in " + op.text() + " aggregation", aggregate.input().span());
          case SUM, AVG -> throw NativeHistograms.notYet(op.text());
          case QUANTILE, COUNT_VALUES, TOPK, BOTTOMK, LIMITK, LIMIT_RATIO -> throw notFold(op);
        }
      }
    }
  }

  @Override
  public void finish(Sink sink) throws QueryFailure {
    for (var entry : byLabels.entrySet()) {
      Group group = entry.getValue();
      double[] out = new double[steps];
      boolean any = false;
      for (int i = 0; i < steps; i++) {
        any |= group.count[i] > 0;
        out[i] = group.count[i] == 0 ? Staleness.MARKER : result(group, i);
      }
      if (any) {
        sink.accept(new Column(entry.getKey(), out, null, group.nameDropped));
      }
      budget.release(GROUP_COLUMNS * steps);
    }
  }

  private double result(Group group, int i) {
    return switch (op) {
      case SUM -> group.sum.total(i);
      case AVG -> group.sum.mean(i);
      case MIN, MAX -> group.value[i];
      case COUNT -> group.count[i];
      case GROUP -> 1;
      case STDVAR -> group.squares[i] / group.count[i];
      case STDDEV -> Math.sqrt(group.squares[i] / group.count[i]);
      case QUANTILE, COUNT_VALUES, TOPK, BOTTOMK, LIMITK, LIMIT_RATIO -> throw notFold(op);
    };
  }
}
