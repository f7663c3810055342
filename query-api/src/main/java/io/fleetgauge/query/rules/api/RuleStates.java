package io.fleetgauge.query.rules.api;

import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.GroupState;
import io.vertx.core.Future;
import java.util.Map;

/** The states of the groups, wherever in the cluster they are evaluated. */
@FunctionalInterface
public interface RuleStates {
  /** Nothing is evaluated. */
  RuleStates NONE = () -> Future.succeededFuture(Map.of());

  /** The newest known state of each group; a group that was never evaluated is missing. */
  Future<Map<RuleGroup.Id, GroupState>> states();
}
