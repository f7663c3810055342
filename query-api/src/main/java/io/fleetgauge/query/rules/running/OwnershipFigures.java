package io.fleetgauge.query.rules.running;

import io.fleetgauge.query.rules.ownership.OwnershipMachine;
import io.fleetgauge.runtime.process.Meters;
import java.util.function.Supplier;

/** Counters of the machine, for other threads. */
record OwnershipFigures(
    long owned,
    long shadowed,
    long missed,
    long replayed,
    long leasesLost,
    long abandoned,
    long peers) {
  static final OwnershipFigures NONE = new OwnershipFigures(0, 0, 0, 0, 0, 0, 0);

  static OwnershipFigures of(OwnershipMachine machine) {
    return new OwnershipFigures(
        machine.owned(),
        machine.shadowed(),
        machine.missed(),
        machine.replayed(),
        machine.leasesLost(),
        machine.abandoned(),
        machine.live().size());
  }

  static void declare(Meters meters, Supplier<OwnershipFigures> figures) {
    meters.gauge("rule_groups_owned", "Rule groups evaluated here.", () -> figures.get().owned());
    meters.gauge(
        "rule_groups_shadowed",
        "Rule groups that this process takes over if their owner fails.",
        () -> figures.get().shadowed());
    meters.gauge(
        "rule_peers",
        "Other query APIs among which rule groups are distributed.",
        () -> figures.get().peers());
    meters.counter(
        "rule_group_iterations_missed",
        "Missed evaluations of rule groups: older than rules.catchUp when they could have been run,"
            + " or skipped because the evaluations of the group take longer than its interval.",
        () -> figures.get().missed());
    meters.counter(
        "rule_slots_replayed",
        "Evaluations of rule groups that were run after a later one was due.",
        () -> figures.get().replayed());
    meters.counter(
        "rule_leases_lost",
        "Times that this process was stalled and gave up its rule groups.",
        () -> figures.get().leasesLost());
    meters.counter(
        "rule_results_abandoned",
        "Evaluations whose results were discarded because another query API may have taken the"
            + " group over.",
        () -> figures.get().abandoned());
  }
}
