package io.fleetgauge.query.fold;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.sample.Series;
import java.util.List;

/**
 * Makes one value of the samples of a long time, piece by piece in order of time, so that they are
 * never in memory together. Called by one thread at a time.
 *
 * @param <T> the value
 */
public interface SampleFold<T> {
  /**
   * Takes the next samples. The pieces cut time without gaps and without overlaps; the value must
   * not depend on where.
   *
   * @param to the piece has all samples from the end of the piece before up to and with this, ms
   * @param samples one list of series for each selector, each label set once
   * @throws QueryFailure if there cannot be a value
   */
  void add(long to, List<List<Series>> samples) throws QueryFailure;

  /**
   * The value, after the last piece.
   *
   * @throws QueryFailure if there cannot be one
   */
  T value() throws QueryFailure;
}
