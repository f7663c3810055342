package io.fleetgauge.query.rules.ownership;

import io.fleetgauge.cluster.peers.PeerList;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation;
import io.fleetgauge.query.rules.evaluation.GroupState;
import java.util.List;
import java.util.Optional;

/** Inputs of {@link OwnershipMachine}. */
public sealed interface Event {
  /**
   * Time passes.
   *
   * @param steady ms of a clock that never goes back
   * @param wall ms since the epoch
   * @param peers the other query APIs
   */
  record Tick(long steady, long wall, PeerList peers) implements Event {}

  /** The groups that this query API knows now. */
  record Groups(List<Dealt> groups) implements Event {}

  /**
   * A state has come from disk or from another query API.
   *
   * @param state its newest one
   */
  record Came(GroupState state) implements Event {}

  /**
   * The state of a group has been read from the store.
   *
   * @param state empty if it knows nothing
   */
  record Restored(long term, RuleGroup.Id group, Optional<GroupState> state) implements Event {}

  /**
   * A slot has been evaluated.
   *
   * @param outcome goes into the effect that publishes it
   * @param steady now, by the clock of {@link Tick}
   * @param took time that the evaluation took, ms, without the time that it waited for samples
   */
  record Evaluated(long term, GroupEvaluation.Outcome outcome, long steady, long took)
      implements Event {}

  /** A slot could not be evaluated, or a group not restored, and is to be tried again. */
  record NotEvaluated(long term, RuleGroup.Id group, long slot) implements Event {}

  /** The results of a slot have been stored. */
  record Written(long term, GroupState state) implements Event {}

  /** This query API stops. */
  record Stopping() implements Event {}
}
