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
