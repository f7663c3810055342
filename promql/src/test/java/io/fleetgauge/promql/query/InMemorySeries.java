package io.fleetgauge.promql.query;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.Arrays;
import java.util.Collection;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Series in memory, for tests. Each label set once. */
public final class InMemorySeries implements SeriesSource {
  private final TreeMap<Labels, Series> series = new TreeMap<>();

  public InMemorySeries(Collection<Series> all) {
    for (Series one : all) {
      series.merge(one.labels(), one, Series::union);
    }
  }

  public Collection<Series> all() {
    return series.values();
  }

  /** Those of the series whose labels pass. */
  public InMemorySeries only(Predicate<Labels> of) {
    return new InMemorySeries(
        series.values().stream().filter(one -> of.test(one.labels())).toList());
  }

  @Override
  public void select(Selection selection, Receiver receiver) throws QueryFailure {
    for (Series one : series.values()) {
      boolean matches =
          selection.matchers().stream().allMatch(matcher -> matcher.matches(one.labels()));
      int from = Series.firstAfter(one.times(), 0, one.size(), selection.from());
      int to = Series.firstAfter(one.times(), from, one.size(), selection.to());
      if (matches && from < to) {
        receiver.accept(between(one, from, to));
      }
    }
  }

  private static Series between(Series series, int from, int to) {
    return new Series(
        series.labels(),
        Arrays.copyOfRange(series.times(), from, to),
        Arrays.copyOfRange(series.values(), from, to),
        series.histograms() == null ? null : Arrays.copyOfRange(series.histograms(), from, to));
  }
}
