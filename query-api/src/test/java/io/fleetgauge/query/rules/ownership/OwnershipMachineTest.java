package io.fleetgauge.query.rules.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.peers.Heartbeat;
import io.fleetgauge.cluster.peers.PeerMachine;
import io.fleetgauge.query.derived.DerivedSample;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.AlertInstance;
import io.fleetgauge.query.rules.evaluation.AlertInstance.State;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Outcome;
import io.fleetgauge.query.rules.evaluation.GroupState;
import io.fleetgauge.query.rules.evaluation.RuleState;
import io.fleetgauge.query.rules.evaluation.RuleState.Health;
import io.fleetgauge.query.rules.ownership.GroupNote.Known;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.wire.WireException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Single decisions; the simulation of owners plays whole clusters. More than 600 lines, because all
 * of them are of one machine.
 */
class OwnershipMachineTest {
  private static final RuleGroup.Id GROUP = new RuleGroup.Id("", "rules.yaml", "g");
  private static final Labels SERIES = Labels.of("alertname", "A");
  private static final long INTERVAL = 10_000;

  private static final long BEGIN = 1_000_000;
  private static final long CATCH_UP = 3_600_000;

  private OwnershipMachine machine = new OwnershipMachine("q", CATCH_UP);
  private PeerMachine peers = new PeerMachine("q", 1);
  private final List<Effect> effects = new ArrayList<>();
  private long now;
  private long beats;
  private long acknowledged;

  private void tick(long steady) {
    peers.tick(steady, (to, beat) -> {});
    machine.on(new Event.Tick(steady, BEGIN + steady, peers.list()), effects::add);
  }

  private void lists(String... others) {
    peers.listed(Optional.of(Set.of(others)), others.length + 1, 0);
  }

