package io.fleetgauge.promql.query;

import io.fleetgauge.promql.kernel.Columns;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;

/**
 * One series of a result, with a sample for each step; at least one step has one. The receiver of a
 * column owns its arrays and may write to them.
 *
 * @param values the staleness marker's bit pattern where there is no number
 * @param histograms null when the series has none, the common case; otherwise null at steps without
 *     one
 * @param nameDropped whether the metric name is dropped at the end of the query
 */
public record Column(Labels labels, double[] values, Histogram[] histograms, boolean nameDropped) {
  public Column(Labels labels, double[] values) {
    this(labels, values, null, false);
  }

  public Column with(Labels otherLabels) {
    return new Column(otherLabels, values, histograms, nameDropped);
  }

  /** The same series with other numbers, and no histograms. */
  public Column with(double[] otherValues) {
    return new Column(labels, otherValues, null, nameDropped);
  }

  public Column withNameDropped(boolean dropped) {
    return new Column(labels, values, histograms, dropped);
  }

  public int steps() {
    return values.length;
  }

  public boolean isPresent(int step) {
    return !Columns.isAbsent(values[step]) || histograms != null && histograms[step] != null;
  }

  /** Removes the sample of one step. */
  public void clear(int step) {
    values[step] = Staleness.MARKER;
    if (histograms != null) {
      histograms[step] = null;
    }
  }

  public boolean isEmpty() {
    for (int i = 0; i < values.length; i++) {
      if (isPresent(i)) {
        return false;
      }
    }
    return true;
  }

  /** The number of steps that have a sample. */
  public int count() {
    int count = 0;
    for (int i = 0; i < values.length; i++) {
      count += isPresent(i) ? 1 : 0;
    }
    return count;
  }

  /**
   * This column with the samples of {@code other} where it has none.
   *
   * @throws QueryFailure if both have a sample at one step
   */
  public Column mergedWith(Column other) throws QueryFailure {
    Histogram[] merged = histograms;
    for (int i = 0; i < values.length; i++) {
      if (!other.isPresent(i)) {
        continue;
      }
      if (isPresent(i)) {
        throw QueryFailure.sameLabelSet();
      }
      values[i] = other.values[i];
      if (other.histograms != null && other.histograms[i] != null) {
        merged = merged == null ? new Histogram[values.length] : merged;
        merged[i] = other.histograms[i];
      }
    }
    return new Column(labels, values, merged, nameDropped || other.nameDropped);
  }
}
