package io.fleetgauge.promql.aggregate;

import io.fleetgauge.promql.expr.InvalidUtf8;
import io.fleetgauge.promql.function.LabelFunctions;
import io.fleetgauge.promql.kernel.Columns;
import io.fleetgauge.promql.query.Budget;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Sink;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.prometheus.Numbers;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** {@code count_values}: how many columns of a group have each value, a series a value. */
public final class CountValues implements Aggregator {
  /** To write a number takes about as long as to add so many. */
  private static final int WORK_OF_A_TEXT = 500;

  private final String label;
  private final AggregationGroups groups;
  private final int steps;
  private final Budget budget;
  private final Map<Labels, double[]> counts = new LinkedHashMap<>();
  private final Map<Labels, Boolean> nameDropped = new HashMap<>();

  public CountValues(String label, AggregationGroups groups, int steps, Budget budget)
      throws QueryFailure {
    if (!LabelFunctions.isLabelName(label)) {
      throw new QueryFailure(
          QueryFailure.Kind.EXECUTION, "invalid label name " + InvalidUtf8.quoted(label));
    }
    this.label = label;
    this.groups = groups;
    this.steps = steps;
    this.budget = budget;
  }

  @Override
  public void add(Column column) throws QueryFailure {
    Labels group = groups.of(column);
    double last = Double.NaN;
    double[] lastCounts = null;
    for (int i = 0; i < steps; i++) {
      if (!column.isPresent(i)) {
        continue;
      }
      double value = column.values()[i];
      boolean histogram = Columns.isAbsent(value);
      // Values often repeat from step to step; the text of one is costly.
      if (lastCounts == null || histogram || value != last || value == 0) {
        budget.work(WORK_OF_A_TEXT);
        String text = histogram ? column.histograms()[i].toString() : Numbers.plain(value);
        Labels labels = group.with(label, text);
        lastCounts = counts.get(labels);
        if (lastCounts == null) {
          budget.hold(steps);
          lastCounts = new double[steps];
          counts.put(labels, lastCounts);
        }
        nameDropped.merge(labels, column.nameDropped(), Boolean::logicalOr);
        last = value;
      }
      lastCounts[i]++;
    }
  }

  @Override
  public void finish(Sink sink) throws QueryFailure {
    for (var entry : counts.entrySet()) {
      double[] out = entry.getValue();
      for (int i = 0; i < steps; i++) {
        out[i] = out[i] == 0 ? Staleness.MARKER : out[i];
      }
      sink.accept(new Column(entry.getKey(), out, null, nameDropped.get(entry.getKey())));
      budget.release(steps);
    }
  }
}
