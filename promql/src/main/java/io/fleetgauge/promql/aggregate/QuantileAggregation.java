package io.fleetgauge.promql.aggregate;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.function.Quantiles;
import io.fleetgauge.promql.kernel.Columns;
import io.fleetgauge.promql.kernel.Windows;
import io.fleetgauge.promql.query.Annotations;
import io.fleetgauge.promql.query.Budget;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Sink;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code quantile}: needs all columns of a group together. */
public final class QuantileAggregation implements Aggregator {
  private final Expr.Aggregate aggregate;
  private final AggregationGroups groups;
  private final double[] quantiles;
  private final Budget budget;
  private final Annotations annotations;
  private final Map<Labels, List<Column>> byLabels = new LinkedHashMap<>();

  public QuantileAggregation(
      Expr.Aggregate aggregate,
      AggregationGroups groups,
      double[] quantiles,
      Budget budget,
      Annotations annotations) {
    this.aggregate = aggregate;
    this.groups = groups;
    this.quantiles = quantiles;
    this.budget = budget;
    this.annotations = annotations;
  }

  @Override
  public void add(Column column) throws QueryFailure {
    budget.hold(column.steps());
    if (column.histograms() != null) {
      annotations.info("ignored histogram in quantile aggregation", aggregate.input().span());
    }
    byLabels.computeIfAbsent(groups.of(column), none -> new ArrayList<>()).add(column);
  }

  @Override
  public void finish(Sink sink) throws QueryFailure {
    Quantiles.warn(quantiles, aggregate.parameter().orElseThrow().span(), annotations);
    for (var entry : byLabels.entrySet()) {
      List<Column> columns = entry.getValue();
      // The one of 0 and -0 that comes first ranks lower, so the order may not be chance.
      columns.sort(Comparator.comparing(Column::labels));
      double[] values = new double[columns.size()];
      double[] scratch = new double[columns.size()];
      double[] out = new double[quantiles.length];
      boolean dropped = false;
      for (Column column : columns) {
        dropped |= column.nameDropped();
      }
      for (int i = 0; i < out.length; i++) {
        int size = 0;
        for (Column column : columns) {
          if (!Columns.isAbsent(column.values()[i])) {
            values[size++] = column.values()[i];
          }
        }
        out[i] =
            size == 0 ? Staleness.MARKER : Windows.quantile(quantiles[i], values, 0, size, scratch);
        budget.work(size);
      }
      if (Columns.count(out) > 0) {
        sink.accept(new Column(entry.getKey(), out, null, dropped));
      }
      for (Column column : columns) {
        budget.release(column.steps());
      }
    }
  }
}
