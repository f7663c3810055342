package io.fleetgauge.gateway.store.read;

import io.fleetgauge.gateway.store.owner.Timeline;
import io.fleetgauge.gateway.store.run.SampleReader;
import io.fleetgauge.gateway.store.series.StoredSeries;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

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

    /** The intervals by which it was made, and the owner; null of a series without owners. */
    private final Timeline known;

    private final Labels owner;
    private final List<Span> spans;
    private final List<Long> markers;

    /** Without spans yet. */
    private View(Labels labels, Timeline known, Labels owner) {
      this.labels = labels;
      this.known = known;
      this.owner = owner;
      this.spans = new ArrayList<>();
      this.markers = new ArrayList<>();
    }

    /** Makes the view of one owner all the time. */
    private View(Labels labels, Timeline known, Labels owner, Span only) {
      this.labels = labels;
      this.known = known;
      this.owner = owner;
      this.spans = List.of(only);
      this.markers = List.of();
    }

    Labels labels() {
      return labels;
    }

    /** Its samples; null if there are none. */
    Series read(StoredSeries series, SampleReader reader) {
      if (!spans.isEmpty()) {
        series.read(spans.getFirst().from - 1, spans.getLast().to, reader);
      }
      Series found = among(reader);
      Timeline now = series.timeline;
      // A late sample of another owner may have come since; its interval was there before it.
      return now == known || found == null ? found : ofOwner(found, now);
    }

    private Series ofOwner(Series found, Timeline now) {
      int[] kept =
          IntStream.range(0, found.size())
              .filter(i -> isEnd(found, i) || now.at(found.times()[i]).owner.equals(owner))
              .toArray();
      if (kept.length == found.size()) {
        return found;
      }
      Histogram[] histograms = found.histograms();
      return kept.length == 0
          ? null
          : new Series(
              labels,
              IntStream.of(kept).mapToLong(i -> found.times()[i]).toArray(),
              IntStream.of(kept).mapToDouble(i -> found.values()[i]).toArray(),
              histograms == null
                  ? null
                  : IntStream.of(kept).mapToObj(i -> histograms[i]).toArray(Histogram[]::new));
    }

    private static boolean isEnd(Series of, int i) {
      return Staleness.isMarker(of.values()[i])
          && (of.histograms() == null || of.histograms()[i] == null);
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
        // One that came before the samples of its owner may be known by an earlier interval, too.
        long[] times = markers.stream().mapToLong(Long::longValue).sorted().distinct().toArray();
        double[] values = new double[times.length];
        java.util.Arrays.fill(values, Staleness.MARKER);
        Series ends = new Series(labels, times, values);
        all = all == null ? ends : Series.union(all, ends);
      }
      return all;
    }
  }

  private static final OwnerViews NONE = new OwnerViews(List.of());

  private final List<View> views;

  private OwnerViews(List<View> views) {
    this.views = views;
  }

  /**
   * The views that match, of the time from {@code from} to {@code to}, both included. A series
   * without owners has one view, whose labels are assumed to match.
   */
  static OwnerViews of(StoredSeries series, List<Matcher> matchers, long from, long to) {
    if (from > to) {
      return NONE;
    }
    Timeline newest = series.timeline;
    if (newest == null) {
      return new OwnerViews(List.of(new View(series.identity, null, null, new Span(from, to))));
    }
    if (newest.from <= from && !endsIn(newest, from, to)) {
      Labels labels = series.labels(newest.owner);
      return matches(matchers, labels)
          ? new OwnerViews(List.of(new View(labels, newest, newest.owner, new Span(from, to))))
          : NONE;
    }
    Map<Labels, View> byOwner = new LinkedHashMap<>();
    long end = to;
    for (Timeline interval = newest; interval != null; interval = interval.before()) {
      if (interval.from <= end) {
        view(byOwner, series, newest, interval)
            .spans
            .addFirst(new Span(Math.max(from, interval.from), end));
        end = interval.from - 1;
      }
      Timeline before = interval.before();
      if (before != null && endsIn(interval, from, to)) {
        view(byOwner, series, newest, before).markers.addFirst(interval.endedBefore);
      }
      if (interval.from <= from) {
        break;
      }
    }
    List<View> matching = new ArrayList<>();
    for (View view : byOwner.values()) {
      if (matches(matchers, view.labels)) {
        matching.add(view);
      }
    }
    return new OwnerViews(matching);
  }

  /**
   * Returns true if a marker from {@code from} to {@code to} ended the owner before an interval.
   */
  private static boolean endsIn(Timeline interval, long from, long to) {
    long ended = interval.endedBefore;
    return ended != Timeline.NOT_ENDED && ended >= from && ended <= to;
  }

  private static View view(
      Map<Labels, View> byOwner, StoredSeries series, Timeline newest, Timeline interval) {
    return byOwner.computeIfAbsent(
        interval.owner, owner -> new View(series.labels(owner), newest, owner));
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
