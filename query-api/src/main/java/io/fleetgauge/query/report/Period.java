package io.fleetgauge.query.report;

/**
 * The time of a report, in intervals of equal length; the last may be shorter.
 *
 * @param from ms
 * @param to ms, after {@code from}
 * @param step length of an interval, ms; at most the whole
 */
record Period(long from, long to, long step) {
  int intervals() {
    return (int) ((to - from + step - 1) / step);
  }

  long start(int interval) {
    return from + interval * step;
  }

  long end(int interval) {
    return Math.min(to, start(interval) + step);
  }

  /** The interval that a time after the start is in, or at the end of. */
  int interval(long time) {
    return (int) ((time - from - 1) / step);
  }
}
