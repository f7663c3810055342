package io.fleetgauge.promql.exec;

import io.fleetgauge.sample.Series;
import java.util.List;

/** The seam to storage. */
@FunctionalInterface
public interface SeriesSource {
  /**
   * The samples of a selection: one stretch for each series that has a sample in it, staleness
   * markers included, ordered by label set.
   *
   * @throws QueryFailure if they cannot be had
   */
  List<Series> select(Selection selection) throws QueryFailure;
}
