package io.fleetgauge.promql.query;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.List;

/**
 * A query's result, its annotations and its cost.
 *
 * @param infos remarks about the query, each with the position it refers to
 * @param warnings reasons why the result may be wrong
 */
public record Answer(Result result, List<String> warnings, List<String> infos, Stats stats) {

  /** The four shapes a result can have. */
  public sealed interface Result {}

  public record Scalar(long time, double value) implements Result {}

  public record Text(long time, String value) implements Result {}

  /** One sample for each series, all at one time. */
  public record Vector(long time, List<Sample> samples) implements Result {}

  /**
   * @param histogram null when the sample is a number
   */
  public record Sample(Labels labels, double value, Histogram histogram) {
    public Sample(Labels labels, double value) {
      this(labels, value, null);
    }
  }

  /** Samples over time, without staleness markers; series ordered by label set. */
  public record Matrix(List<Series> series) implements Result {}

  /**
   * The cost of a query.
   *
   * @param samples those that selectors found, counted once for each step that used them
   * @param peakSamples most samples in memory at one moment
   */
  public record Stats(long samples, long peakSamples) {}
}
