package io.fleetgauge.query.rules.evaluation;

import io.fleetgauge.query.rules.definition.Rule;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.sample.Labels;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A group after a slot: all that a successor needs to go on with the next one.
 *
 * @param slot time of the last evaluation, ms since the epoch; 0 before the first one
 * @param definition {@link #definitionOf} the group, by which a changed group is recognised
 * @param missing hosts that the last evaluation could not see; empty if it saw all
 * @param rules in the order of the group
 * @param ending series of rules that the group has no longer; the next evaluation ends them
 */
public record GroupState(
    RuleGroup.Id group,
    long slot,
    String definition,
    List<String> missing,
    List<RuleState> rules,
    List<Labels> ending) {
  public GroupState {
    missing = List.copyOf(missing);
    rules = List.copyOf(rules);
    ending = List.copyOf(ending);
  }

  /** The state of a group that has not lost a rule. */
  public GroupState(
      RuleGroup.Id group,
      long slot,
      String definition,
      List<String> missing,
      List<RuleState> rules) {
    this(group, slot, definition, missing, rules, List.of());
  }

  /** The state before the first evaluation. */
  public static GroupState initial(RuleGroup group) {
    List<RuleState> rules = new ArrayList<>();
    for (Rule rule : group.rules()) {
      rules.add(RuleState.initial(key(group, rule)));
    }
    return new GroupState(group.id(), 0, definitionOf(group), List.of(), rules);
  }

  /** A digest of all that is defined of a group. */
  public static String definitionOf(RuleGroup group) {
    return PreparedGroup.of(group).definition();
  }

  /** Name and labels of a rule, those of its group included. */
  static String key(RuleGroup group, Rule rule) {
    return rule.name() + Alerts.labels(group, rule);
  }

  /** The state that a group goes on from as if it began, but for the series that it ends. */
  public GroupState withoutAlerts() {
    List<RuleState> without = rules.stream().map(RuleState::withoutAlerts).toList();
    return new GroupState(group, slot, definition, missing, without, ending);
  }

  /**
   * The state that a changed group begins with: rules that it has kept go on, as Prometheus finds
   * them, and series of those that it has lost are ending.
   */
  public GroupState under(RuleGroup changed) {
    String wanted = definitionOf(changed);
    if (wanted.equals(definition) && rules.size() == changed.rules().size()) {
      return this;
    }
    Map<String, Deque<RuleState>> known = new HashMap<>();
    for (RuleState rule : rules) {
      known.computeIfAbsent(rule.rule(), none -> new ArrayDeque<>()).add(rule);
    }
    List<RuleState> kept = new ArrayList<>();
    for (Rule rule : changed.rules()) {
      String key = key(changed, rule);
      Deque<RuleState> same = known.get(key);
      RuleState state = same == null ? null : same.poll();
      boolean alerting = rule instanceof Rule.Alerting;
      if (state == null) {
        kept.add(RuleState.initial(key));
      } else if (alerting || state.alerts().isEmpty()) {
        kept.add(state);
      } else {
        // An alert of this name has become a recording rule.
        kept.add(state.withoutAlerts());
      }
    }
    List<Labels> lost = new ArrayList<>(ending);
    known.values().forEach(left -> left.forEach(rule -> lost.addAll(rule.series())));
    return new GroupState(changed.id(), slot, wanted, missing, kept, lost);
  }
}
