package io.fleetgauge.query.report;

import io.fleetgauge.promql.lookup.Integral;
import io.fleetgauge.promql.usage.Amount;
import io.fleetgauge.promql.usage.UsageRow;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Builds rows of usage. */
final class UsageRows {
  static final long HOUR = 3_600_000;

  /** A device for an hour. */
  static final long GPU_HOUR = 1_000_000 * HOUR;

  private static final Set<Amount> COUNTERS =
      EnumSet.of(
          Amount.ENERGY,
          Amount.ENERGY_ESTIMATED,
          Amount.NVLINK,
          Amount.PCIE,
          Amount.CPU,
          Amount.IO);

  private final Labels device;
  private final Labels owner;
  private final int interval;
  private final Map<Amount, Long> amounts = new EnumMap<>(Amount.class);
  private long peak = -1;
  private long atEnd = -1;
  private long hostPeak = -1;

  private UsageRows(Labels device, Labels owner, int interval) {
    this.device = device;
    this.owner = owner;
    this.interval = interval;
  }

  static UsageRows of(Labels device, Labels owner, int interval) {
    return new UsageRows(device, owner, interval);
  }

  UsageRows with(Amount amount, long value) {
    amounts.put(amount, value);
    return this;
  }

  /** Bytes that it had for an hour. */
  UsageRows memory(long bytes, long atTheEnd) {
    peak = bytes;
    atEnd = atTheEnd;
    return with(Amount.MEMORY, bytes * HOUR).with(Amount.MEMORY_TIME, GPU_HOUR);
  }

  /** Bytes of a host that its owner had for an hour. */
  UsageRows hostMemory(long bytes) {
    hostPeak = bytes;
    return with(Amount.HOST_MEMORY, bytes * HOUR).with(Amount.HOST_MEMORY_TIME, GPU_HOUR);
  }

  UsageRow row() {
    List<Integral> all = new ArrayList<>();
    int counted = 0;
    for (Amount each : Amount.values()) {
      Integral integral = new Integral();
      integral.add(amounts.getOrDefault(each, 0L), 1);
      all.add(integral);
      counted |= COUNTERS.contains(each) && amounts.containsKey(each) ? each.bit() : 0;
    }
    return new UsageRow(device, owner, interval, all, counted, peak, atEnd, hostPeak);
  }
}
