package io.fleetgauge.promql.exec;

import io.fleetgauge.sample.Series;
import java.util.List;

/**
 * A query's result and what the evaluator has to say about it.
 *
 * @param infos remarks, each with the position it refers to
 * @param warnings reasons to distrust the result
 */
public record Answer(Result result, List<String> warnings, List<String> infos) {

  /** The four shapes a result can have. */
  public sealed interface Result {}

  public record Scalar(long time, double value) implements Result {}

  public record Text(long time, String value) implements Result {}

  /** One sample for each series, all at one time. */
  public record Vector(long time, List<Sample> samples) implements Result {}

  public record Sample(io.fleetgauge.sample.Labels labels, double value) {}

  /** Samples over time, without gaps' markers; series ordered by label set. */
  public record Matrix(List<Series> series) implements Result {}
}
