package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.kernel.Reductions;
import io.fleetgauge.promql.syntax.Aggregation;
import io.fleetgauge.promql.syntax.Expr;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Aggregations that fold each column into its group and keep nothing of it: {@code sum}, {@code
 * avg}, {@code min}, {@code max}, {@code count}, {@code group}, {@code stddev}, {@code stdvar}.
 */
final class FoldAggregation implements Aggregator {
  private static final long GROUP_COLUMNS = 3;

  private static final class Group {
    final double[] value;
    final double[] carry;
    final int[] count;
    final boolean[] moving;
    boolean nameDropped;

    Group(int steps, Aggregation op) {
      value = new double[steps];
      count = new int[steps];
      carry =
          switch (op) {
            case SUM, AVG, STDDEV, STDVAR -> new double[steps];
            default -> null;
          };
      moving = op == Aggregation.AVG ? new boolean[steps] : null;
    }
  }

  private final Expr.Aggregate aggregate;
  private final Aggregation op;
  private final Groups groups;
  private final int steps;
  private final Budget budget;
  private final Annotations annotations;
  private final Map<Labels, Group> byLabels = new LinkedHashMap<>();

  FoldAggregation(
      Expr.Aggregate aggregate, Groups groups, int steps, Budget budget, Annotations annotations) {
    this.aggregate = aggregate;
    this.op = aggregate.op();
    this.groups = groups;
    this.steps = steps;
    this.budget = budget;
    this.annotations = annotations;
  }

  @Override
  public void add(Column column) throws QueryFailure {
    Labels labels = groups.of(column);
    Group group = byLabels.get(labels);
    if (group == null) {
      // The columns of a group, each of eight bytes a step at the most.
      budget.hold(GROUP_COLUMNS * steps);
      group = new Group(steps, op);
      byLabels.put(labels, group);
    }
    group.nameDropped |= column.nameDropped();
    double[] in = column.values();
    switch (op) {
      case SUM -> Reductions.sum(in, group.value, group.carry, group.count);
      case AVG -> Reductions.mean(in, group.value, group.carry, group.count, group.moving);
      case MIN -> Reductions.min(in, group.value, group.count);
      case MAX -> Reductions.max(in, group.value, group.count);
      case COUNT, GROUP -> Reductions.count(in, group.count);
      case STDDEV, STDVAR -> Reductions.variance(in, group.value, group.carry, group.count);
      default -> throw new IllegalStateException(op.text());
    }
    if (column.histograms() != null) {
      addHistograms(column, group);
    }
  }

  private void addHistograms(Column column, Group group) throws QueryFailure {
    for (int i = 0; i < steps; i++) {
      if (column.histograms()[i] != null) {
        switch (op) {
          case COUNT, GROUP -> group.count[i]++;
          case MIN, MAX, STDDEV, STDVAR ->
              annotations.info(
                  "ignored histogram in " + op.text() + " aggregation", aggregate.input().span());
          default -> throw NativeHistograms.notYet(op.text());
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
      case SUM -> group.value[i] + group.carry[i];
      case AVG ->
          group.moving[i]
              ? group.value[i] + group.carry[i]
              : group.value[i] / group.count[i] + group.carry[i] / group.count[i];
      case MIN, MAX -> group.value[i];
      case COUNT -> group.count[i];
      case GROUP -> 1;
      case STDVAR -> group.carry[i] / group.count[i];
      case STDDEV -> Math.sqrt(group.carry[i] / group.count[i]);
      default -> throw new IllegalStateException(op.text());
    };
  }
}
