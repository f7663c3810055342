package io.fleetgauge.promql.usage;

import java.util.ArrayDeque;

/**
 * The energy of a GPU: what its counter has counted, and the integral of its power where no counter
 * has. That becomes known late, so power waits until it is.
 */
final class Energy {
  /** Thousandths of a mJ. */
  static final long MICRO = 1_000;

  /** Power that no counter has covered so far. */
  private record Power(Split split, long from, long to, long milliwatts) {}

  private final DeviceUsage whole;
  private final UsagePeriod period;
  private final UsageTerms terms;
  private final ArrayDeque<Power> waiting = new ArrayDeque<>();

  // The newest samples of the counter that counts, and of the one that does in its absence.
  private long first = Long.MIN_VALUE;
  private long second = Long.MIN_VALUE;

  Energy(DeviceUsage whole, UsagePeriod period, UsageTerms terms) {
    this.whole = whole;
    this.period = period;
    this.terms = terms;
  }

  /** The GPU is as it is for some time. */
  void use(long from, long to) {
    if (from >= to || !whole.has(Measure.POWER)) {
      return;
    }
    long power = whole.value(Measure.POWER);
    Split split = whole.stretches.last();
    Power last = waiting.peekLast();
    if (last != null && last.to == from && last.split == split && last.milliwatts == power) {
      waiting.pollLast();
      waiting.add(new Power(split, last.from, to, power));
    } else {
      waiting.add(new Power(split, from, to, power));
    }
  }

  /**
   * A counter has a sample.
   *
   * @param from its last sample; the time itself if it is the first
   */
  void count(Slot slot, long from, long increase) {
    long time = slot.since();
    if (slot.measure == Measure.ENERGY) {
      first = time;
    } else {
      second = time;
      if (first != Long.MIN_VALUE && first >= time - terms.bridge()) {
        return;
      }
    }
    if (from < time) {
      Increase.write(whole.stretches, Amount.ENERGY, from, time, increase, period);
      settle(waiting, from);
      forget(time);
    }
  }

  /**
   * Returns true if it is known at each tick of a steady run whether a counter counts.
   *
   * @param next the first tick
   */
  boolean isSteady(long now, long next) {
    return !whole.has(Measure.POWER) || covers(now, next) != null || isAlone(now);
  }

  /** The counter that counts in a steady run; null without one. */
  Slot covers(long now, long next) {
    for (Slot slot : whole.slots()) {
      boolean isFirst = slot.measure == Measure.ENERGY;
      boolean isSecond =
          slot.measure == Measure.ENERGY_JOULES
              && (first == Long.MIN_VALUE || first < next - terms.bridge());
      if ((isFirst || isSecond) && slot.isSteady(now)) {
        return slot;
      }
    }
    return null;
  }

  /** Returns true if no counter will cover any time from now on until it has a sample. */
  boolean isAlone(long now) {
    return (first == Long.MIN_VALUE || now - first > terms.bridge())
        && (second == Long.MIN_VALUE || now - second > terms.bridge());
  }

  /**
   * Goes on to the end of a steady run.
   *
   * @param counter the one that counts in it; null without one
   */
  void skip(Slot counter, long now, long end) {
    if (counter != null) {
      settle(waiting, now);
      forget(end);
    }
    for (Slot slot : whole.slots()) {
      if (slot.measure == Measure.ENERGY && slot.countedAt() == end) {
        first = end;
      } else if (slot.measure == Measure.ENERGY_JOULES && slot.countedAt() == end) {
        second = end;
      }
    }
  }

  private void forget(long until) {
    while (!waiting.isEmpty() && waiting.peek().from < until) {
      Power power = waiting.poll();
      if (power.to > until) {
        waiting.push(new Power(power.split, until, power.to, power.milliwatts));
      }
    }
  }

  /** Writes down the power of times that no counter will cover. */
  void settle(long now) {
    long until = now;
    if (first != Long.MIN_VALUE && now - first <= terms.bridge()) {
      until = Math.min(until, first);
    }
    if (second != Long.MIN_VALUE && now - second <= terms.bridge()) {
      until = Math.min(until, second);
    }
    settle(waiting, until);
  }

  private void settle(ArrayDeque<Power> all, long until) {
    while (!all.isEmpty() && all.peek().from < until) {
      Power power = all.poll();
      long end = Math.min(power.to, until);
      if (end < power.to) {
        all.push(new Power(power.split, end, power.to, power.milliwatts));
      }
      for (long at = power.from; at < end; ) {
        int interval = period.interval(at);
        long next = Math.min(end, period.end(interval));
        for (int i = 0; i < power.split.size(); i++) {
          power
              .split
              .accounts[i]
              .cell(interval)
              .add(Amount.ENERGY_ESTIMATED, power.split.part(i, power.milliwatts), next - at);
        }
        at = next;
      }
    }
  }
}
