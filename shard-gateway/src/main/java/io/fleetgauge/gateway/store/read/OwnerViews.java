package io.fleetgauge.gateway.store.read;

import io.fleetgauge.gateway.store.owner.Timeline;
import io.fleetgauge.gateway.store.run.SampleReader;
import io.fleetgauge.gateway.store.series.StoredSeries;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A series with owners as the series that would exist if the owner were part of the labels: one for
 * each owner, with the samples of its intervals and a staleness marker where it ended.
 */
final class OwnerViews {
  /** Both ends included, ms. */
  private record Span(long from, long to) {}

  /** The samples of a series that one owner has. */
  static final class View {
    private final Labels labels;
    private final List<Span> spans = new ArrayList<>();
    private final List<Long> markers = new ArrayList<>();

    private View(Labels labels) {
      this.labels = labels;
    }

    Labels labels() {
      return labels;
    }

    /** Its samples; null if there are none. */
    Series read(StoredSeries series, SampleReader reader) {
      if (!spans.isEmpty()) {
        series.read(spans.getFirst().from - 1, spans.getLast().to, reader);
      }
      return among(reader);
    }

    /** The samples just read that belong to it; null if there are none. */
    private Series among(SampleReader read) {
      Series all = null;
      for (Span span : spans) {
        int first = Series.firstAfter(read.times(), 0, read.size(), span.from - 1);
        int end = Series.firstAfter(read.times(), first, read.size(), span.to);
        if (first < end) {
          Series part = read.between(labels, first, end);
          all = all == null ? part : Series.union(all, part);
        }
      }
      if (!markers.isEmpty()) {
        long[] times = markers.stream().mapToLong(Long::longValue).toArray();
        double[] values = new double[times.length];
        java.util.Arrays.fill(values, Staleness.MARKER);
        Series ends = new Series(labels, times, values);
        all = all == null ? ends : Series.union(all, ends);
      }
      return all;
    }
  }

  private final List<View> views = new ArrayList<>();

  private OwnerViews() {}

  /**
   * The views that match, of the time from {@code from} to {@code to}, both included. A series
   * without owners has one view, whose labels are assumed to match.
   */
  static OwnerViews of(StoredSeries series, List<Matcher> matchers, long from, long to) {
    OwnerViews found = new OwnerViews();
    if (from > to) {
      return found;
    }
    Timeline newest = series.timeline;
    if (newest == null) {
      View only = new View(series.identity);
      only.spans.add(new Span(from, to));
      found.views.add(only);
      return found;
    }
    Map<Labels, View> byOwner = new LinkedHashMap<>();
    long end = to;
    for (Timeline interval = newest; interval != null; interval = interval.before()) {
      if (interval.from <= end) {
        view(byOwner, series, interval)
            .spans
            .addFirst(new Span(Math.max(from, interval.from), end));
        end = interval.from - 1;
      }
      Timeline before = interval.before();
      long ended = interval.endedBefore;
      if (before != null && ended >= from && ended <= to && ended != Timeline.NOT_ENDED) {
        view(byOwner, series, before).markers.addFirst(ended);
      }
      if (interval.from <= from) {
        break;
      }
    }
    for (View view : byOwner.values()) {
      if (matches(matchers, view.labels)) {
        found.views.add(view);
      }
    }
    return found;
  }

  private static View view(Map<Labels, View> byOwner, StoredSeries series, Timeline interval) {
    return byOwner.computeIfAbsent(interval.owner, owner -> new View(series.labels(owner)));
  }

  private static boolean matches(List<Matcher> matchers, Labels labels) {
    for (Matcher matcher : matchers) {
      if (!matcher.matches(labels)) {
        return false;
      }
    }
    return true;
  }

  List<View> all() {
    return views;
  }

  /** The labels of the views that have a sample. */
  List<Labels> labels(StoredSeries series, SampleReader reader) {
    List<Labels> found = new ArrayList<>();
    for (View view : views) {
      if (!view.markers.isEmpty()
          || view.spans.stream().anyMatch(span -> series.hasSampleIn(span.from, span.to, reader))) {
        found.add(view.labels);
      }
    }
    return found;
  }
}
