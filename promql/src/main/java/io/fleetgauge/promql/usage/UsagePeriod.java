package io.fleetgauge.promql.usage;

/**
 * The time that usage is counted for, in intervals of equal length; the last may be shorter.
 *
 * @param from ms
 * @param to the end, ms, which is not part of it; after {@code from}
 * @param step length of an interval, ms
 */
public record UsagePeriod(long from, long to, long step) {
  /** More are refused. */
  public static final int MAX_INTERVALS = 11_000;

  public int intervals() {
    return (int) ((to - from + step - 1) / step);
  }

  public long start(int interval) {
    return from + interval * step;
  }

  public long end(int interval) {
    return Math.min(to, start(interval) + step);
  }

  /** The interval that a time is in; less than 0 or more than the last outside the period. */
  int interval(long time) {
    return (int) Math.floorDiv(time - from, step);
  }
}
