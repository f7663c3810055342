package io.fleetgauge.query.derived;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;

/**
 * A sample to write.
 *
 * @param value {@link Staleness#MARKER} ends the series, and stands beside a histogram
 * @param histogram null when the sample is a number
 */
public record DerivedSample(Labels labels, long time, double value, Histogram histogram) {
  public DerivedSample(Labels labels, long time, double value) {
    this(labels, time, value, null);
  }

  /** Ends a series. */
  public static DerivedSample end(Labels labels, long time) {
    return new DerivedSample(labels, time, Staleness.MARKER);
  }
}
