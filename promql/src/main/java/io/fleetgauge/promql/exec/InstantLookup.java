package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.function.Samples;
import io.fleetgauge.promql.kernel.Columns;
import io.fleetgauge.promql.kernel.EdgeWindows;
import io.fleetgauge.promql.query.Annotations;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;

/**
 * Evaluates an instant selector: the newest sample of a series within the lookback at each step.
 */
final class InstantLookup {
  private final Expr.Selector selector;
  private final long lookback;
  private final long start;
  private final long step;
  private final int size;
  private int found;

  InstantLookup(Query query, Expr.Selector selector, Grid grid) {
    this.selector = selector;
    this.lookback = query.settings().lookback();
    this.start = Grid.lookAt(query, selector.shift(), grid.start());
    this.step = selector.shift().at().isPresent() ? 0 : grid.step();
    this.size = grid.size();
  }

  /** The number of samples that {@link #apply} found in the last series. */
  int found() {
    return found;
  }

  Column apply(Series series, Annotations annotations) {
    double[] values = new double[size];
    if (selector.edges() != Expr.Edges.PLAIN) {
      Samples samples = Samples.of(series);
      if (samples.hasHistograms() && samples.hasFloats()) {
        annotations.warn(
            "encountered a mix of histograms and floats for metric name \""
                + series.labels().metric()
                + "\"",
            selector.span());
      }
      EdgeWindows.smoothed(
          samples.times(), samples.values(), samples.size(), start, step, lookback, values);
      found = Columns.count(values);
      return new Column(series.labels(), values);
    }
    found = Columns.latest(series.times(), series.values(), start, step, lookback, values);
    if (series.histograms() == null) {
      return new Column(series.labels(), values);
    }
    Column column = new Column(series.labels(), values, histograms(series), false);
    found = column.count();
    return column;
  }

  private Histogram[] histograms(Series series) {
    int[] indexes = new int[size];
    Columns.latestIndex(series.times(), start, step, lookback, indexes);
    Histogram[] found = new Histogram[size];
    for (int i = 0; i < size; i++) {
      found[i] = indexes[i] < 0 ? null : series.histograms()[indexes[i]];
    }
    return found;
  }

  /** The time of the sample at each step, seconds. */
  double[] times(Series series) {
    int[] indexes = new int[size];
    Columns.latestIndex(series.times(), start, step, lookback, indexes);
    double[] times = new double[size];
    for (int i = 0; i < size; i++) {
      int at = indexes[i];
      boolean there =
          at >= 0
              && (!Columns.isAbsent(series.values()[at])
                  || series.histograms() != null && series.histograms()[at] != null);
      times[i] = there ? series.times()[at] / 1000.0 : Staleness.MARKER;
    }
    return times;
  }
}
