package io.fleetgauge.promql.usage;

import java.util.Arrays;
import java.util.Collection;

/** The time that usage is counted for, in intervals. Immutable. */
public final class UsagePeriod {
  /** More are refused. */
  public static final int MAX_INTERVALS = 11_000;

  private final long[] borders;

  private UsagePeriod(long[] borders) {
    this.borders = borders;
  }

  /**
   * @param borders of the intervals, ms: the start of each, and the end of the last, which is not
   *     part of it
   * @throws IllegalArgumentException if there are fewer than two, or they do not ascend
   */
  public static UsagePeriod of(Collection<Long> borders) {
    long[] all = borders.stream().mapToLong(Long::longValue).toArray();
    boolean ascends = all.length > 1;
    for (int i = 1; i < all.length; i++) {
      ascends &= all[i] > all[i - 1];
    }
    if (!ascends) {
      throw new IllegalArgumentException("the borders of a period have to ascend: " + borders);
    }
    return new UsagePeriod(all);
  }

  /**
   * Intervals of equal length; the last may be shorter.
   *
   * @param to after {@code from}
   * @param step above 0
   */
  public static UsagePeriod every(long from, long to, long step) {
    int intervals = (int) ((to - from + step - 1) / step);
    long[] borders = new long[intervals + 1];
    for (int i = 0; i < intervals; i++) {
      borders[i] = from + i * step;
    }
    borders[intervals] = to;
    return new UsagePeriod(borders);
  }

  public long from() {
    return borders[0];
  }

  /** The end, which is not part of it, ms. */
  public long to() {
    return borders[borders.length - 1];
  }

  public int intervals() {
    return borders.length - 1;
  }

  public long start(int interval) {
    return borders[interval];
  }

  public long end(int interval) {
    return borders[interval + 1];
  }

  /** The interval that a time is in; less than 0 or more than the last outside the period. */
  int interval(long time) {
    int at = Arrays.binarySearch(borders, time);
    return at < 0 ? -at - 2 : at;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof UsagePeriod that && Arrays.equals(borders, that.borders);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(borders);
  }

  @Override
  public String toString() {
    return intervals() + " intervals from " + from() + " to " + to();
  }
}
