package io.fleetgauge.promql.query;

import io.fleetgauge.sample.Series;

/** Where the evaluator reads samples from. */
@FunctionalInterface
public interface SeriesSource {
  /** Receives series, one at a time. */
  @FunctionalInterface
  interface Receiver {
    void accept(Series series) throws QueryFailure;
  }

  /**
   * Passes the samples of a selection to a receiver: each series that has a sample in it once,
   * staleness markers included, ordered by label set. A series may have samples before and after
   * the selection too. The receiver does not write to its arrays.
   *
   * @throws QueryFailure if they cannot be read, or the receiver fails
   */
  void select(Selection selection, Receiver receiver) throws QueryFailure;
}
