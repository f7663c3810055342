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
 * The newest sample of each matching series of a host, for callers that ask the same repeatedly:
 * the series are found once, and the time to read them depends on their number only. Safe for all
 * threads.
 *
 * @param <M> what the caller knows of a series
 */
public final class NewestSamples<M> {
  /** Receives samples. */
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

  // Series with one owner now: the place of each, the start of its owner, and its mark.
  private final StoredSeries[] series;
  private final int[] places;
  private final long[] since;

  /** By series; null if its labels do not match now. */
  private final List<M> known = new ArrayList<>();

  /** Series that may share a label set, because a GPU had two owners at one time. */
  private final List<List<StoredSeries>> together = new ArrayList<>();

  /**
   * @param selectors a series matches if one of them matches
   * @param marks gives the mark of a series from its labels
   */
  public NewestSamples(HostView host, List<List<Matcher>> selectors, Function<Labels, M> marks) {
    this.host = host;
    this.selectors = selectors;
    this.marks = marks;
    // Read first, so that a change meanwhile is noticed when the samples are read.
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

  /** Returns true if these are still all matching series of a host. */
  public boolean isOf(HostView other) {
    return host == other
        && host.catalog() == catalog
        && catalog.size() == size
        && host.last().version() == version;
  }

  /** The number of series. */
  public int size() {
    return series.length + together.size();
  }

  /**
   * Reads the newest sample of each series that has one after {@code after} and up to {@code to},
   * unless it is a staleness marker. Histograms are left out.
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

  /** Series with several owners in this time, or with samples after it. */
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
