package io.fleetgauge.query.source;

import io.fleetgauge.promql.lookup.Extent;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.vertx.core.Future;
import java.util.List;

/**
 * A store of samples. Safe for all threads.
 *
 * <p>A read succeeds without what the store lacks, and its {@link Coverage} names that. It fails,
 * with a {@link io.fleetgauge.promql.query.QueryFailure}, when it is cancelled, when its time is
 * over, when the store cannot be reached at all, or when a budget is exceeded.
 */
public interface Source {
  /**
   * The samples of selections: one list for each, ordered by label set, each label set once.
   *
   * @param budget most samples that one place may return; more is an error
   */
  Future<Gathered<List<List<Series>>>> samples(
      List<Selection> selections, long budget, ReadOptions options);

  /** Extents of the selections, in the same order. */
  Future<Gathered<List<Extent>>> extents(List<Selection> selections, ReadOptions options);

  /** Sorted. A limit bounds what each place returns; the merged list may be longer. */
  Future<Gathered<List<String>>> labelNames(SeriesSearch search, ReadOptions options);

  /** As {@link #labelNames}. */
  Future<Gathered<List<String>>> labelValues(
      String label, SeriesSearch search, ReadOptions options);

  /** The label sets of series, as {@link #labelNames}. */
  Future<Gathered<List<Labels>>> labelSets(SeriesSearch search, ReadOptions options);
}
