package io.fleetgauge.query.answer;

import io.fleetgauge.promql.expr.Matcher;
import java.util.List;

/**
 * Which series are meant: those that match one of the selectors (all, when there are none) and have
 * a sample between two times.
 *
 * @param from first time, ms
 * @param to last time, ms
 * @param limit most items of the answer; 0 for all
 * @param selectors without the caller's scope, which is added
 */
public record SeriesFilter(long from, long to, int limit, List<List<Matcher>> selectors) {
  /** Before every sample, ms. */
  public static final long EARLIEST = -(1L << 53);

  /** After every sample, ms. */
  public static final long LATEST = 1L << 53;

  /** Every series at any time. */
  public static final SeriesFilter ALL = new SeriesFilter(EARLIEST, LATEST, 0, List.of());

  /** Every series at any time that matches a selector. */
  public static SeriesFilter matching(List<Matcher> selector) {
    return selector.isEmpty() ? ALL : new SeriesFilter(EARLIEST, LATEST, 0, List.of(selector));
  }
}
