package io.fleetgauge.query.prices;

import java.math.BigDecimal;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Carbon intensity of the electricity, in g of CO2 a kWh. An entry holds until the next one, and
 * for an hour at most. Immutable.
 */
public final class Carbon {
  static final Carbon NONE = new Carbon(new TreeMap<>(), Optional.empty());
  private static final long HOLDS_MILLIS = 3_600_000;

  private final NavigableMap<Long, BigDecimal> byTime;
  private final Optional<BigDecimal> otherwise;

  /**
   * @param otherwise of times without an entry
   */
  Carbon(NavigableMap<Long, BigDecimal> byTime, Optional<BigDecimal> otherwise) {
    this.byTime = new TreeMap<>(byTime);
    this.otherwise = otherwise;
  }

  public boolean isEmpty() {
    return byTime.isEmpty() && otherwise.isEmpty();
  }

  /** The intensity at a time; empty if it is not known. */
  public Optional<BigDecimal> at(long time) {
    var entry = byTime.floorEntry(time);
    return entry != null && time - entry.getKey() < HOLDS_MILLIS
        ? Optional.of(entry.getValue())
        : otherwise;
  }

  /** The times after {@code from} and before {@code to} at which it changes. */
  public SortedSet<Long> changes(long from, long to) {
    SortedSet<Long> changes = new TreeSet<>();
    for (long entry : byTime.subMap(from - HOLDS_MILLIS, true, to, false).keySet()) {
      addChange(entry, from, to, changes);
      addChange(entry + HOLDS_MILLIS, from, to, changes);
    }
    return changes;
  }

  private void addChange(long time, long from, long to, SortedSet<Long> changes) {
    if (time > from && time < to && !at(time - 1).equals(at(time))) {
      changes.add(time);
    }
  }
}
