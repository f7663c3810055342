package io.fleetgauge.promql.query;

import io.fleetgauge.sample.Series;

/** The seam to storage. */
@FunctionalInterface
public interface SeriesSource {
  /** Takes series one by one. */
  @FunctionalInterface
  interface Receiver {
    void accept(Series series) throws QueryFailure;
  }

  /**
   * Hands over the samples of a selection: one stretch for each series that has a sample in it,
   * staleness markers included, ordered by label set. A stretch may begin earlier and end later
   * than the selection. Its arrays are not written to.
   *
   * @throws QueryFailure if they cannot be had, or the receiver fails
   */
  void select(Selection selection, Receiver receiver) throws QueryFailure;
}
