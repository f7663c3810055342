package io.fleetgauge.promql.usage;

import io.fleetgauge.sample.Labels;
import java.util.Collection;
import java.util.TreeMap;

/** What one owner has had of one device, interval by interval. */
public class UsageCells {
  final Labels device;
  final Labels owner;
  private final TreeMap<Integer, UsageCell> cells = new TreeMap<>();
  private UsageCell last;
  private int lastInterval = -1;

  UsageCells(Labels device, Labels owner) {
    this.device = device;
    this.owner = owner;
  }

  /** The cell of an interval, which is made if there is none. */
  public final UsageCell cell(int interval) {
    if (interval != lastInterval) {
      last = cells.computeIfAbsent(interval, none -> made());
      lastInterval = interval;
    }
    return last;
  }

  UsageCell made() {
    return new UsageCell();
  }

  /** Adds the rows in order of the intervals. */
  final void addTo(Collection<UsageRow> rows) {
    cells.forEach((interval, cell) -> cell.row(device, owner, interval).ifPresent(rows::add));
  }
}
