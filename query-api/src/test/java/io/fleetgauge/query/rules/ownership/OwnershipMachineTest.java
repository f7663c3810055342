package io.fleetgauge.query.rules.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.rules.definition.RuleGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Single decisions; the simulation of owners plays whole clusters. */
class OwnershipMachineTest {
  private static final RuleGroup.Id GROUP = new RuleGroup.Id("", "rules.yaml", "g");
  private static final long INTERVAL = 10_000;

  private final OwnershipMachine machine = new OwnershipMachine("q", 1, 3_600_000);
  private final List<Effect> effects = new ArrayList<>();

  private void tick(long steady) {
    machine.on(new Event.Tick(steady, 1_000_000 + steady), effects::add);
  }

  private List<Long> evaluated() {
    return effects.stream()
        .filter(Effect.Evaluate.class::isInstance)
        .map(effect -> ((Effect.Evaluate) effect).slot())
        .toList();
  }

  @Test
  void slotsThatComeWhileAStateIsRestoredAreNotMissed() {
    machine.on(new Event.Listed(Set.of()), effects::add);
    machine.on(new Event.Groups(List.of(new Dealt(GROUP, "d", INTERVAL, 0, 1))), effects::add);
    tick(0);
    Effect.Restore restore =
        effects.stream()
            .filter(Effect.Restore.class::isInstance)
            .map(Effect.Restore.class::cast)
            .findFirst()
            .orElseThrow();
    for (long steady = 1_000; steady <= 15_000; steady += 1_000) {
      tick(steady);
    }
    // Gateways were away, so it is tried again.
    machine.on(new Event.NotEvaluated(restore.term(), GROUP, restore.slot()), effects::add);
    for (long steady = 16_000; steady <= 25_000; steady += 1_000) {
      tick(steady);
    }
    machine.on(new Event.Restored(restore.term(), GROUP, Optional.empty()), effects::add);
    assertThat(evaluated()).isEmpty();
    tick(26_000);
    assertThat(evaluated()).containsExactly(1_010_000L);
  }
}
