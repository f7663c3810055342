package io.fleetgauge.query.rules.evaluation;

import io.fleetgauge.query.rules.definition.RuleGroup;
import java.util.List;

/**
 * A group after a slot: all that a successor needs to go on with the next one.
 *
 * @param slot time of the last evaluation, ms since the epoch; 0 before the first one
 * @param definition a digest of the group's definition, by which a changed group is recognised
 * @param missing hosts that the last evaluation could not see; empty if it saw all
 * @param rules in the order of the group
 */
public record GroupState(
    RuleGroup.Id group, long slot, String definition, List<String> missing, List<RuleState> rules) {
  public GroupState {
    missing = List.copyOf(missing);
    rules = List.copyOf(rules);
  }
}
