package io.fleetgauge.promql.usage;

import io.fleetgauge.promql.lookup.Integral;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** What one owner has had of one device, interval by interval. */
final class Account {
  private static final int AMOUNTS = Amount.values().length;

  /** Sums of one interval. */
  static final class Cell {
    private final long[] high = new long[AMOUNTS];
    private final long[] low = new long[AMOUNTS];
    private int known;
    private long peak = -1;
    private long atEnd = -1;
    private long hostPeak = -1;

    /** Adds a product. */
    void add(Amount amount, long value, long millis) {
      int i = amount.ordinal();
      known |= amount.bit();
      long more = value * millis;
      low[i] += more;
      high[i] +=
          Math.multiplyHigh(value, millis) + (Long.compareUnsigned(low[i], more) < 0 ? 1 : 0);
    }

    void see(long memory) {
      peak = Math.max(peak, memory);
    }

    void seeOfHost(long memory) {
      hostPeak = Math.max(hostPeak, memory);
    }
  }

  final Labels device;
  final Labels owner;

  /** The owner by the names that all reports have, whatever else is asked for. */
  final Labels identity;

  private final TreeMap<Integer, Cell> cells = new TreeMap<>();
  private Cell last;
  private int lastInterval = -1;

  /** Memory that it has at one time; while it is summed up over the parts of a device. */
  long level;

  Account(Labels device, Labels owner, Labels identity) {
    this.device = device;
    this.owner = owner;
    this.identity = identity;
  }

  Cell cell(int interval) {
    if (interval != lastInterval) {
      last = cells.computeIfAbsent(interval, none -> new Cell());
      lastInterval = interval;
    }
    return last;
  }

  /** Ends the sum of what it has at one time; may be called again at once. */
  void writeLevel(int interval, boolean isEnd) {
    Cell cell = cell(interval);
    cell.peak = Math.max(cell.peak, level);
    if (isEnd) {
      cell.atEnd = Math.max(cell.atEnd, level);
    }
    level = 0;
  }

  List<UsageRow> rows() {
    List<UsageRow> rows = new ArrayList<>(cells.size());
    cells.forEach(
        (interval, cell) -> {
          List<Integral> amounts = new ArrayList<>(AMOUNTS);
          int counted = cell.known & Amount.ALL_COUNTED;
          boolean isEmpty = cell.peak < 0 && counted == 0;
          for (int i = 0; i < AMOUNTS; i++) {
            boolean isZero = cell.high[i] == 0 && cell.low[i] == 0;
            isEmpty &= isZero;
            amounts.add(isZero ? UsageRow.ZERO : new Integral(cell.high[i], cell.low[i]));
          }
          if (!isEmpty) {
            rows.add(
                new UsageRow(
                    device,
                    owner,
                    interval,
                    amounts,
                    counted,
                    cell.peak,
                    cell.atEnd,
                    cell.hostPeak));
          }
        });
    return rows;
  }
}
