package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Reading;
import io.fleetgauge.promql.query.Budget;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The series of a selector, as its aliases show them: ordered by label set, each label set once.
 * Where two stored series are seen under one label set, their samples are joined; of two samples at
 * one time that counts which is stored under these labels.
 */
public final class SeenSeries {
  /** A series as it is seen, and how far that is from how it is stored. */
  private record Entry(Series series, boolean changed) {}

  private static final Comparator<Entry> ORDER =
      Comparator.comparing((Entry found) -> found.series().labels()).thenComparing(Entry::changed);

  private final List<Entry> found = new ArrayList<>();

  /**
   * Takes series of one reading; earlier readings go first.
   *
   * @throws QueryFailure if a series cannot be seen as the alias demands
   */
  public void add(Reading reading, Series stored) throws QueryFailure {
    Optional<String> obstacle = reading.seen().cannotShow(stored);
    if (obstacle.isPresent()) {
      throw new QueryFailure(QueryFailure.Kind.EXECUTION, obstacle.get());
    }
    Series seen = reading.seen().series(stored);
    found.add(new Entry(seen, !seen.labels().equals(stored.labels())));
  }

  public List<Series> series() {
    found.sort(ORDER);
    return Series.joinEqual(found.stream().map(Entry::series).toList());
  }

  /**
   * Passes the series of a selector to a receiver.
   *
   * @param selection what the selector reads if it uses no aliases
   */
  static void read(
      SeriesSource source,
      Expr.Selector selector,
      Selection selection,
      Budget budget,
      SeriesSource.Receiver receiver)
      throws QueryFailure {
    if (selector.readings().isEmpty()) {
      source.select(selection, receiver);
      return;
    }
    SeenSeries seen = new SeenSeries();
    long[] held = {0};
    for (Reading reading : selector.readings()) {
      source.select(
          new Selection(reading.matchers(), selection.from(), selection.to()),
          series -> {
            budget.hold(series.size());
            held[0] += series.size();
            seen.add(reading, series);
          });
    }
    List<Series> all = seen.series();
    budget.release(held[0]);
    for (Series series : all) {
      receiver.accept(series);
    }
  }
}
