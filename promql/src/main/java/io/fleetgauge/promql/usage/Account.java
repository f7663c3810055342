package io.fleetgauge.promql.usage;

import io.fleetgauge.sample.Labels;

/** What one owner has had of one device, while it is counted. */
final class Account extends UsageCells {
  /** The owner by the names that all reports have, whatever else is asked for. */
  final Labels identity;

  /** Memory that it has at one time; while it is summed up over the parts of a device. */
  long level;

  Account(Labels device, Labels owner, Labels identity) {
    super(device, owner);
    this.identity = identity;
  }

  /** Ends the sum of what it has at one time; may be called again at once. */
  void writeLevel(int interval, boolean isEnd) {
    cell(interval).writeLevel(level, isEnd);
    level = 0;
  }
}
