package io.fleetgauge.query.rules.ownership;

import io.fleetgauge.query.rules.definition.RuleGroup;

/**
 * A group as far as its ownership is concerned.
 *
 * @param definition a digest of the group's definition
 * @param interval from one slot to the next, ms
 * @param offset of the slots from the multiples of the interval, ms
 * @param weight its work: the number of its rules
 */
public record Dealt(RuleGroup.Id id, String definition, long interval, long offset, int weight) {
  /** The newest slot at or before a time, ms. */
  long slotAt(long time) {
    return Math.floorDiv(time - offset, interval) * interval + offset;
  }

  /** The first slot after a time, ms. */
  long slotAfter(long time) {
    return slotAt(time) + interval;
  }
}
