package io.fleetgauge.sample;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One reading of one host: every sample has the same time.
 *
 * @param time ms since the epoch
 * @param series the label sets, each at most once
 * @param values one value for each of {@code series}, in the same order; a staleness marker ends
 *     the series, and is also the value of a histogram
 * @param histograms null when there are none, as usual; else null for a number
 */
public record Tick(long time, List<Labels> series, double[] values, Histogram[] histograms) {
  public Tick(long time, List<Labels> series, double[] values) {
    this(time, series, values, null);
  }

  public Tick {
    if (series.size() != values.length
        || histograms != null && histograms.length != values.length) {
      throw new IllegalArgumentException(
          "a tick needs a value for each series, got "
              + values.length
              + " values for "
              + series.size()
              + " series");
    }
  }

  public int size() {
    return values.length;
  }

  /** Gathers the samples of one tick. Not for several threads. */
  public static final class Builder {
    private final List<Labels> series = new ArrayList<>();
    private double[] values = new double[64];
    private Histogram[] histograms;

    /** Adds one sample; the caller must not add a label set twice. */
    public Builder add(Labels labels, double value) {
      if (series.size() == values.length) {
        values = Arrays.copyOf(values, 2 * values.length);
      }
      values[series.size()] = value;
      series.add(labels);
      return this;
    }

    /** As {@link #add(Labels, double)}, a histogram. */
    public Builder add(Labels labels, Histogram histogram) {
      add(labels, Staleness.MARKER);
      if (histograms == null || histograms.length < values.length) {
        histograms =
            histograms == null
                ? new Histogram[values.length]
                : Arrays.copyOf(histograms, values.length);
      }
      histograms[series.size() - 1] = histogram;
      return this;
    }

    public Tick at(long time) {
      int size = series.size();
      return new Tick(
          time,
          List.copyOf(series),
          Arrays.copyOf(values, size),
          histograms == null ? null : Arrays.copyOf(histograms, size));
    }
  }
}
