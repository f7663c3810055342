package io.fleetgauge.query.rules.evaluation;

import io.fleetgauge.promql.aggregate.LabelHash;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.sample.Labels;

/**
 * The times at which a group is evaluated. Like Prometheus, it spreads groups over their interval
 * by a hash of file and name, so that both evaluate a group at the same times.
 *
 * @see <a href="https://github.com/prometheus/prometheus">rules/group.go, EvalTimestamp</a>
 */
public final class Slots {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private Slots() {}

  /** The time from a multiple of the interval to a group's slot, ms. */
  public static long offset(RuleGroup.Id id, long interval) {
    return offsetNanos(id, interval) / NANOS_PER_MILLI;
  }

  /** As {@link #offset}, in ns: Prometheus's times of alerts have these digits. */
  public static long offsetNanos(RuleGroup.Id id, long interval) {
    long hash = LabelHash.of(Labels.of("name", id.name(), "file", id.file()));
    return Long.remainderUnsigned(hash, interval * NANOS_PER_MILLI);
  }

  /** The newest slot that is not after {@code nowMillis}. */
  public static long at(RuleGroup group, long nowMillis) {
    long offset = offset(group.id(), group.interval());
    return Math.floorDiv(nowMillis - offset, group.interval()) * group.interval() + offset;
  }

  /** The first slot that is not before {@code millis}. */
  static long from(RuleGroup group, long millis) {
    return at(group, millis + group.interval() - 1);
  }
}
