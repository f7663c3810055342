package io.fleetgauge.promql.usage;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;

/** One label set of a metric on its way through time, and the value that it has. */
final class Track {
  /** No value: a staleness marker, or a sample that cannot be one. */
  static final long NOTHING = -1;

  static final long NEVER = Long.MAX_VALUE;
  private static final long[] NO_TIMES = {};
  private static final double[] NO_VALUES = {};

  final Labels labels;
  final Measure measure;

  /** Who has this part: series of the same process or container are one part. */
  final String part;

  /** The labels of its device. */
  final Labels device;

  /** True if its labels say who has the device. */
  final boolean isOfHolder;

  private final long lookback;
  long[] times = NO_TIMES;
  double[] values = NO_VALUES;
  int next;
  private boolean isHeld;
  private long since = Long.MIN_VALUE;
  private long value;

  // The account of its owner, while its device has these labels.
  private Account account;
  private Labels accountDevice;

  Track(Labels labels, Measure measure, Labels device, long lookback) {
    this.labels = labels;
    this.measure = measure;
    this.device = device;
    this.lookback = lookback;
    this.isOfHolder = !labels.only(UsageLabels.HOLDING).isEmpty();
    this.part = measure.role == Measure.Role.PART ? partOf(labels) : "";
  }

  private static String partOf(Labels labels) {
    String pid = labels.value("pid");
    String container = pid.isEmpty() ? labels.value("container_id") : pid;
    return container.isEmpty()
        ? labels.value("namespace") + "/" + labels.value("pod") + "/" + labels.value("container")
        : container;
  }

  void give(Series samples) {
    times = samples.times();
    values = samples.values();
    next = 0;
  }

  /** When its value may change next, ms. */
  long next() {
    long sample = next < times.length ? times[next] : NEVER;
    return isHeld ? Math.min(sample, since + lookback) : sample;
  }

  /** Goes to a time; returns true if it has a sample with a value there. */
  boolean moveTo(long time) {
    if (next < times.length && times[next] == time) {
      long whole = measure.whole(values[next++]);
      isHeld = whole != NOTHING;
      if (isHeld) {
        take(time, whole);
      }
      return isHeld;
    }
    if (isHeld && since + lookback <= time) {
      isHeld = false;
    }
    return false;
  }

  /** Has a value from a time on. */
  void take(long time, long whole) {
    since = time;
    value = whole;
  }

  boolean isHeld() {
    return isHeld;
  }

  /** Returns true if nothing will come of it unless it is given samples. */
  boolean isDone() {
    return !isHeld && next >= times.length;
  }

  /** When its value was sampled, ms. */
  long since() {
    return since;
  }

  long value() {
    return value;
  }

  /**
   * The account of its owner.
   *
   * @param of labels of the device
   */
  Account account(Labels of, Accounts accounts) {
    if (accountDevice != of) {
      account = accounts.of(of, labels);
      accountDevice = of;
    }
    return account;
  }
}
