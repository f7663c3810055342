package io.fleetgauge.gateway.sender;

import io.fleetgauge.gateway.sender.TimeRanges.Range;
import io.fleetgauge.sample.Labels;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Samples by their time and series, without values: the store has these. Not for several threads.
 */
final class LateSeries {
  private final TreeMap<Long, Set<Labels>> byTime = new TreeMap<>();
  private int count;

  int count() {
    return count;
  }

  boolean isEmpty() {
    return byTime.isEmpty();
  }

  /** The oldest time, ms; {@link Long#MAX_VALUE} if there is none. */
  long first() {
    return byTime.isEmpty() ? Long.MAX_VALUE : byTime.firstKey();
  }

  void add(long time, Collection<Labels> series) {
    Set<Labels> there = byTime.computeIfAbsent(time, none -> new HashSet<>());
    count -= there.size();
    there.addAll(series);
    count += there.size();
  }

  /** Takes out the oldest ones: those of one time at least, and not many more than so many. */
  LateSeries takeFirst(int most, long longest) {
    LateSeries taken = new LateSeries();
    while (!byTime.isEmpty()
        && (taken.isEmpty()
            || taken.count + byTime.firstEntry().getValue().size() <= most
                && byTime.firstKey() - taken.first() < longest)) {
      Map.Entry<Long, Set<Labels>> first = byTime.pollFirstEntry();
      count -= first.getValue().size();
      taken.add(first.getKey(), first.getValue());
    }
    return taken;
  }

  void copyTo(LateSeries other) {
    byTime.forEach(other::add);
  }

  void remove(Range range) {
    Map<Long, Set<Labels>> removed = byTime.subMap(range.after(), false, range.to(), true);
    count -= removed.values().stream().mapToInt(Set::size).sum();
    removed.clear();
  }

  void clear() {
    byTime.clear();
    count = 0;
  }

  boolean has(long time, Labels series) {
    Set<Labels> there = byTime.get(time);
    return there != null && there.contains(series);
  }

  /** The times, one range for each. */
  List<Range> times() {
    return byTime.keySet().stream().map(time -> new Range(time - 1, time)).toList();
  }

  /** A range that has all of them; there has to be one. */
  Range range() {
    return new Range(byTime.firstKey() - 1, byTime.lastKey());
  }
}
