package io.fleetgauge.promql.usage;

/**
 * The increase of a counter between two samples, spread evenly over the time between them. What has
 * come up to a time is rounded down, so the parts of the time have parts of the increase.
 */
record Increase(long from, long to, long amount) {
  /** What has come up to a time. */
  private long until(long time) {
    long length = to - from;
    long passed = time - from;
    return amount / length * passed + amount % length * passed / length;
  }

  /** Writes down who had it. */
  static void write(
      Stretches owners, Amount amount, long from, long to, long increase, UsagePeriod period) {
    Increase all = new Increase(from, to, increase);
    owners.between(
        Math.max(from, period.from()),
        Math.min(to, period.to()),
        (split, start, end) -> all.write(split, amount, start, end, period));
  }

  private void write(Split split, Amount kind, long start, long end, UsagePeriod period) {
    for (long at = start; at < end; ) {
      int interval = period.interval(at);
      long next = Math.min(end, period.end(interval));
      long before = until(at);
      long after = until(next);
      for (int i = 0; i < split.size(); i++) {
        long part = split.part(i, after) - split.part(i, before);
        UsageCell cell = split.accounts[i].cell(interval);
        if (kind == Amount.ENERGY && split.size() > 1) {
          cell.add(Amount.ENERGY_ESTIMATED, part, Energy.MICRO);
        } else {
          cell.add(kind, part, 1);
        }
      }
      at = next;
    }
  }
}
