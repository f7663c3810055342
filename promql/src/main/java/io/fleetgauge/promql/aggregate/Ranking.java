package io.fleetgauge.promql.aggregate;

import io.fleetgauge.promql.expr.Aggregation;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.kernel.Columns;
import io.fleetgauge.promql.kernel.Heaps;
import io.fleetgauge.promql.query.Annotations;
import io.fleetgauge.promql.query.Budget;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Sink;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code topk} and {@code bottomk}: a heap of at most k values for each group and step, so that of
 * all columns only those that are among the k somewhere leave a trace.
 */
public final class Ranking implements Aggregator {
  /** One group: a heap a step, and the columns that have ever been in one. */
  private static final class Group {
    final double[][] values;
    final int[][] columns;
    final int[] sizes;
    final List<Column> seen = new ArrayList<>();

    Group(int steps) {
      values = new double[steps][];
      columns = new int[steps][];
      sizes = new int[steps];
    }
  }

  private final boolean top;
  private final Expr.Aggregate aggregate;
  private final AggregationGroups groups;
  private final double[] parameter;
  private final long[] limits;
  private final Budget budget;
  private final Annotations annotations;
  private final Map<Labels, Group> byLabels = new LinkedHashMap<>();
  private long held;

  public Ranking(
      Expr.Aggregate aggregate,
      AggregationGroups groups,
      double[] parameter,
      Budget budget,
      Annotations annotations) {
    this.top = aggregate.op() == Aggregation.TOPK;
    this.aggregate = aggregate;
    this.groups = groups;
    this.parameter = parameter;
    this.limits = LimitAggregation.counts(parameter);
    this.budget = budget;
    this.annotations = annotations;
  }

  @Override
  public void add(Column column) throws QueryFailure {
    Group group = byLabels.computeIfAbsent(groups.of(column), none -> new Group(limits.length));
    int id = group.seen.size();
    boolean ranked = false;
    for (int i = 0; i < limits.length; i++) {
      double value = column.values()[i];
      if (Columns.isAbsent(value)) {
        if (column.histograms() != null && column.histograms()[i] != null) {
          annotations.info(
              "ignored histogram in " + aggregate.op().text() + " aggregation",
              aggregate.input().span());
        }
        continue;
      }
      if (limits[i] == LimitAggregation.INVALID) {
        throw LimitAggregation.invalid(parameter[i]);
      }
      if (limits[i] >= 1) {
        ranked |= offer(group, i, value, id);
      }
    }
    if (ranked) {
      // The values themselves stand in the heaps; of the column, its labels are enough.
      group.seen.add(new Column(column.labels(), null, null, column.nameDropped()));
    }
  }

  private boolean offer(Group group, int step, double value, int id) throws QueryFailure {
    int size = group.sizes[step];
    if (size < limits[step]) {
      if (size == 0 || size == group.values[step].length) {
        int capacity = (int) Math.min(limits[step], size == 0 ? 4 : 2L * size);
        budget.hold(capacity - size);
        held += capacity - size;
        group.values[step] =
            size == 0 ? new double[capacity] : Arrays.copyOf(group.values[step], capacity);
        group.columns[step] =
            size == 0 ? new int[capacity] : Arrays.copyOf(group.columns[step], capacity);
      }
      Heaps.push(group.values[step], group.columns[step], size, value, id, top);
      group.sizes[step]++;
      return true;
    }
    return Heaps.offer(group.values[step], group.columns[step], size, value, id, top);
  }

  @Override
  public void finish(Sink sink) throws QueryFailure {
    for (Group group : byLabels.values()) {
      if (limits.length == 1) {
        inOrder(group, sink);
      } else {
        byColumn(group, sink);
      }
    }
    budget.release(held);
  }

  /** Writes the result of an instant query, by rank. */
  private void inOrder(Group group, Sink sink) throws QueryFailure {
    int size = group.sizes[0];
    if (size > 0) {
      Heaps.sort(group.values[0], group.columns[0], size, top);
    }
    for (int i = 0; i < size; i++) {
      Column column = group.seen.get(group.columns[0][i]);
      sink.accept(column.with(new double[] {group.values[0][i]}));
    }
  }

  private void byColumn(Group group, Sink sink) throws QueryFailure {
    double[][] out = new double[group.seen.size()][];
    for (int i = 0; i < limits.length; i++) {
      for (int j = 0; j < group.sizes[i]; j++) {
        int id = group.columns[i][j];
        if (out[id] == null) {
          budget.hold(limits.length);
          out[id] = new double[limits.length];
          Arrays.fill(out[id], Staleness.MARKER);
        }
        out[id][i] = group.values[i][j];
      }
    }
    for (int id = 0; id < out.length; id++) {
      if (out[id] != null) {
        sink.accept(group.seen.get(id).with(out[id]));
        budget.release(limits.length);
      }
    }
  }
}
