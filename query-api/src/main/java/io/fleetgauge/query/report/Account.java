package io.fleetgauge.query.report;

import io.fleetgauge.promql.lookup.Integral;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Account of a group for one measure over the period. Changes may come in any order of a piece. */
final class Account {
  /** A change of a group's value, and of the number of devices that it is of. */
  private record Change(long time, long value, int devices) {}

  /**
   * Sums of a group in one interval.
   *
   * @param isAtEnd true if it has a value at the end
   * @param atEnd that value
   * @param peak the highest value
   * @param peakOfDevice the highest value divided by the number of devices at that time
   * @param integral of the value over the time, in ms
   * @param millis time in which it had a value
   * @param deviceMillis time of its devices together
   */
  record Cell(
      int interval,
      boolean isAtEnd,
      long atEnd,
      long peak,
      double peakOfDevice,
      double integral,
      long millis,
      long deviceMillis) {}

  private final Period period;
  private final List<Change> changes = new ArrayList<>();
  private final List<Cell> cells = new ArrayList<>();
  private long value;
  private int devices;
  private long at;
  private int interval;

  // Of the interval so far.
  private boolean isSeen;
  private long peak;
  private double peakOfDevice;
  private Integral integral = new Integral();
  private long millis;
  private long deviceMillis;

  Account(Period period) {
    this.period = period;
    this.at = period.from();
  }

  void change(long time, long moreValue, int moreDevices) {
    changes.add(new Change(time, moreValue, moreDevices));
  }

  /** Applies the changes; further ones are of later times. */
  void settle() {
    changes.sort(Comparator.comparingLong(Change::time));
    long last = Long.MIN_VALUE;
    for (Change change : changes) {
      if (change.time != last) {
        advance(change.time);
        last = change.time;
      }
      value += change.value;
      devices += change.devices;
    }
    changes.clear();
  }

  private void advance(long time) {
    if (time <= at) {
      return;
    }
    while (time > period.end(interval)) {
      hold(period.end(interval));
      close();
      // Intervals in which nothing is there are passed over.
      interval = devices > 0 ? interval + 1 : period.interval(time);
      at = period.start(interval);
    }
    hold(time);
  }

  private void hold(long until) {
    if (devices > 0 && until > at) {
      see();
      integral.add(value, until - at);
      millis += until - at;
      deviceMillis += devices * (until - at);
    }
    at = until;
  }

  private void see() {
    isSeen = true;
    peak = Math.max(peak, value);
    peakOfDevice = Math.max(peakOfDevice, (double) value / devices);
  }

  private void close() {
    if (devices > 0) {
      see();
    }
    if (isSeen) {
      cells.add(
          new Cell(
              interval,
              devices > 0,
              value,
              peak,
              peakOfDevice,
              integral.toDouble(),
              millis,
              deviceMillis));
    }
    isSeen = false;
    peak = 0;
    peakOfDevice = 0;
    integral = new Integral();
    millis = 0;
    deviceMillis = 0;
  }

  /**
   * Cells in the order of intervals, after the last change; only intervals in which it had
   * something.
   */
  List<Cell> finish() {
    settle();
    advance(period.to());
    close();
    return cells;
  }

  /** Number of intervals in which it has had something so far. */
  int intervals() {
    return cells.size() + (isSeen ? 1 : 0);
  }
}
