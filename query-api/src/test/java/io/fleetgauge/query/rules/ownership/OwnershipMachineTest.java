package io.fleetgauge.query.rules.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.AlertInstance;
import io.fleetgauge.query.rules.evaluation.AlertInstance.State;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Written;
import io.fleetgauge.query.rules.evaluation.GroupState;
import io.fleetgauge.query.rules.evaluation.RuleState;
import io.fleetgauge.query.rules.evaluation.RuleState.Health;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Single decisions; the simulation of owners plays whole clusters. */
class OwnershipMachineTest {
  private static final RuleGroup.Id GROUP = new RuleGroup.Id("", "rules.yaml", "g");
  private static final Labels SERIES = Labels.of("alertname", "A");
  private static final long INTERVAL = 10_000;

  private static final long BEGIN = 1_000_000;
  private static final long CATCH_UP = 3_600_000;

  private OwnershipMachine machine = new OwnershipMachine("q", 1, CATCH_UP);
  private final List<Effect> effects = new ArrayList<>();
  private long now;
  private long beats;

  private void tick(long steady) {
    machine.on(new Event.Tick(steady, BEGIN + steady), effects::add);
  }

  private <T extends Effect> List<T> effects(Class<T> kind) {
    return effects.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  private List<Long> evaluated() {
    return effects(Effect.Evaluate.class).stream().map(Effect.Evaluate::slot).toList();
  }

  private static GroupState state(long slot) {
    return new GroupState(GROUP, slot, "d", List.of(), List.of());
  }

  /** The only query API, which has a state of the group. */
  private void alone(long catchUpMillis, long interval, GroupState kept) {
    machine = new OwnershipMachine("q", 1, catchUpMillis);
    machine.on(new Event.Listed(Set.of()), effects::add);
    machine.on(new Event.Came(kept), effects::add);
    machine.on(new Event.Groups(List.of(new Dealt(GROUP, "d", interval, 0, 1))), effects::add);
  }

  /**
   * Time passes, and each evaluation takes as long.
   *
   * @return the slots that were published, and whether their alerts were told
   */
  private Map<Long, Boolean> run(long from, long to, long took) {
    long begun = from;
    for (long steady = from; steady < to; steady += 1_000) {
      List<Effect.Evaluate> evaluations = effects(Effect.Evaluate.class);
      int published = effects(Effect.Publish.class).size();
      if (evaluations.size() > published && steady >= begun + took) {
        Effect.Evaluate last = evaluations.getLast();
        machine.on(
            new Event.Evaluated(last.term(), state(last.slot()), steady, took), effects::add);
      }
      tick(steady);
      begun = effects(Effect.Evaluate.class).size() > evaluations.size() ? steady : begun;
    }
    Map<Long, Boolean> told = new TreeMap<>();
    effects(Effect.Publish.class).forEach(each -> told.put(each.after().slot(), each.tell()));
    return told;
  }

  private void failed() {
    Effect.Evaluate last = effects(Effect.Evaluate.class).getLast();
    machine.on(new Event.NotEvaluated(last.term(), GROUP, last.slot()), effects::add);
  }

  @Test
  void slotsThatComeWhileAStateIsRestoredAreNotMissed() {
    machine.on(new Event.Listed(Set.of()), effects::add);
    machine.on(new Event.Groups(List.of(new Dealt(GROUP, "d", INTERVAL, 0, 1))), effects::add);
    tick(0);
    Effect.Restore restore = effects(Effect.Restore.class).getFirst();
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

  @Test
  void aSlotThatIsEvaluatedIsNotCountedAsMissed() {
    alone(0, INTERVAL, state(BEGIN));

    tick(INTERVAL + 100);

    assertThat(evaluated()).containsExactly(BEGIN + INTERVAL);
    assertThat(machine.missed()).isZero();
  }

  @Test
  void aSlotThatIsTriedAgainIsNotCountedAsMissed() {
    long interval = 2_400_000;
    alone(60_000, interval, state(interval));
    // Gateways are away for longer than slots are made up for.
    for (long steady = 3 * interval; evaluated().size() < 10; steady += 1_000) {
      tick(steady);
      failed();
    }

    assertThat(evaluated()).containsOnly(3 * interval);
    assertThat(machine.missed()).isEqualTo(1);
  }

  @Test
  void eachSlotThatIsMissedIsCountedOnce() {
    alone(60_000, INTERVAL, state(BEGIN));

    for (long steady = 100_000; steady < 130_000; steady += 1_000) {
      tick(steady);
      failed();
    }

    assertThat(evaluated().getLast()).isEqualTo(BEGIN + 70_000);
    assertThat(machine.missed()).as("slots of BEGIN + 10 s to 60 s").isEqualTo(6);
  }

  @Test
  void aGroupWhoseEvaluationsTakeLongerThanItsIntervalTellsItsAlerts() {
    alone(CATCH_UP, INTERVAL, state(BEGIN));

    Map<Long, Boolean> told = run(10_000, 400_000, INTERVAL + 1_000);

    assertThat(told).hasSizeGreaterThan(30);
    told.forEach((slot, is) -> assertThat(is).as("slot " + slot).isEqualTo(slot >= BEGIN + 70_000));
  }

  @Test
  void aGroupWhoseEvaluationsTakeLongerThanItsIntervalGoesOnWithItsNewestSlot() {
    alone(CATCH_UP, INTERVAL, state(BEGIN));

    run(10_000, 400_000, 25_000);

    assertThat(evaluated())
        .startsWith(
            BEGIN + 10_000, BEGIN + 20_000, BEGIN + 30_000, BEGIN + 80_000, BEGIN + 110_000);
    assertThat(machine.missed()).isEqualTo(39 - 1 - evaluated().size());
  }

  @Test
  void slotsThatComeWhileOneEvaluationTakesLongAreNotMissed() {
    alone(CATCH_UP, INTERVAL, state(BEGIN));
    run(10_000, 60_000, 45_000);

    Map<Long, Boolean> told = run(60_000, 100_000, 1_000);

    assertThat(told.keySet()).hasSize(9);
    assertThat(machine.missed()).isZero();
    assertThat(told.entrySet().stream().filter(Map.Entry::getValue))
        .as("slots before are made up for")
        .first()
        .isEqualTo(Map.entry(BEGIN + 60_000, true));
  }

  @Test
  void whileAnotherQueryApiIsOutOfSightOnlyTheNewestSlotIsTold() {
    alone(CATCH_UP, INTERVAL, state(BEGIN));
    machine.on(new Event.Listed(Set.of("other")), effects::add);
    tick(0);

    assertThat(run(10_000, 400_000, INTERVAL + 1_000))
        .hasSizeGreaterThan(30)
        .doesNotContainValue(true);
  }

  private static GroupState pending(long slot) {
    AlertInstance alert =
        new AlertInstance(SERIES, new TreeMap<>(), State.PENDING, 1, slot, 0, 0, 0, 0);
    RuleState rule = new RuleState(Health.OK, "", slot, 0, List.of(alert), List.of(SERIES));
    return new GroupState(GROUP, slot, "d", List.of(), List.of(rule));
  }

  @Test
  void alertsGoOnAfterAnOutageOfAnHour() {
    alone(0, INTERVAL, pending(BEGIN));

    tick(CATCH_UP + INTERVAL);

    assertThat(effects(Effect.Evaluate.class))
        .extracting(Effect.Evaluate::before)
        .containsExactly(pending(BEGIN));
    assertThat(machine.missed()).isEqualTo(CATCH_UP / INTERVAL);
  }

  @Test
  void alertsBeginAnewAfterALongerOutageAndOldSeriesAreEnded() {
    alone(0, INTERVAL, pending(BEGIN));

    tick(CATCH_UP + 2 * INTERVAL);

    GroupState before = effects(Effect.Evaluate.class).getFirst().before();
    assertThat(before.slot()).isEqualTo(BEGIN);
    assertThat(before.rules().getFirst().alerts()).isEmpty();
    assertThat(before.rules().getFirst().series()).containsExactly(SERIES);
    assertThat(machine.missed()).as("nobody was there to evaluate them").isZero();
  }

  @Test
  void alertsGoOnThroughALongOutageWhoseSlotsAreAllMadeUpFor() {
    alone(10 * CATCH_UP, INTERVAL, pending(BEGIN));

    tick(9 * CATCH_UP);

    assertThat(evaluated()).containsExactly(BEGIN + INTERVAL);
    assertThat(effects(Effect.Evaluate.class).getFirst().before()).isEqualTo(pending(BEGIN));
  }

  @Test
  void theStateOfAGroupThatDoesNotBecomeKnownIsForgotten() {
    machine.on(new Event.Came(state(BEGIN)), effects::add);
    machine.on(new Event.Groups(List.of()), effects::add);
    tick(1_000_000);
    tick(1_000_000 + 299_000);
    assertThat(effects(Effect.Forget.class)).as("others may still tell the group").isEmpty();

    tick(1_000_000 + 300_000);
    assertThat(effects(Effect.Forget.class))
        .extracting(Effect.Forget::group)
        .containsExactly(GROUP);

    machine.on(new Event.Groups(List.of(new Dealt(GROUP, "d", INTERVAL, 0, 1))), effects::add);
    assertThat(machine.states()).as("it begins anew").isEmpty();
  }

  @Test
  void aStateThatComesBeforeItsGroupIsTaken() {
    machine.on(new Event.Came(state(BEGIN)), effects::add);
    machine.on(new Event.Groups(List.of()), effects::add);
    tick(0);

    machine.on(new Event.Groups(List.of(new Dealt(GROUP, "d", INTERVAL, 0, 1))), effects::add);

    assertThat(machine.states()).containsExactly(state(BEGIN));
  }

  /** Groups that are known from now on, of which the other query API knows some, too. */
  private void known(List<RuleGroup.Id> here, List<RuleGroup.Id> there) {
    machine.on(new Event.Groups(here.stream().map(this::dealt).toList()), effects::add);
    List<Beat.Known> known =
        there.stream()
            .map(id -> new Beat.Known(GroupKey.of(id), GroupKey.ofDefinition("d"), 1, 0))
            .toList();
    machine.on(
        new Event.Heard(new Beat("other", 1, ++beats, 0, 0, true, known), now), effects::add);
  }

  private Dealt dealt(RuleGroup.Id id) {
    return new Dealt(id, "d", INTERVAL, 0, 1);
  }

  private void tickUntil(long steady) {
    for (; now <= steady; now += 1_000) {
      tick(now);
    }
  }

  @Test
  void seriesOfARemovedGroupEndTwoIntervalsLaterAtTheTimeOfItsRemoval() {
    alone(CATCH_UP, INTERVAL, pending(BEGIN));
    tickUntil(5_000);

    machine.on(new Event.Groups(List.of()), effects::add);
    tickUntil(24_000);
    assertThat(effects(Effect.End.class)).isEmpty();

    tickUntil(60_000);
    Written marker = new Written(SERIES, BEGIN + 5_000, Staleness.MARKER);
    assertThat(effects(Effect.End.class)).containsExactly(new Effect.End(GROUP, List.of(marker)));
  }

  @Test
  void seriesOfARemovedGroupGoOnWhenAnotherGroupWritesThem() {
    alone(CATCH_UP, INTERVAL, pending(BEGIN));
    tickUntil(5_000);

    RuleGroup.Id moved = new RuleGroup.Id("", "other.yaml", "g");
    machine.on(new Event.Groups(List.of(dealt(moved))), effects::add);
    GroupState same = pending(BEGIN + 10_000);
    machine.on(
        new Event.Came(new GroupState(moved, same.slot(), "d", List.of(), same.rules())),
        effects::add);
    tickUntil(60_000);

    assertThat(effects(Effect.End.class)).isEmpty();
  }

  @Test
  void seriesOfARemovedGroupAreEndedByTheLastQueryApiThatKnowsIt() {
    alone(CATCH_UP, INTERVAL, pending(BEGIN));
    tickUntil(5_000);
    known(List.of(), List.of(GROUP));
    for (; now < 60_000; now += 1_000) {
      known(List.of(), List.of(GROUP));
      tick(now);
    }

    assertThat(effects(Effect.End.class)).isEmpty();
  }

  @Test
  void aRemovedGroupThatAnotherQueryApiEvaluatesEndsNoSeriesHere() {
    List<RuleGroup.Id> all = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      RuleGroup.Id id = new RuleGroup.Id("", "rules.yaml", "g" + i);
      GroupState state = pending(BEGIN);
      machine.on(
          new Event.Came(new GroupState(id, state.slot(), "d", List.of(), state.rules())),
          effects::add);
      all.add(id);
    }
    known(all, all);
    tickUntil(5_000);
    known(all, all);
    tickUntil(6_000);
    List<RuleGroup.Id> owned = all.stream().filter(machine::owns).toList();
    assertThat(owned).hasSize(2);

    known(List.of(), List.of());
    tickUntil(60_000);

    assertThat(effects(Effect.End.class))
        .extracting(Effect.End::group)
        .containsExactlyInAnyOrderElementsOf(owned);
  }
}
