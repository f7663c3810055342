package io.fleetgauge.load.sim;

import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.AlertInstance;
import io.fleetgauge.query.rules.evaluation.AlertInstance.State;
import io.fleetgauge.query.rules.evaluation.GroupState;
import io.fleetgauge.query.rules.evaluation.RuleState;
import io.fleetgauge.query.rules.ownership.Dealt;
import io.fleetgauge.sample.Labels;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Groups of one alert each, the store that keeps their results, and the alerts that are sent. An
 * alert's series is there or not as its time says, so each slot has one right result.
 */
final class SimulatedRules {
  /** In place of all gateways. */
  static final String STORE = "store";

  private static final long FOR_MILLIS = 20_000;

  private final Simulation simulation;
  private final Map<RuleGroup.Id, Dealt> groups = new HashMap<>();
  private final Map<RuleGroup.Id, TreeMap<Long, String>> stored = new HashMap<>();
  private final Map<RuleGroup.Id, Long> newestSent = new HashMap<>();
  private long storedTwice;

  SimulatedRules(Simulation simulation, List<Dealt> groups) {
    this.simulation = simulation;
    groups.forEach(each -> this.groups.put(each.id(), each));
  }

  List<Dealt> groups() {
    return List.copyOf(groups.values());
  }

  /** A function of the state before and of the slot. */
  static GroupState evaluate(Dealt group, GroupState before, long slot) {
    // There for 40 s of 70, and for 10 s of them not.
    long phase = (slot + 7_000L * group.weight()) % 70_000;
    boolean there = phase < 50_000 && !(phase >= 30_000 && phase < 40_000);
    List<AlertInstance> alerts = List.of();
    if (there) {
      AlertInstance last =
          before.rules().isEmpty() || before.rules().getFirst().alerts().isEmpty()
              ? null
              : before.rules().getFirst().alerts().getFirst();
      long since = last == null ? slot : last.activeAt();
      boolean fires = slot - since >= FOR_MILLIS;
      alerts =
          List.of(
              new AlertInstance(
                  Labels.of("alertname", group.id().name()),
                  new TreeMap<>(),
                  fires ? State.FIRING : State.PENDING,
                  1,
                  since,
                  fires ? since + FOR_MILLIS : 0,
                  0,
                  0,
                  slot));
    }
    return new GroupState(
        group.id(),
        slot,
        group.definition(),
        List.of(),
        List.of(new RuleState(RuleState.Health.OK, "", slot, 0, alerts, List.of())));
  }

  void store(GroupState state) {
    String text = text(state);
    String before =
        stored.computeIfAbsent(state.group(), none -> new TreeMap<>()).put(state.slot(), text);
    if (before != null) {
      storedTwice++;
      if (!before.equals(text)) {
        throw new AssertionError("two results of one slot: " + before + " and " + text);
      }
    }
  }

  /** Alerts of a slot are sent by somebody. */
  void sent(String by, GroupState state, long begun, long wokenAt) {
    if (begun < wokenAt) {
      throw new AssertionError(
          by + " sends at " + simulation.now() + " what it began before it was frozen");
    }
    long newest = newestSent.merge(state.group(), state.slot(), Math::max);
    // Clocks differ by less than a second, so at most the slot before is still sent by one.
    if (state.slot() < newest - groups.get(state.group()).interval()) {
      throw new AssertionError(
          by + " sends slot " + state.slot() + " of " + state.group() + " after " + newest);
    }
  }

  private static String text(GroupState state) {
    return state.slot()
        + " "
        + state.rules().getFirst().alerts().stream()
            .map(alert -> alert.state() + " since " + alert.activeAt())
            .toList();
  }

  /** Every slot from the first one on has the one right result. */
  void assertComplete(long now) {
    for (Dealt group : groups.values()) {
      TreeMap<Long, String> slots = stored.getOrDefault(group.id(), new TreeMap<>());
      if (slots.isEmpty() || slots.firstKey() > Simulation.EPOCH + 2 * group.interval()) {
        throw new AssertionError("group " + group.id().name() + " did not begin");
      }
      GroupState state = new GroupState(group.id(), 0, "", List.of(), List.of());
      long end = Simulation.EPOCH + now - group.interval();
      for (long slot = slots.firstKey(); slot <= end; slot += group.interval()) {
        state = evaluate(group, state, slot);
        if (!text(state).equals(slots.get(slot))) {
          throw new AssertionError(
              "group "
                  + group.id().name()
                  + " has the result "
                  + slots.get(slot)
                  + " instead of "
                  + text(state));
        }
      }
    }
  }

  long storedTwice() {
    return storedTwice;
  }
}
