package io.fleetgauge.promql.lookup;

import io.fleetgauge.sample.Labels;
import java.util.List;

/**
 * The owners of one series.
 *
 * @param identity its labels without the dimensions, which are the owner's
 * @param intervals ascending, not overlapping, within the time asked for
 */
public record OwnedSeries(Labels identity, List<Interval> intervals) {
  /**
   * An owner for some time.
   *
   * @param owner the dimensions, such as job, tenant and pod; empty while nobody owned the series
   * @param from first time, ms
   * @param to last time, included, ms
   */
  public record Interval(Labels owner, long from, long to) {}
}
