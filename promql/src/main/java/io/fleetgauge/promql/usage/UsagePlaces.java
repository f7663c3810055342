package io.fleetgauge.promql.usage;

import java.util.Arrays;

/** Places of the intervals of rows among those of a question. */
public final class UsagePlaces {
  private static final int NONE = -1;

  private final int[] places;
  private final boolean[] ends;

  /** Rows of no interval are meant, until they are placed. */
  UsagePlaces(int intervals) {
    places = new int[intervals];
    ends = new boolean[intervals];
    Arrays.fill(places, NONE);
  }

  /** One interval, which becomes another or a part of it. */
  public static UsagePlaces one(int interval, boolean isEnd) {
    UsagePlaces one = new UsagePlaces(1);
    one.put(0, interval, isEnd);
    return one;
  }

  /** Each where it is. */
  public static UsagePlaces same(int intervals) {
    UsagePlaces same = new UsagePlaces(intervals);
    for (int i = 0; i < intervals; i++) {
      same.put(i, i, true);
    }
    return same;
  }

  /**
   * @param isEnd whether it is the part at the end of its new interval
   */
  void put(int interval, int place, boolean isEnd) {
    places[interval] = place;
    ends[interval] = isEnd;
  }

  public int count() {
    return places.length;
  }

  /** The new interval; negative if its rows are not meant. */
  public int of(int interval) {
    return places[interval];
  }

  /** Memory at the end of an interval, as it is in the new one. */
  public long atEnd(int interval, long memory) {
    return ends[interval] ? memory : -1;
  }
}
