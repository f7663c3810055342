package io.fleetgauge.gateway.store.read;

import io.fleetgauge.gateway.store.owner.Timeline;
import io.fleetgauge.gateway.store.run.SampleReader;
import io.fleetgauge.gateway.store.series.Catalog;
import io.fleetgauge.gateway.store.series.LastSamples;
import io.fleetgauge.gateway.store.series.StoredSeries;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * The newest sample of each series of a host that is meant, for who asks the same again and again:
 * the series are found once, and reading them takes as long as there are, whatever their history.
 * Safe for all threads.
 *
 * @param <M> what whoever asks knows of a series
 */
public final class NewestSamples<M> {
  /** Takes samples. */
  @FunctionalInterface
  public interface Sink<M> {
    void accept(M mark, long time, double value);
  }

  private final HostView host;
  private final Catalog catalog;
  private final int size;
  private final List<List<Matcher>> selectors;
  private final Function<Labels, M> marks;
  private final int version;

  // Series with one owner now: of each its place, since when it has that owner, and what is known.
  private final StoredSeries[] series;
  private final int[] places;
  private final long[] since;

  /** Null while its labels are not those that are meant. */
  private final List<M> known = new ArrayList<>();

  /** Series that have one label set: two owners at one time have samples in both. */
  private final List<List<StoredSeries>> together = new ArrayList<>();

  /**
   * @param selectors the series that match one of them are meant
   * @param marks what is known of a series by its labels
   */
  public NewestSamples(HostView host, List<List<Matcher>> selectors, Function<Labels, M> marks) {
    this.host = host;
    this.selectors = selectors;
    this.marks = marks;
    // First, so that what changes meanwhile is seen when the samples are read.
    this.version = host.last().version();
    this.catalog = host.catalog();
    this.size = catalog.size();
    Map<Labels, List<StoredSeries>> byIdentity = new LinkedHashMap<>();
    Set<StoredSeries> found = Collections.newSetFromMap(new IdentityHashMap<>());
    for (List<Matcher> matchers : selectors) {
      for (StoredSeries series : host.candidates(matchers)) {
        if (found.add(series)) {
          byIdentity
              .computeIfAbsent(host.identityOf(series), none -> new ArrayList<>(1))
              .add(series);
        }
      }
    }
    List<StoredSeries> alone = new ArrayList<>();
    for (List<StoredSeries> all : byIdentity.values()) {
      if (all.size() == 1) {
        alone.add(all.getFirst());
      } else {
        together.add(all);
      }
    }
    series = alone.toArray(StoredSeries[]::new);
    places = new int[series.length];
    since = new long[series.length];
    for (int i = 0; i < series.length; i++) {
      Timeline timeline = series[i].timeline;
      places[i] = series[i].place;
      since[i] = timeline == null ? Long.MIN_VALUE : timeline.from;
      known.add(mark(labels(series[i], timeline)));
    }
  }

  private static Labels labels(StoredSeries series, Timeline timeline) {
    return timeline == null ? series.identity : series.labels(timeline.owner);
  }

  private M mark(Labels labels) {
    for (List<Matcher> matchers : selectors) {
      if (matchers.stream().allMatch(matcher -> matcher.matches(labels))) {
        return marks.apply(labels);
      }
    }
    return null;
  }

  /** Whether these are still all series of a host. */
  public boolean isOf(HostView other) {
    return host == other
        && host.catalog() == catalog
        && catalog.size() == size
        && host.last().version() == version;
  }

  /** How many series there are. */
  public int size() {
    return series.length + together.size();
  }

  /**
   * Reads the newest sample of each series that has one after {@code after} and up to {@code to},
   * unless it says that the series has ended. Histograms are left out.
   */
  public void read(long after, long to, Sink<M> sink) {
    if (size() == 0) {
      return;
    }
    LastSamples.Copy last = host.last().copy();
    long end = Math.min(to, last.newest());
    boolean changed = last.version() != version;
    SampleReader reader = null;
    for (int i = 0; i < places.length; i++) {
      long time = changed ? Long.MAX_VALUE : last.times()[places[i]];
      if (time <= end && since[i] <= after) {
        double value = last.values()[places[i]];
        M mark = known.get(i);
        if (time > after && mark != null && !Staleness.isMarker(value)) {
          sink.accept(mark, time, value);
        }
      } else {
        reader = reader == null ? new SampleReader() : reader;
        readSlowly(List.of(series[i]), after, end, reader, sink);
      }
    }
    for (List<StoredSeries> all : together) {
      reader = reader == null ? new SampleReader() : reader;
      readSlowly(all, after, end, reader, sink);
    }
  }

  /** Series with several owners of late, or with samples ahead of the time. */
  private void readSlowly(
      List<StoredSeries> all, long after, long end, SampleReader reader, Sink<M> sink) {
    Map<Labels, Series> found = new LinkedHashMap<>();
    for (StoredSeries series : all) {
      OwnerViews views = OwnerViews.of(series, List.of(), HostView.after(after), end);
      for (OwnerViews.View view : views.all()) {
        Series read = view.read(series, reader);
        if (read != null) {
          found.merge(view.labels(), read, Series::union);
        }
      }
    }
    found.forEach(
        (labels, series) -> {
          int last = series.size() - 1;
          boolean isNumber = series.histograms() == null || series.histograms()[last] == null;
          M mark = mark(labels);
          if (mark != null && isNumber && !Staleness.isMarker(series.values()[last])) {
            sink.accept(mark, series.times()[last], series.values()[last]);
          }
        });
  }
}
