package io.fleetgauge.query.rules.ownership;

import io.fleetgauge.query.derived.DerivedSample;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation;
import io.fleetgauge.query.rules.evaluation.GroupState;
import java.util.List;

/** Actions that {@link OwnershipMachine} wants. */
public sealed interface Effect {
  /** Fetch states from another query API; wanted again when they do not come. */
  record Fetch(String from, List<RuleGroup.Id> groups) implements Effect {}

  /**
   * Find out what the store knows of a group that nobody has a state of.
   *
   * @param slot the newest one when that was first wanted, ms since the epoch
   */
  record Restore(long term, RuleGroup.Id group, long slot) implements Effect {}

  /**
   * Evaluate a slot.
   *
   * @param term belongs into the event that answers
   * @param before the state after the slot before; of slot 0 for a group that begins, without
   *     alerts for one that was not evaluated for long
   * @param slot ms since the epoch
   */
  record Evaluate(long term, GroupState before, long slot) implements Effect {}

  /**
   * Store the samples of a slot, and send its alerts.
   *
   * @param before the slot of the state from which the slot was evaluated
   * @param tell true if its alerts are sent now, and those of slots before that were not; otherwise
   *     they wait for a later slot, so that nothing is sent that has changed since
   */
  record Publish(long term, long before, GroupEvaluation.Outcome outcome, boolean tell)
      implements Effect {
    /** The state after the slot. */
    public GroupState after() {
      return outcome.after();
    }
  }

  /** Keep a state on disk. */
  record Keep(GroupState state) implements Effect {}

  /** Give a state to the query API that goes on if this one dies. */
  record HandOver(String to, GroupState state) implements Effect {}

  /** Forget everything that has not been sent or stored: somebody else may have gone on. */
  record Abandon() implements Effect {}

  /** Store what ends series of a group that is not known any more. */
  record End(RuleGroup.Id group, List<DerivedSample> markers) implements Effect {
    public End {
      markers = List.copyOf(markers);
    }
  }

  /** The group is not known any more. */
  record Forget(RuleGroup.Id group) implements Effect {}
}
