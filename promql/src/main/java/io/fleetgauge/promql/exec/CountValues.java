package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.kernel.Columns;
import io.fleetgauge.promql.syntax.StrayBytes;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.prometheus.Numbers;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** {@code count_values}: how many columns of a group have each value, a series a value. */
final class CountValues implements Aggregator {
  private final String label;
  private final Groups groups;
  private final int steps;
  private final Map<Labels, double[]> counts = new LinkedHashMap<>();
  private final Map<Labels, Boolean> nameDropped = new HashMap<>();

  CountValues(String label, Groups groups, int steps) throws QueryFailure {
    if (!LabelFunctions.isLabelName(label)) {
      throw new QueryFailure(
          QueryFailure.Kind.EXECUTION, "invalid label name " + StrayBytes.quoted(label));
    }
    this.label = label;
    this.groups = groups;
    this.steps = steps;
  }

  @Override
  public void add(Column column) {
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
        String text = histogram ? column.histograms()[i].toString() : Numbers.plain(value);
        Labels labels = group.with(label, text);
        lastCounts = counts.computeIfAbsent(labels, none -> new double[steps]);
        nameDropped.merge(labels, column.nameDropped(), Boolean::logicalOr);
        last = value;
      }
      lastCounts[i]++;
    }
  }

  @Override
  public void finish(Sink sink) throws QueryFailure {
    for (var entry : counts.entrySet()) {
      double[] out = Arrays.copyOf(entry.getValue(), steps);
      for (int i = 0; i < steps; i++) {
        out[i] = out[i] == 0 ? Staleness.MARKER : out[i];
      }
      sink.accept(new Column(entry.getKey(), out, null, nameDropped.get(entry.getKey())));
    }
  }
}
