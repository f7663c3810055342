package io.fleetgauge.promql.usage;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.Arrays;

/** One label set of a metric on its way through time, and the value that it has. */
final class Track {
  /** No value: a staleness marker, or a sample that cannot be one. */
  static final long NOTHING = -1;

  static final long NEVER = Long.MAX_VALUE;
  private static final long[] NO_TIMES = {};

  final Labels labels;
  final Measure measure;

  /** Who has this part: series of the same process or container are one part. */
  final String part;

  /** The labels of its device. */
  final Labels device;

  /** The labels that may name its owner. */
  private final Labels named;

  /** True if its labels say who has the device. */
  final boolean isOfHolder;

  private final long lookback;
  long[] times = NO_TIMES;

  /** The samples as whole numbers. */
  long[] wholes = NO_TIMES;

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
    this.named = UsageLabels.named(labels);
    this.isOfHolder = !named.only(UsageLabels.HOLDING).isEmpty();
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
    wholes = measure.wholes(samples.values());
    next = 0;
  }

  /** When its value may change next, ms. */
  long next() {
    long sample = next < times.length ? times[next] : NEVER;
    return isHeld ? Math.min(sample, since + lookback) : sample;
  }

  /** The slot that it is a label set of; null for parts and sharers. */
  Slot slot;

  /** Returns true if it has a sample at a time and a further one. */
  boolean isSteady(long now) {
    return isHeld && since == now && next < times.length;
  }

  /** The value after a number of further ticks of a steady run. */
  long value(int ticks, long start) {
    return ticks == 0 || !isSteady(start) ? value : wholes[next + ticks - 1];
  }

  /**
   * How many of the next samples are at the times of another's and change nothing but the value.
   */
  int steady(Track leader, int most) {
    int length = Math.min(most, times.length - next);
    int same =
        Arrays.mismatch(
            leader.times, leader.next, leader.next + length, times, next, next + length);
    length = same < 0 ? length : same;
    long signs = 0;
    for (int i = 0; i < length; i++) {
      signs |= wholes[next + i];
    }
    for (int i = 0; signs < 0 && i < length; i++) {
      if (wholes[next + i] == NOTHING) {
        return i;
      }
    }
    if (measure == Measure.ALLOCATED) {
      for (int i = 0; i < length; i++) {
        if (wholes[next + i] > 0 != value > 0) {
          return i;
        }
      }
    }
    return length;
  }

  /** When something may change because of it, if it is not steady, ms. */
  long nextChange(long now) {
    if (isHeld && since == now && (slot == null || slot.tracks.size() > 1)) {
      return now; // others may be newer at the next tick
    }
    if (slot != null && since < slot.since()) {
      return next < times.length ? times[next] : NEVER;
    }
    return next();
  }

  /** Goes on to the end of a steady run. */
  void skip(long now, long end, int ticks) {
    if (isSteady(now)) {
      next += ticks;
      take(end, wholes[next - 1]);
    } else if (isHeld && since + lookback <= end) {
      isHeld = false;
    }
  }

  /** Goes to a time. */
  void moveTo(long time) {
    if (next < times.length && times[next] == time) {
      long whole = wholes[next++];
      isHeld = whole != NOTHING;
      if (isHeld) {
        take(time, whole);
      }
    } else if (isHeld && since + lookback <= time) {
      isHeld = false;
    }
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
      account = accounts.of(of, named);
      accountDevice = of;
    }
    return account;
  }
}
