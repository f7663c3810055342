package io.fleetgauge.promql.lookup;

import io.fleetgauge.sample.Labels;
import java.util.List;

/**
 * The integrals of one series over the intervals of its owners.
 *
 * @param identity its labels without the dimensions, which are the owner's
 * @param intervals ascending, not overlapping, within the time asked for
 */
public record OwnerIntegrals(Labels identity, List<OfInterval> intervals) {
  /**
   * One interval.
   *
   * @param owner the dimensions; empty while nobody owned the series, and for series without any
   * @param from first time, ms
   * @param to the end, ms, which is not part of it
   * @param millis for how long the series had a value
   * @param integral of the value in its unit, over that time in ms
   */
  public record OfInterval(Labels owner, long from, long to, long millis, Integral integral) {}
}
