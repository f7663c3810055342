package io.fleetgauge.gateway.store.read;

import io.fleetgauge.sample.Labels;
import java.util.List;

/**
 * The owners of one series.
 *
 * @param identity its labels without the dimensions
 * @param intervals ascending, not overlapping
 */
public record OwnedSeries(Labels identity, List<Interval> intervals) {
  /**
   * An owner for some time.
   *
   * @param owner the dimensions; empty while nobody owned the series
   * @param from first time, ms
   * @param to last time, included, ms
   */
  public record Interval(Labels owner, long from, long to) {}

  /**
   * The answer to a search.
   *
   * @param series ordered by identity
   * @param omitted how many more series match than the limit of the search allows
   */
  public record Found(List<OwnedSeries> series, long omitted) {}
}