  /** A heartbeat of the other one, which knows some groups. */
  private void heard(long answered, Map<Long, Known> groups, long steady) {
    acknowledged = Math.max(acknowledged, answered);
    byte[] note = new GroupNote(true, groups).toBytes();
    peers.heard(
        new Heartbeat(
            "other", 1, ++beats, 1, 1_000 * acknowledged, false, Map.of(GroupNote.TOPIC, note)),
        steady);
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

  private static Event evaluated(long term, GroupState after, long steady, long took) {
    return new Event.Evaluated(term, new Outcome(after, List.of(), List.of(), 0, 0), steady, took);
  }

  /** The only query API, which has a state of the group. */
  private void alone(long catchUpMillis, long interval, GroupState kept) {
    machine = new OwnershipMachine("q", catchUpMillis);
    lists();
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
        machine.on(evaluated(last.term(), state(last.slot()), steady, took), effects::add);
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
    lists();
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
    assertThat(effects(Effect.Restore.class))
        .as("of the slot of the first try")
        .containsExactly(restore, restore);
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
    lists("other");
    tick(0);

    assertThat(run(10_000, 400_000, INTERVAL + 1_000))
        .hasSizeGreaterThan(30)
        .doesNotContainValue(true);
  }

  private static GroupState pending(long slot) {
    AlertInstance alert =
        new AlertInstance(SERIES, new TreeMap<>(), State.PENDING, 1, slot, 0, 0, 0, 0);
    RuleState rule = new RuleState("", Health.OK, "", slot, 0, List.of(alert), List.of(SERIES));
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
    Map<Long, Known> known = new TreeMap<>();
    there.forEach(id -> known.put(GroupHash.of(id), definition(0)));
    heard(0, known, now);
  }

  private static Known definition(long slot) {
    return new Known(GroupHash.ofDefinition("d"), 1, slot);
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
    DerivedSample marker = new DerivedSample(SERIES, BEGIN + 5_000, Staleness.MARKER);
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

  // --- the lease ---

  /** The only query API, whose lease holds since it ticked at 10 s. */
  private long begunAt10s() {
    alone(CATCH_UP, INTERVAL, state(BEGIN));
    tick(10_000);
    return effects(Effect.Evaluate.class).getFirst().term();
  }

  private static long ofLease(long millisTooMuch) {
    return 10_000 + OwnershipMachine.LEASE_MILLIS + millisTooMuch;
  }

  @Test
  void theLeaseIsThreeSecondsAndShorterThanTheSilenceAfterWhichOthersTakeOver() {
    assertThat(OwnershipMachine.LEASE_MILLIS).isEqualTo(3_000);
    assertThat(PeerMachine.SILENT_MILLIS).isEqualTo(4_000);
  }

  @Test
  void whatWasEvaluatedMayBePublishedUntilTheLeaseIsOverAndNotAfter() {
    long term = begunAt10s();
    assertThat(machine.mayPublish(term, ofLease(0))).isTrue();
    assertThat(machine.mayPublish(term, ofLease(1))).isFalse();
    assertThat(machine.mayPublish(term - 1, 10_000)).as("of an earlier term").isFalse();
    assertThat(machine.mayPublish(term + 1, 10_000)).isFalse();
    machine.on(new Event.Stopping(), effects::add);
    assertThat(machine.mayPublish(term, 10_000)).as("others go on").isFalse();
    assertThat(machine.mayPublish(term + 1, 10_000)).isFalse();
    assertThat(machine.owns(GROUP)).isFalse();
  }

  @Test
  void nothingIsPublishedThatWasReadyWhenTheLeaseWasOver() {
    long term = begunAt10s();
    GroupState after = state(BEGIN + INTERVAL);
    machine.on(evaluated(term, after, ofLease(1), 5), effects::add);
    assertThat(effects(Effect.Publish.class)).isEmpty();
    assertThat(machine.abandoned()).isEqualTo(1);

    machine.on(evaluated(term, after, ofLease(0), 5), effects::add);
    assertThat(effects(Effect.Publish.class)).hasSize(1);
  }

  @Test
  void aLoopThatStoodStillForAsLongAsTheLeaseKeepsItsGroups() {
    long term = begunAt10s();
    tick(ofLease(0));
    assertThat(machine.leasesLost()).isZero();
    assertThat(machine.mayPublish(term, ofLease(0))).isTrue();
  }

  @Test
  void aLoopThatStoodStillForLongerHasLostThemAndWhatItHadBegun() {
    long term = begunAt10s();
    effects.clear();
    tick(ofLease(1));
    assertThat(machine.leasesLost()).isEqualTo(1);
    assertThat(effects(Effect.Abandon.class)).hasSize(1);
    assertThat(machine.mayPublish(term, ofLease(1))).isFalse();
    machine.on(evaluated(term, state(BEGIN + INTERVAL), ofLease(1), 5), effects::add);
    assertThat(effects(Effect.Publish.class)).as("of the term before").isEmpty();
  }

  /** With another query API that is listed, and has not been heard. */
  private void beganWithAnother() {
    alone(CATCH_UP, INTERVAL, state(BEGIN));
    lists("other");
  }

  private void answers(long answered, long steady) {
    heard(answered, Map.of(), steady);
  }

  @Test
  void whoBeginsOwnsNothingUntilTheOthersHaveBeenSilentForFourSeconds() {
    beganWithAnother();
    for (long steady = 0; steady < PeerMachine.SILENT_MILLIS; steady += 500) {
      tick(steady);
      assertThat(machine.owns(GROUP)).as("at " + steady).isFalse();
      assertThat(machine.owned()).isZero();
    }
    tick(PeerMachine.SILENT_MILLIS - 1);
    assertThat(machine.owns(GROUP)).isFalse();
    tick(PeerMachine.SILENT_MILLIS);
    assertThat(machine.owns(GROUP)).isTrue();
    assertThat(machine.owned()).isEqualTo(1);
  }

  @Test
  void untilItKnowsTheListOfTheOthersItOwnsNothing() {
    machine.on(new Event.Came(state(BEGIN)), effects::add);
    machine.on(new Event.Groups(List.of(new Dealt(GROUP, "d", INTERVAL, 0, 1))), effects::add);
    tick(0);
    tick(1_000);
    assertThat(machine.owns(GROUP)).isFalse();
    lists();
    tick(1_500);
    assertThat(machine.owns(GROUP)).isTrue();
  }

  @Test
  void anAnswerToABeatFromBeforeTheStandstillCountsForNothing() {
    beganWithAnother();
    tick(0);
    answers(100, 100);
    tick(500);
    assertThat(machine.live()).as("it knows that the other one lives").containsExactly("other");
    long standstill = 500 + OwnershipMachine.LEASE_MILLIS + 1;
    tick(standstill);
    answers(500, standstill);
    tick(standstill + 100);
    assertThat(machine.owned() + machine.shadowed()).as("the answer is old").isZero();
    answers(standstill, standstill + 150);
    tick(standstill + 200);
    assertThat(machine.owned()).as("it may have been sent before").isZero();
    answers(standstill + 100, standstill + 200);
    tick(standstill + 300);
    assertThat(machine.owned() + machine.shadowed()).isEqualTo(1);
  }

  @Test
  void aQueryApiThatWasHeardFourSecondsAgoIsDeadAndItsGroupsAreTakenOver() {
    beganWithAnother();
    tick(0);
    List<RuleGroup.Id> all = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      all.add(new RuleGroup.Id("", "rules.yaml", "g" + i));
    }
    answers(1, 0);
    known(all, all);
    tick(100);
    assertThat(machine.owned()).isEqualTo(4);
    for (long steady = 1_000; steady < 4_000; steady += 1_000) {
      tick(steady);
      assertThat(machine.owned()).as("at " + steady).isEqualTo(4);
    }
    tick(PeerMachine.SILENT_MILLIS - 1);
    assertThat(machine.owned()).isEqualTo(4);
    tick(PeerMachine.SILENT_MILLIS);
    assertThat(machine.owned()).isEqualTo(8);
    assertThat(machine.live()).isEmpty();
  }

  // --- what changes hands while it is being done ---

  @Test
  void whatIsBegunAgainAfterAStandstillIsOfANewTermAndFromWhatWasStored() {
    long term = begunAt10s();
    machine.on(evaluated(term, state(BEGIN + INTERVAL), 10_500, 5), effects::add);
    assertThat(effects(Effect.Publish.class)).hasSize(1);
    effects.clear();
    tick(14_000);
    Effect.Evaluate again = effects(Effect.Evaluate.class).getFirst();
    assertThat(again.term()).isGreaterThan(term);
    assertThat(again.before()).isEqualTo(state(BEGIN));
    assertThat(again.slot()).isEqualTo(BEGIN + INTERVAL);
    effects.clear();
    machine.on(new Event.Written(term, state(BEGIN + INTERVAL)), effects::add);
    assertThat(effects).as("another query API may have taken over").isEmpty();
    assertThat(machine.state(GroupHash.of(GROUP))).contains(state(BEGIN));
  }

  @Test
  void afterAStandstillItOwnsNothingBeforeTheOthersHaveAnswered() {
    beganWithAnother();
    assertThat(machine.mayPublish(1, 0)).isFalse();
    for (long steady = 0; steady <= 10_000; steady += 1_000) {
      tick(steady);
    }
    assertThat(machine.owns(GROUP)).isTrue();
    long term = effects(Effect.Evaluate.class).getLast().term();
    tick(ofLease(1));
    assertThat(machine.owns(GROUP)).isFalse();
    assertThat(machine.owned()).isZero();
    assertThat(machine.mayPublish(term + 1, ofLease(1))).isFalse();
    answers(10_000, ofLease(2));
    tick(ofLease(2));
    assertThat(machine.owns(GROUP)).as("the heartbeat is from before").isFalse();
    answers(ofLease(2), ofLease(3));
    tick(ofLease(3));
    assertThat(machine.owns(GROUP)).isTrue();
  }

  /** Eight groups of which another query API knows all, too, and is alive or comes alive. */
  private List<RuleGroup.Id> eight() {
    List<RuleGroup.Id> all = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      RuleGroup.Id id = new RuleGroup.Id("", "rules.yaml", "g" + i);
      all.add(id);
      machine.on(
          new Event.Came(new GroupState(id, BEGIN, "d", List.of(), List.of())), effects::add);
    }
    lists();
    machine.on(new Event.Groups(all.stream().map(this::dealt).toList()), effects::add);
    return all;
  }

