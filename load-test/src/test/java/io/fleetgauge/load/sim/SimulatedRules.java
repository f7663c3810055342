package io.fleetgauge.load.sim;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.TextSpan;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.query.rules.definition.Rule;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Notice;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Outcome;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.QueryAnswer;
import io.fleetgauge.query.rules.evaluation.GroupState;
import io.fleetgauge.query.rules.ownership.Dealt;
import io.fleetgauge.sample.Labels;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Groups of one alert each, the store that keeps their results, and the alerts that are told. An
 * alert's series is there or not as its time says, so each slot has one right result. What a slot
 * makes of it, {@link GroupEvaluation} decides.
 */
final class SimulatedRules {
  /** In place of all gateways. */
  static final String STORE = "store";

  private static final long FOR_MILLIS = 20_000;
  private static final long RESEND_MILLIS = 30_000;
  private static final GroupEvaluation.Settings SETTINGS =
      new GroupEvaluation.Settings(
          Labels.EMPTY, "http://here", RESEND_MILLIS, 0, RuleGroup.Partial.KEEP);

  private final Simulation simulation;
  private final Map<RuleGroup.Id, Dealt> groups = new HashMap<>();
  private final Map<RuleGroup.Id, TreeMap<Long, String>> stored = new HashMap<>();
  private final Map<RuleGroup.Id, Long> newestSent = new HashMap<>();
  private final Map<RuleGroup.Id, GroupMemory> told = new HashMap<>();
  private long storedTwice;
  private long notices;

  /** Notifications of a group's alert so far: since when it fires, and which firings are over. */
  private static final class GroupMemory {
    private long startsAt;
    private final Set<Long> over = new HashSet<>();
  }

  SimulatedRules(Simulation simulation, List<Dealt> groups) {
    this.simulation = simulation;
    groups.forEach(each -> this.groups.put(each.id(), each));
  }

  /** A group of one alert. */
  static Dealt group(String name, long interval, long offset, int weight) {
    RuleGroup.Id id = new RuleGroup.Id("", "rules.yaml", name);
    return new Dealt(id, GroupState.definitionOf(rules(id, interval)), interval, offset, weight);
  }

  private static RuleGroup rules(RuleGroup.Id id, long interval) {
    Expr there = new Expr.Number(1, false, new TextSpan(0, 1)); // the queries below do not read it
    Rule alert =
        new Rule.Alerting(id.name(), there, FOR_MILLIS, 0, new TreeMap<>(), new TreeMap<>());
    return new RuleGroup(
        id,
        interval,
        Optional.empty(),
        OptionalInt.empty(),
        new TreeMap<>(),
        Optional.empty(),
        List.of(alert));
  }

  List<Dealt> groups() {
    return List.copyOf(groups.values());
  }

  /** A function of the state before and of the slot. */
  static Outcome evaluate(Dealt group, GroupState before, long slot) {
    // There for 40 s of 70, and for 10 s of them not.
    long phase = (slot + 7_000L * group.weight()) % 70_000;
    boolean there = phase < 50_000 && !(phase >= 30_000 && phase < 40_000);
    List<Answer.Sample> series = there ? List.of(new Answer.Sample(Labels.EMPTY, 1)) : List.of();
    return GroupEvaluation.evaluate(
            rules(group.id(), group.interval()),
            before,
            slot,
            (expression, time) ->
                CompletableFuture.completedFuture(
                    new QueryAnswer(new Answer.Vector(time, series), List.of())),
            samples -> CompletableFuture.completedFuture(null),
            SETTINGS)
        .toCompletableFuture()
        .join();
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

  /** Alerts of a slot are told by somebody. */
  void tell(String by, GroupState state, List<Notice> alerts, long begun, long wokenAt) {
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
    for (Notice alert : alerts) {
      tell(by, state, alert);
    }
  }

  private void tell(String by, GroupState state, Notice alert) {
    notices++;
    GroupMemory known = told.computeIfAbsent(state.group(), none -> new GroupMemory());
    boolean fires = alert.endsAt() > state.slot();
    if (alert.startsAt() < known.startsAt || fires && known.over.contains(alert.startsAt())) {
      throw new AssertionError(
          by
              + " tells at slot "
              + state.slot()
              + " "
              + alert
              + ", after one that fires since "
              + known.startsAt
              + " and after the end of "
              + known.over);
    }
    known.startsAt = alert.startsAt();
    if (!fires) {
      known.over.add(alert.startsAt());
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
      GroupState state = GroupState.initial(rules(group.id(), group.interval()));
      long end = Simulation.EPOCH + now - group.interval();
      for (long slot = slots.firstKey(); slot <= end; slot += group.interval()) {
        state = evaluate(group, state, slot).after();
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

  /** Number of alerts that were told, each repetition counted. */
  long notices() {
    return notices;
  }

  long storedTwice() {
    return storedTwice;
  }
}
