package io.fleetgauge.promql.usage;

import io.fleetgauge.promql.lookup.Integral;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Sums of what an owner had of a device in one interval. */
public final class UsageCell {
  private static final int AMOUNTS = Amount.values().length;

  // The upper and the lower 64 bits of each amount.
  private final long[] high = new long[AMOUNTS];
  private final long[] low = new long[AMOUNTS];

  /** Bits of the counters that have been counted. */
  private int counted;

  private long peak = -1;
  private long atEnd = -1;
  private long hostPeak = -1;

  /** Adds a product. */
  void add(Amount amount, long value, long millis) {
    count(amount.bit());
    add(amount.ordinal(), Math.multiplyHigh(value, millis), value * millis);
  }

  /**
   * Adds the upper and the lower 64 bits of a number.
   *
   * @param amount place of an {@link Amount}
   */
  public void add(int amount, long moreHigh, long moreLow) {
    long sum = low[amount] + moreLow;
    high[amount] += moreHigh + (Long.compareUnsigned(sum, moreLow) < 0 ? 1 : 0);
    low[amount] = sum;
  }

  /** Takes note of counters that have been counted, by their bits. */
  public void count(int more) {
    counted |= more & Amount.ALL_COUNTED;
  }

  void see(long memory) {
    peak = Math.max(peak, memory);
  }

  /** Sees memory of one host; it is negative if it is not known. */
  public void seeOfHost(long memory) {
    hostPeak = Math.max(hostPeak, memory);
  }

  /** Ends the sum of what one device has at one time. */
  void writeLevel(long level, boolean isEnd) {
    see(level);
    if (isEnd) {
      atEnd = Math.max(atEnd, level);
    }
  }

  /**
   * Adds the memory of another device or time; either is negative if it is not known.
   *
   * @param morePeak most memory of one device at one time
   * @param moreAtEnd memory at the end of the interval
   */
  public void addMemory(long morePeak, long moreAtEnd) {
    see(morePeak);
    if (moreAtEnd >= 0) {
      atEnd = Math.max(0, atEnd) + moreAtEnd;
    }
  }

  void add(UsageRow row) {
    for (int i = 0; i < AMOUNTS; i++) {
      Integral more = row.amounts().get(i);
      add(i, more.high(), more.low());
    }
    count(row.counted());
    addMemory(row.memoryPeak(), row.memoryAtEnd());
    seeOfHost(row.hostMemoryPeak());
  }

  /** The row; empty if there is nothing in it. */
  Optional<UsageRow> row(Labels device, Labels owner, int interval) {
    List<Integral> amounts = new ArrayList<>(AMOUNTS);
    boolean isEmpty = peak < 0 && counted == 0;
    for (int i = 0; i < AMOUNTS; i++) {
      boolean isZero = high[i] == 0 && low[i] == 0;
      isEmpty &= isZero;
      amounts.add(isZero ? UsageRow.ZERO : new Integral(high[i], low[i]));
    }
    return isEmpty
        ? Optional.empty()
        : Optional.of(
            new UsageRow(device, owner, interval, amounts, counted, peak, atEnd, hostPeak));
  }
}
