package io.fleetgauge.query.answer;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.usage.UsagePeriod;
import io.fleetgauge.promql.usage.UsageRows;
import io.fleetgauge.promql.usage.series.UsageMetric;
import io.fleetgauge.promql.usage.series.UsageSelection;
import io.fleetgauge.promql.usage.series.UsageSeries;
import io.fleetgauge.promql.usage.series.UsageTimes;
import io.fleetgauge.query.fleet.Stores;
import io.fleetgauge.query.fleet.UsageRead;
import io.fleetgauge.query.source.Coverage;
import io.fleetgauge.query.source.Gathered;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.sample.Series;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Reads the samples of selections: those that are stored, and series of usage, which are made of
 * usage here. Thread-safe.
 */
final class SampleReads {
  private static final long DAY_MILLIS = TimeUnit.DAYS.toMillis(1);

  private final Stores stores;
  private final WorkerExecutor worker;
  private final LongSupplier clock;

  /**
   * Samples.
   *
   * @param series one list for each selection, ordered by label set
   * @param notes remarks about how usage was counted, for readers
   */
  record Found(List<List<Series>> series, List<String> notes) {
    static final Found NONE = new Found(List.of(), List.of());
  }

  /** Usage that several selections are made of. */
  private record Rows(List<Matcher> matchers, UsageTimes times) {}

  /**
   * @param worker makes series
   * @param clock ms since the epoch
   */
  SampleReads(Stores stores, WorkerExecutor worker, LongSupplier clock) {
    this.stores = stores;
    this.worker = worker;
    this.clock = clock;
  }

  /** The stored series that selections are read from. */
  static List<Selection> stored(List<Selection> selections) {
    return selections.stream()
        .flatMap(
            each ->
                Stream.concat(
                    isStored(each) ? Stream.of(each) : Stream.of(),
                    UsageSelection.of(each).stream().flatMap(usage -> usage.stored().stream())))
        .toList();
  }

  private static boolean isStored(Selection selection) {
    return UsageSelection.of(selection).filter(each -> each.selector().isAlone()).isEmpty();
  }

  /** All usage that series are made of, to know what reading it costs. */
  UsageRead usageOf(UsageSelection usage) {
    long from = usage.times().begin();
    long to = Math.max(from + 1, Math.min(usage.times().to(), clock.getAsLong()));
    return new UsageRead(
        usage.selector().rows(),
        UsageSeries.LABELS,
        UsagePeriod.every(
            from, to, Math.max(DAY_MILLIS, Math.ceilDiv(to - from, UsagePeriod.MAX_INTERVALS))),
        UsageSelection.TERMS);
  }

  /** Reads all samples. */
  Future<Gathered<Found>> samples(List<Selection> selections, long budget, ReadOptions options) {
    List<UsageSelection> usage =
        selections.stream().flatMap(each -> UsageSelection.of(each).stream()).toList();
    return samples(selections, usage, budget, options);
  }

  /**
   * Reads samples.
   *
   * @param usage those of the selections that select series of usage
   * @param budget most samples that one place may return or that may be made; more is an error
   */
  Future<Gathered<Found>> samples(
      List<Selection> selections, List<UsageSelection> usage, long budget, ReadOptions options) {
    if (usage.isEmpty()) {
      return stores
          .source()
          .samples(selections, budget, options)
          .map(found -> new Gathered<>(new Found(found.value(), List.of()), found.coverage()));
    }
    List<Selection> stored = selections.stream().filter(SampleReads::isStored).toList();
    Future<Gathered<List<List<Series>>>> read =
        stored.isEmpty()
            ? Future.succeededFuture(new Gathered<>(List.of(), Coverage.NONE))
            : stores.source().samples(stored, budget, options);
    Map<Rows, List<UsageSelection>> byRows = new LinkedHashMap<>();
    for (UsageSelection each : usage) {
      byRows
          .computeIfAbsent(
              new Rows(each.selector().rows(), each.times()), rows -> new ArrayList<>())
          .add(each);
    }
    List<Making> all = new ArrayList<>();
    byRows.forEach((rows, of) -> all.add(new Making(rows, of, budget, options)));
    return Future.all(Stream.concat(Stream.of(read), all.stream().map(Making::made)).toList())
        .map(
            none -> {
              Joined joined = new Joined(stored, read.result());
              all.forEach(joined::add);
              return joined.found(selections);
            });
  }

  /** Series that are made of the same rows. */
  private final class Making {
    private final Rows rows;
    private final Map<Selection, UsageSeries> series = new LinkedHashMap<>();
    private final ReadOptions options;
    private final long now = clock.getAsLong();
    private final TreeSet<String> notes = new TreeSet<>();
    private Coverage coverage = Coverage.NONE;

    private Making(Rows rows, List<UsageSelection> of, long budget, ReadOptions options) {
      this.rows = rows;
      this.options = options;
      of.forEach(each -> series.put(each.selection(), new UsageSeries(each, budget)));
    }

    private Future<Void> made() {
      return madeFrom(rows.times().begin());
    }

    /** One period after the other, so that few rows are in memory at a time. */
    private Future<Void> madeFrom(long from) {
      Optional<UsagePeriod> period = rows.times().next(from, now);
      if (period.isEmpty()) {
        return Future.succeededFuture();
      }
      UsageRead read =
          new UsageRead(rows.matchers(), UsageSeries.LABELS, period.get(), UsageSelection.TERMS);
      return stores
          .fleet()
          .usage(read, options)
          .compose(found -> worker.executeBlocking(() -> add(period.get(), found), false))
          .compose(none -> madeFrom(period.get().to()));
    }

    private Void add(UsagePeriod period, Gathered<UsageRows> found) throws QueryFailure {
      coverage = coverage.and(found.coverage());
      notes.addAll(found.value().notes());
      for (UsageSeries each : series.values()) {
        each.add(period, found.value().rows());
      }
      return null;
    }
  }

  /** The series of each selection, of wherever they come from. */
  private static final class Joined {
    private final Map<Selection, List<Series>> series = new LinkedHashMap<>();
    private final TreeSet<String> notes = new TreeSet<>();
    private Coverage coverage;

    private Joined(List<Selection> stored, Gathered<List<List<Series>>> found) {
      coverage = found.coverage();
      for (int i = 0; i < stored.size(); i++) {
        series.put(stored.get(i), found.value().get(i));
      }
    }

    private void add(Making making) {
      coverage = coverage.and(making.coverage);
      notes.addAll(making.notes);
      making.series.forEach(
          (selection, made) -> series.merge(selection, made.series(), Joined::both));
    }

    /** The names of series of usage are theirs, whatever is stored. */
    private static List<Series> both(List<Series> stored, List<Series> made) {
      return Stream.concat(
              stored.stream().filter(each -> UsageMetric.named(each.labels().metric()).isEmpty()),
              made.stream())
          .sorted(Comparator.comparing(Series::labels))
          .toList();
    }

    private Gathered<Found> found(List<Selection> selections) {
      List<List<Series>> all = selections.stream().map(series::get).toList();
      return new Gathered<>(new Found(all, List.copyOf(notes)), coverage);
    }
  }
}
