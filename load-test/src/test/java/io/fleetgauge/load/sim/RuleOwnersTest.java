package io.fleetgauge.load.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.rules.ownership.Dealt;
import io.fleetgauge.query.rules.ownership.OwnershipMachine;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Query APIs own rule groups while they are killed, frozen and cut off, with clocks that differ and
 * a network that loses, repeats and delays messages: every slot of every group is stored with the
 * result that one undisturbed process would have, every alert that is sent is that of the newest
 * slot, and none contradicts what was told before.
 */
class RuleOwnersTest {
  private static final int FIRST = Integer.getInteger("fleetgauge.simulation.first", 1);
  private static final int SEEDS = Integer.getInteger("fleetgauge.simulation.rules", 150);
  private static final int MEMBERS = 3;
  private static final int GROUPS = 7;
  private static final long INTERVAL = 10_000;
  private static final long TROUBLE = 300_000;
  private static final long QUIET = 60_000;

  @Test
  void noSlotIsMissedAndNothingStaleIsSent() {
    long[] figures = new long[4];
    LongStream.range(FIRST, FIRST + SEEDS)
        .forEach(
            seed -> {
              try {
                play(seed, figures);
              } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
              }
            });
    assertThat(figures[0]).as("slots stored by two").isPositive();
    assertThat(figures[1]).as("slots that were replayed").isPositive();
    assertThat(figures[3]).as("alerts that were told").isPositive();
    assertThat(figures[2]).as("results of frozen ones that were not used").isPositive();
  }

  private static void play(long seed, long[] figures) {
    Simulation simulation = new Simulation(seed);
    List<Dealt> groups = groups();
    SimulatedRules rules = new SimulatedRules(simulation, groups);
    List<SimulatedRuler> members = new ArrayList<>();
    for (int i = 0; i < MEMBERS; i++) {
      members.add(new SimulatedRuler(simulation, rules, "q" + i, members));
    }
    members.forEach(SimulatedRuler::start);
    simulation.runUntil(25_000); // each group has begun
    simulation.network(simulation.random.nextDouble() * 0.1, 0.05, 40);
    while (simulation.now() < TROUBLE) {
      trouble(simulation, members);
      simulation.runUntil(simulation.now() + 500 + simulation.random.nextLong(12_000));
    }
    simulation.heal();
    simulation.network(0, 0, 10);
    members.forEach(SimulatedRuler::thaw);
    members.forEach(SimulatedRuler::start);
    simulation.runUntil(TROUBLE + QUIET);
    rules.assertComplete(simulation.now());
    for (SimulatedRuler member : members) {
      assertThat(member.missed()).as("slots that were given up").isZero();
      figures[1] += member.replayed();
      figures[2] += member.abandoned();
    }
    figures[0] += rules.storedTwice();
    figures[3] += rules.notices();
  }

  private static void trouble(Simulation simulation, List<SimulatedRuler> members) {
    SimulatedRuler one = members.get(simulation.random.nextInt(MEMBERS));
    SimulatedRuler other = members.get(simulation.random.nextInt(MEMBERS));
    switch (simulation.random.nextInt(8)) {
      case 0 -> one.kill();
      case 1, 2 -> members.forEach(SimulatedRuler::start);
      case 3 -> one.freeze(simulation.random.nextLong(20_000));
      // About as long as the lease, where a mistake would show.
      case 4 -> one.freeze(OwnershipMachine.LEASE_MILLIS - 500 + simulation.random.nextLong(2_500));
      case 5 -> simulation.cut(one.name(), other.name());
      case 6 -> simulation.cut(one.name(), SimulatedRules.STORE);
      default -> simulation.heal();
    }
  }

  private static List<Dealt> groups() {
    List<Dealt> groups = new ArrayList<>();
    for (int i = 0; i < GROUPS; i++) {
      // None has a slot while the members begin.
      long offset = 4_000 + 700L * i;
      groups.add(SimulatedRules.group("g" + i, INTERVAL, offset, 1 + i % 3));
    }
    return groups;
  }
}
