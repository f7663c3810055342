package io.fleetgauge.query.report;

import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A period cut at the ends of its intervals and wherever a price changes, so that a piece has one
 * interval and one price.
 *
 * @param borders of the pieces, ascending: one more than there are pieces, ms
 */
record Pieces(Period period, List<Long> borders) {
  static Pieces of(Period period, Collection<Long> changes) {
    SortedSet<Long> borders = new TreeSet<>(changes);
    for (int i = 0; i < period.intervals(); i++) {
      borders.add(period.start(i));
    }
    borders.add(period.to());
    return new Pieces(period, List.copyOf(borders));
  }

  int count() {
    return borders.size() - 1;
  }

  long start(int piece) {
    return borders.get(piece);
  }

  /** The interval that a piece is of. */
  int interval(int piece) {
    return period.interval(borders.get(piece + 1));
  }

  /** Returns true if it is the last piece of its interval. */
  boolean isLast(int piece) {
    return piece == count() - 1 || interval(piece + 1) != interval(piece);
  }
}
