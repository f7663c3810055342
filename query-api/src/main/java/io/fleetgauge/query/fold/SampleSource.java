package io.fleetgauge.query.fold;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.source.Gathered;
import io.fleetgauge.sample.Series;
import io.vertx.core.Future;
import java.util.List;

/** Reads samples of some selectors, for one request. */
public interface SampleSource {
  /** The budget of a reading that may have as many samples as the request may read at all. */
  long ALL = Long.MAX_VALUE;

  /**
   * Reads the samples after a time and up to another; fails with {@link
   * QueryFailure.Kind#EXECUTION} when one shard has more than the budget.
   *
   * @return one list of series for each selector
   */
  Future<Gathered<List<List<Series>>>> read(long after, long to, long budget);

  /** Number of shards that are read at once. */
  int shards();

  /**
   * Fails when the request may not go on: it was cancelled, its time is over, or it has read too
   * much.
   *
   * @param series number of series that the last piece had
   * @param samples number of samples that have been read for it so far
   */
  void check(long series, long samples) throws QueryFailure;
}
