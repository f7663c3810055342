package io.fleetgauge.query.rules.running;

import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.GroupState;
import io.fleetgauge.query.rules.evaluation.RuleState;
import io.fleetgauge.runtime.process.Meters;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleConsumer;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * Counters of rules. Where Prometheus has a metric ({@code prometheus_rule_*}), the name after the
 * prefix is its own.
 */
final class RuleCounts {
  private static final double[] LATENESS_SECONDS = {0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300};

  private final Map<RuleGroup.Id, OfGroup> groups = new ConcurrentHashMap<>();
  private final LongAdder partial = new LongAdder();
  private final LongAdder postponed = new LongAdder();
  private final LongAdder late = new LongAdder();
  private final LongAdder outOfScope = new LongAdder();
  private volatile DoubleConsumer lateness = seconds -> {};

  /** Counters of a group, while it is known. */
  private static final class OfGroup {
    private final LongAdder iterations = new LongAdder();
    private final LongAdder evaluations = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private volatile double lastSeconds;
    private volatile long lastSlot;
    private volatile int rules;
    private volatile long samples;
  }

  /**
   * A slot has been evaluated.
   *
   * @param seconds duration of that
   * @param after time from the slot to its end, s
   * @param samples number of samples of the slot
   */
  void evaluated(GroupState state, double seconds, double after, long samples) {
    OfGroup of = groups.computeIfAbsent(state.group(), none -> new OfGroup());
    of.iterations.increment();
    of.evaluations.add(state.rules().size());
    of.failures.add(
        state.rules().stream().filter(rule -> rule.health() == RuleState.Health.ERR).count());
    of.lastSeconds = seconds;
    of.lastSlot = state.slot();
    of.rules = state.rules().size();
    of.samples = samples;
    if (!state.missing().isEmpty()) {
      partial.increment();
    }
    lateness.accept(after);
  }

  void forget(RuleGroup.Id group) {
    groups.remove(group);
  }

  /** An evaluation is tried again later, because something was missing. */
  void postponed() {
    postponed.increment();
  }

  /** A slot is evaluated at its deadline, without all of its samples. */
  void late() {
    late.increment();
  }

  /** Results were not stored because they are not in the scope of their tenant. */
  void outOfScope(long samples) {
    outOfScope.add(samples);
  }

  /** As Prometheus names a group; groups of tenants with the tenant before it. */
  static String name(RuleGroup.Id group) {
    return group.tenant().isEmpty() ? group.key() : group.tenant() + ";" + group.key();
  }

  void declare(Meters meters) {
    lateness =
        meters.histogram(
            "rule_lateness_seconds",
            "Delay of an evaluation of a rule group after its evaluation time.",
            LATENESS_SECONDS);
    meters.counter(
        "rule_slots_partial", "Evaluations of rule groups without all hosts.", partial::sum);
    meters.counter(
        "rule_slots_late",
        "Evaluations of rule groups at their deadline, before all samples had arrived.",
        late::sum);
    meters.counter(
        "rule_evaluations_postponed",
        "Evaluations of rule groups that are retried because samples or results were missing.",
        postponed::sum);
    meters.counter(
        "rule_results_out_of_scope",
        "Results of rules that are not stored because they do not match the tenant's scope.",
        outOfScope::sum);
    counters(meters, "rule_group_iterations", "Evaluations, by rule group.", of -> of.iterations);
    counters(meters, "rule_evaluations", "Evaluated rules, by rule group.", of -> of.evaluations);
    counters(
        meters,
        "rule_evaluation_failures",
        "Rules with an error, by rule group.",
        of -> of.failures);
    gauges(
        meters,
        "rule_group_last_duration_seconds",
        "Duration of the last evaluation, by rule group.",
        of -> of.lastSeconds);
    gauges(
        meters,
        "rule_group_last_evaluation_timestamp_seconds",
        "Time of the last evaluation, by rule group.",
        of -> of.lastSlot / 1e3);
    gauges(meters, "rule_group_rules", "Rules, by rule group.", of -> of.rules);
    gauges(
        meters,
        "rule_group_last_evaluation_samples",
        "Samples of the last evaluation, by rule group.",
        of -> of.samples);
  }

  private void counters(
      Meters meters, String name, String help, Function<OfGroup, LongAdder> adder) {
    meters.counters(
        name,
        help,
        List.of("rule_group"),
        () -> {
          Map<List<String>, Long> values = new HashMap<>();
          groups.forEach((id, of) -> values.put(List.of(name(id)), adder.apply(of).sum()));
          return values;
        });
  }

  private void gauges(Meters meters, String name, String help, ToDoubleFunction<OfGroup> value) {
    meters.gauges(
        name,
        help,
        "rule_group",
        () -> {
          Map<String, Double> values = new TreeMap<>();
          groups.forEach((id, of) -> values.put(name(id), value.applyAsDouble(of)));
          return values;
        });
  }
}
