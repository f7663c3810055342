package io.fleetgauge.gateway.sender;

import java.util.ArrayList;
import java.util.List;

/**
 * Times, as ranges that do not touch, in order. Not for several threads.
 *
 * <p>There are {@value #MAX} at most: above it, the two that lie closest together become one, so
 * that times are added which nobody has added.
 */
final class TimeRanges {
  static final int MAX = 256;

  private final List<Range> all = new ArrayList<>();

  /**
   * Times after {@code after} and up to {@code to}, as those of queries.
   *
   * @param after ms since the epoch
   * @param to ms since the epoch
   */
  record Range(long after, long to) {
    Range {
      if (after >= to) {
        throw new IllegalArgumentException(after + " is not before " + to);
      }
    }

    boolean contains(long time) {
      return after < time && time <= to;
    }

    long millis() {
      return to - after;
    }
  }

  TimeRanges() {}

  TimeRanges(List<Range> ranges) {
    ranges.forEach(this::add);
  }

  List<Range> list() {
    return List.copyOf(all);
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  /** The oldest one. There has to be one. */
  Range first() {
    return all.getFirst();
  }

  boolean contains(long time) {
    return all.stream().anyMatch(each -> each.contains(time));
  }

  /** The sum of their lengths, ms. */
  long millis() {
    return all.stream().mapToLong(Range::millis).sum();
  }

  void add(Range added) {
    int at = 0;
    while (at < all.size() && all.get(at).to < added.after) {
      at++;
    }
    long after = added.after;
    long to = added.to;
    while (at < all.size() && all.get(at).after <= to) {
      after = Math.min(after, all.get(at).after);
      to = Math.max(to, all.get(at).to);
      all.remove(at);
    }
    all.add(at, new Range(after, to));
    if (all.size() > MAX) {
      joinClosest();
    }
  }

  private void joinClosest() {
    int closest = 1;
    for (int i = 2; i < all.size(); i++) {
      if (between(i) < between(closest)) {
        closest = i;
      }
    }
    Range later = all.remove(closest);
    all.set(closest - 1, new Range(all.get(closest - 1).after, later.to));
  }

  private long between(int i) {
    return all.get(i).after - all.get(i - 1).to;
  }

  void remove(Range removed) {
    List<Range> before = List.copyOf(all);
    all.clear();
    for (Range each : before) {
      if (each.to <= removed.after || removed.to <= each.after) {
        all.add(each);
        continue;
      }
      if (each.after < removed.after) {
        all.add(new Range(each.after, removed.after));
      }
      if (removed.to < each.to) {
        all.add(new Range(removed.to, each.to));
      }
    }
  }

  void clear() {
    all.clear();
  }

  /** Removes what is before a time; returns how much it was, ms. */
  long removeBefore(long time) {
    long before = millis();
    if (!all.isEmpty() && all.getFirst().after < time) {
      remove(new Range(all.getFirst().after, time));
    }
    return before - millis();
  }
}
