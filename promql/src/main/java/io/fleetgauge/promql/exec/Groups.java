package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.kernel.Reductions;
import io.fleetgauge.promql.syntax.Aggregation;
import io.fleetgauge.promql.syntax.Expr.Grouping;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An aggregation under way: columns come in one by one, one column a group comes out. */
final class Groups {
  private static final class Group {
    final double[] value;
    final double[] carry;
    final int[] count;
    final boolean[] moving;

    Group(int steps, boolean sums, boolean means) {
      value = new double[steps];
      carry = sums || means ? new double[steps] : null;
      count = new int[steps];
      moving = means ? new boolean[steps] : null;
    }
  }

  private final Aggregation op;
  private final Grouping grouping;
  private final int steps;
  private final Map<Labels, Group> groups = new LinkedHashMap<>();

  Groups(Aggregation op, Grouping grouping, int steps) {
    this.op = op;
    this.grouping = grouping;
    this.steps = steps;
  }

  /** Whether this operator can be folded so; the others are not evaluated yet. */
  static boolean knows(Aggregation op) {
    return switch (op) {
      case SUM, AVG, MIN, MAX, COUNT, GROUP -> true;
      case STDDEV, STDVAR, TOPK, BOTTOMK, QUANTILE, COUNT_VALUES, LIMITK, LIMIT_RATIO -> false;
    };
  }

  void add(Column column) {
    Labels key =
        grouping.without()
            ? column.labels().without(grouping.labels())
            : column.labels().only(grouping.labels());
    Group group =
        groups.computeIfAbsent(
            key, none -> new Group(steps, op == Aggregation.SUM, op == Aggregation.AVG));
    double[] in = column.values();
    switch (op) {
      case SUM -> Reductions.sum(in, group.value, group.carry, group.count);
      case AVG -> Reductions.mean(in, group.value, group.carry, group.count, group.moving);
      case MIN -> Reductions.min(in, group.value, group.count);
      case MAX -> Reductions.max(in, group.value, group.count);
      case COUNT, GROUP -> Reductions.count(in, group.count);
      default -> throw new IllegalStateException(op.text());
    }
  }

  List<Column> columns() {
    List<Column> columns = new ArrayList<>(groups.size());
    groups.forEach((labels, group) -> columns.add(new Column(labels, result(group))));
    return columns;
  }

  private double[] result(Group group) {
    double[] out = new double[steps];
    for (int i = 0; i < steps; i++) {
      out[i] = group.count[i] == 0 ? Staleness.MARKER : result(group, i);
    }
    return out;
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
      default -> throw new IllegalStateException(op.text());
    };
  }
}
