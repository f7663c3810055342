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
 *     the series
 */
public record Tick(long time, List<Labels> series, double[] values) {
  public Tick {
    if (series.size() != values.length) {
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

    /** Adds one sample; the caller sees to it that no label set comes twice. */
    public Builder add(Labels labels, double value) {
      if (series.size() == values.length) {
        values = Arrays.copyOf(values, 2 * values.length);
      }
      values[series.size()] = value;
      series.add(labels);
      return this;
    }

    public Tick at(long time) {
      return new Tick(time, List.copyOf(series), Arrays.copyOf(values, series.size()));
    }
  }
}
