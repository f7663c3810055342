package io.fleetgauge.promql.usage;

import io.fleetgauge.promql.lookup.Extent;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.sample.Series;
import java.util.List;

/** The samples that usage is made of. */
public interface UsageSamples {
  /**
   * @throws TooManySamples if there are more than the budget
   * @throws QueryFailure if it was stopped
   */
  List<Series> samples(Selection selection, long budget) throws TooManySamples, QueryFailure;

  /** About as much as {@link #samples} would read. */
  Extent extent(Selection selection);
}
