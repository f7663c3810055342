package io.fleetgauge.gateway.store.read;

import io.fleetgauge.gateway.store.owner.Timeline;
import io.fleetgauge.gateway.store.run.SampleReader;
import io.fleetgauge.gateway.store.series.StoredSeries;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.lookup.OwnedSeries;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * Finds the owners of the series of one host as intervals of time.
 *
 * <p>An interval begins where its owner began and ends before the next one begins; the first one
 * begins at the first sample in the time of the search, the last one ends at the last sample. An
 * interval counts only if the labels that the series has under its owner match: a search for one
 * tenant does not show when another tenant owned the GPU.
 */
final class OwnerSearch {
  /** The first stretch that is read to find a sample, ms; each further one is larger. */
  private static final long FIRST_STRETCH_MILLIS = 300_000;

  private static final int STRETCH_GROWTH = 4;

  private final HostView host;
  private final List<List<Matcher>> alternatives;
  private final long from;
  private final long to;
  private final SampleReader reader;

  OwnerSearch(IndexSearch search, HostView host, SampleReader reader) {
    this.host = host;
    this.alternatives = search.alternatives();
    this.from = Math.max(search.asked().from(), host.oldest());
    // A tick that is being written is not seen before all of it is written.
    this.to = Math.min(search.asked().to(), host.newest());
    this.reader = reader;
  }

  /** The series that match and have an owner at some time, in no order. */
  List<OwnedSeries> find() {
    List<OwnedSeries> found = new ArrayList<>();
    if (from > to) {
      return found;
    }
    Set<StoredSeries> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (List<Matcher> matchers : alternatives) {
      for (StoredSeries series : host.candidates(matchers)) {
        if (seen.add(series)) {
          add(series, found);
        }
      }
    }
    return found;
  }

  private void add(StoredSeries series, List<OwnedSeries> found) {
    Labels owner = host.separateOwnerOf(series);
    Timeline newest = series.timeline;
    if (newest == null && owner.isEmpty()) {
      return; // it has no dimensions
    }
    List<OwnedSeries.Interval> intervals = new ArrayList<>();
    if (newest == null) {
      addIfMatching(series.identity, new OwnedSeries.Interval(owner, from, to), intervals);
    } else {
      long end = to;
      for (Timeline each = newest; each != null && end >= from; each = each.before()) {
        if (each.from <= end) {
          long start = Math.max(from, each.from);
          addIfMatching(
              series.labels(each.owner),
              new OwnedSeries.Interval(each.owner, start, end),
              intervals);
          end = start - 1;
        }
      }
    }
    Collections.reverse(intervals);
    intervals = clipped(series, joined(intervals));
    if (intervals.stream().anyMatch(each -> !each.owner().isEmpty())) {
      found.add(new OwnedSeries(host.identityOf(series), intervals));
    }
  }

  private void addIfMatching(
      Labels labels, OwnedSeries.Interval interval, List<OwnedSeries.Interval> intervals) {
    if (alternatives.stream()
        .anyMatch(matchers -> matchers.stream().allMatch(each -> each.matches(labels)))) {
      intervals.add(interval);
    }
  }

  /** Two intervals of one owner without time between them are one. */
  private static List<OwnedSeries.Interval> joined(List<OwnedSeries.Interval> intervals) {
    List<OwnedSeries.Interval> joined = new ArrayList<>();
    for (OwnedSeries.Interval each : intervals) {
      OwnedSeries.Interval last = joined.isEmpty() ? null : joined.getLast();
      if (last != null && last.to() + 1 == each.from() && last.owner().equals(each.owner())) {
        joined.set(
            joined.size() - 1, new OwnedSeries.Interval(each.owner(), last.from(), each.to()));
      } else {
        joined.add(each);
      }
    }
    return joined;
  }

  /** Cuts off the time before the first sample and after the last one. */
  private List<OwnedSeries.Interval> clipped(
      StoredSeries series, List<OwnedSeries.Interval> intervals) {
    if (intervals.isEmpty()) {
      return intervals;
    }
    long first = firstSample(series);
    if (first > to) {
      return List.of();
    }
    long last = lastSample(series);
    List<OwnedSeries.Interval> clipped = new ArrayList<>();
    for (OwnedSeries.Interval each : intervals) {
      if (each.to() >= first && each.from() <= last) {
        clipped.add(
            new OwnedSeries.Interval(
                each.owner(), Math.max(first, each.from()), Math.min(last, each.to())));
      }
    }
    return clipped;
  }

  /** Time of the first sample in the time of the search, ms; after its end if there is none. */
  private long firstSample(StoredSeries series) {
    long stretch = FIRST_STRETCH_MILLIS;
    for (long start = from; start <= to; ) {
      long end = to - start < stretch ? to : start + stretch - 1;
      series.read(start - 1, end, reader);
      if (reader.size() > 0) {
        return reader.times()[0];
      }
      start = end + 1;
      stretch *= STRETCH_GROWTH;
    }
    return to + 1;
  }

  /** Time of the last sample in the time of the search, of which there is one, ms. */
  private long lastSample(StoredSeries series) {
    long stretch = FIRST_STRETCH_MILLIS;
    for (long end = to; end >= from; ) {
      long start = end - from < stretch ? from : end - stretch + 1;
      series.read(start - 1, end, reader);
      if (reader.size() > 0) {
        return reader.times()[reader.size() - 1];
      }
      end = start - 1;
      stretch *= STRETCH_GROWTH;
    }
    return from;
  }
}
