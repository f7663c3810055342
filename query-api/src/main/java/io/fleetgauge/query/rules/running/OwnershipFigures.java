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
        "Rule groups that would be evaluated here if their owner died.",
        () -> figures.get().shadowed());
    meters.gauge(
        "rule_peers",
        "Other query APIs that rule groups are dealt to.",
        () -> figures.get().peers());
    meters.counter(
        "rule_group_iterations_missed",
        "Slots of rule groups that were never evaluated, because they were older than"
            + " rules.catchUp when they could have been, or because the evaluations of their"
            + " group take longer than its interval.",
        () -> figures.get().missed());
    meters.counter(
        "rule_slots_replayed",
        "Slots of rule groups that were evaluated after a later one had come.",
        () -> figures.get().replayed());
    meters.counter(
        "rule_leases_lost",
        "Times that this process stood still and gave its rule groups up.",
        () -> figures.get().leasesLost());
    meters.counter(
        "rule_results_abandoned",
        "Evaluations whose results were not used, because another query API may have gone on.",
        () -> figures.get().abandoned());
  }
}