  private void evaluatedAndStored(Effect.Evaluate of, long steady) {
    GroupState after = new GroupState(of.before().group(), of.slot(), "d", List.of(), List.of());
    machine.on(evaluated(of.term(), after, steady, 5), effects::add);
    if (effects(Effect.Publish.class).stream().anyMatch(each -> each.after().equals(after))) {
      machine.on(new Event.Written(of.term(), after), effects::add);
    }
  }

  @Test
  void theOwnerGivesEachStoredStateToTheOneThatGoesOnAndOnlyThen() {
    List<RuleGroup.Id> all = eight();
    now = 9_900;
    known(all, all);
    tick(10_000);
    List<Effect.Evaluate> begun = effects(Effect.Evaluate.class);
    assertThat(begun).hasSize(4);
    machine.on(
        evaluated(
            begun.getFirst().term(),
            new GroupState(
                begun.getFirst().before().group(), BEGIN + INTERVAL, "d", List.of(), List.of()),
            10_100,
            5),
        effects::add);
    assertThat(effects(Effect.HandOver.class)).as("its samples are not stored").isEmpty();
    assertThat(machine.state(GroupHash.of(begun.getFirst().before().group())).orElseThrow().slot())
        .isEqualTo(BEGIN);
    begun.forEach(each -> evaluatedAndStored(each, 10_200));
    assertThat(effects(Effect.HandOver.class)).hasSize(4);
    assertThat(effects(Effect.HandOver.class)).allMatch(each -> each.to().equals("other"));
    assertThat(effects(Effect.Keep.class)).hasSize(4);
  }

  @Test
  void aGroupThatIsDealtToAnotherWhileItIsEvaluatedIsNotPublished() {
    List<RuleGroup.Id> all = eight();
    tick(10_000);
    List<Effect.Evaluate> begun = effects(Effect.Evaluate.class);
    assertThat(begun).hasSize(8);
    now = 10_100;
    known(all, all);
    tick(10_100);
    begun.forEach(each -> evaluatedAndStored(each, 10_200));
    assertThat(effects(Effect.Publish.class)).hasSize(4);
    assertThat(machine.abandoned()).isEqualTo(4);
    assertThat(effects(Effect.Publish.class)).allMatch(each -> machine.owns(each.after().group()));
  }

  @Test
  void aStateThatComesWhileItsGroupIsEvaluatedMakesTheResultOld() {
    long term = begunAt10s();
    machine.on(new Event.Came(state(BEGIN + 20_000)), effects::add);
    machine.on(evaluated(term, state(BEGIN + INTERVAL), 10_100, 5), effects::add);
    assertThat(effects(Effect.Publish.class)).isEmpty();
    assertThat(machine.abandoned()).isEqualTo(1);
    effects.clear();
    tick(30_000 - 18_000);
    assertThat(effects(Effect.Evaluate.class)).as("the next slot has not come").isEmpty();
  }

  @Test
  void aStateOfTheFutureIsNotBelieved() {
    alone(CATCH_UP, INTERVAL, state(BEGIN));
    tick(0);
    machine.on(new Event.Came(state(BEGIN + 60_001)), effects::add);
    assertThat(machine.states()).containsExactly(state(BEGIN));
    machine.on(new Event.Came(state(BEGIN + 60_000)), effects::add);
    assertThat(machine.states()).containsExactly(state(BEGIN + 60_000));
    assertThat(effects(Effect.Keep.class)).hasSize(1);
  }

  @Test
  void anEvaluationThatFailedIsTriedAgainAfterHalfASecondAndOnceOnly() {
    begunAt10s();
    failed();
    tick(10_499);
    assertThat(evaluated()).hasSize(1);
    tick(10_500);
    tick(10_600);
    assertThat(evaluated()).containsExactly(BEGIN + INTERVAL, BEGIN + INTERVAL);
  }

  @Test
  void statesThatCannotBeFetchedAreAskedForAgainAndAfterFourSecondsNotWaitedFor() {
    alone(CATCH_UP, INTERVAL, state(BEGIN));
    long asked = 0;
    for (long steady = 25_000; steady < 29_000; steady += 250) {
      heard(0, Map.of(GroupHash.of(GROUP), definition(BEGIN + 20_000)), steady);
      tick(steady);
      assertThat(effects(Effect.Evaluate.class)).as("at " + steady).isEmpty();
      asked = effects(Effect.Fetch.class).size();
    }
    assertThat(asked).isEqualTo(8);
    assertThat(effects(Effect.Fetch.class))
        .allMatch(each -> each.from().equals("other") && each.groups().equals(List.of(GROUP)));
  }

  @Test
  void aNoteHasTheBytesThatAreDrawn() throws WireException {
    GroupNote note = new GroupNote(true, Map.of(2L, new Known(3, 5, 7)));
    assertThat(HexFormat.of().formatHex(note.toBytes()))
        .isEqualTo("01" + "01" + "01" + "0200000000000000" + "0300000000000000" + "05" + "0e");
    assertThat(GroupNote.fromBytes(note.toBytes())).isEqualTo(note);
  }
}
