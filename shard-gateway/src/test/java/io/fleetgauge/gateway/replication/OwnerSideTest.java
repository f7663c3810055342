package io.fleetgauge.gateway.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.replication.OwnerSide.Effect;
import io.fleetgauge.gateway.replication.OwnerSide.Event;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OwnerSideTest extends DrivenOwner {
  @Test
  void aBodyIsKeptWhenItIsWrittenAndEveryReplicaThatStandsHasIt() {
    open("a", "b");
    assertThat(on(taken(1)))
        .containsExactly(
            new Effect.Write(1, false), send("a", 1, List.of(1L)), send("b", 1, List.of(1L)));
    assertThat(answered("a", 1, ReplicaReply.WHOLE)).doesNotContain(new Effect.Keep(1));
    assertThat(on(new Event.Journaled(1, false, true))).isEmpty();
    assertThat(answered("b", 1, ReplicaReply.KEPT))
        .contains(new Effect.Keep(1), new Effect.Forget(1));
  }

  @Test
  void aBodyThatEveryReplicaHasIsNotKeptBeforeTheOwnJournalHasIt() {
    open("a");
    on(taken(1));
    assertThat(answered("a", 1, ReplicaReply.WHOLE)).doesNotContain(new Effect.Keep(1));
    assertThat(on(new Event.Journaled(1, false, true))).contains(new Effect.Keep(1));
  }

  @Test
  void anAnswerToWhatWasSentBeforeConfirmsNothingThatWasSentLater() {
    open("a");
    on(taken(1));
    on(taken(2));
    on(new Event.Journaled(2, false, true));
    answered("a", 1, ReplicaReply.KEPT);
    assertThat(answered("a", 1, ReplicaReply.KEPT)).as("the same answer twice").isEmpty();
    assertThat(answered("a", 2, ReplicaReply.KEPT)).contains(new Effect.Keep(2));
  }

  @Test
  void anAnswerOfAnEarlierSessionIsNotBelieved() {
    open("a");
    now += OwnerSide.ASK_WHETHER_WHOLE_MILLIS;
    on(new Event.TimePassed());
    long before = delivery("a", 1);
    on(new Event.Merged());
    assertThat(on(new Event.Answered("a", before, ReplicaReply.WHOLE)))
        .as("of the session before")
        .isEmpty();
    assertThat(owner.synced()).isEmpty();
    answered("a", 1, ReplicaReply.WHOLE);
    assertThat(owner.synced()).containsExactly("a");
  }

  @Test
  void whatWasSyncedIsNotSyncedWhenTheTableLeavesItOut() {
    open("a");
    now += OwnerSide.ASK_WHETHER_WHOLE_MILLIS;
    on(new Event.TimePassed());
    answered("a", 1, ReplicaReply.WHOLE);
    assertThat(on(replicas())).containsExactly(new Effect.Report(Set.of()));
    assertThat(owner.hasPeers()).isFalse();
    on(replicas("a"));
    assertThat(owner.synced()).as("it begins anew").isEmpty();
  }

  @Test
  void aFormerReplicaThatMayStillBeReadIsWaitedForUntilItKnowsTheTable() {
    open("a", "b");
    on(new Event.Replicas(Map.of("a", false, "b", true)));
    on(new Event.Replicas(Map.of("a", false), Set.of("b")));
    on(taken(1));
    on(new Event.Journaled(1, false, true));
    assertThat(answered("a", 1, ReplicaReply.KEPT)).doesNotContain(new Effect.Keep(1));
    assertThat(answered("b", 1, ReplicaReply.WHOLE)).as("by the table before").isEmpty();
    now += OwnerSide.LATER_MILLIS;
    assertThat(on(new Event.TimePassed())).as("asked again").contains(send("b", 103, 1, List.of()));
    assertThat(answered("b", 1, ReplicaReply.STRANGER))
        .containsExactly(new Effect.Keep(1), new Effect.Forget(1));
  }

  @Test
  void aFormerReplicaThatDoesNotAnswerIsWaitedForOnlySoLong() {
    whatAFormerReplicaLacks();
    look(OwnerSide.TELL_MILLIS - 1);
    now += 1;
    assertThat(on(new Event.TimePassed())).contains(new Effect.Keep(1));
  }

  @Test
  void aFormerReplicaThatAnswersByTheTableBeforeIsWaitedForLonger() {
    whatAFormerReplicaLacks();
    for (long passed = 0; passed < OwnerSide.MOST_LATER_MILLIS; passed += 500) {
      assertThat(answered("b", 1, ReplicaReply.LATER)).isEmpty();
      look(500);
    }
    assertThat(answered("b", 1, ReplicaReply.LATER)).as("at last").contains(new Effect.Keep(1));
  }

  @Test
  void theTimeThatTheOwnerItselfStoodStillIsNotCounted() {
    whatAFormerReplicaLacks();
    now += 100 * OwnerSide.TELL_MILLIS;
    on(new Event.TimePassed());
    look(OwnerSide.TELL_MILLIS - OwnerSide.LONGEST_LOOK_MILLIS - 1);
    now += 1;
    assertThat(on(new Event.TimePassed())).contains(new Effect.Keep(1));
  }

  private void whatAFormerReplicaLacks() {
    open("a", "b");
    on(new Event.Replicas(Map.of("a", false, "b", true)));
    on(new Event.Replicas(Map.of("a", false), Set.of("b")));
    on(taken(1));
    on(new Event.Journaled(1, false, true));
    answered("a", 1, ReplicaReply.KEPT);
  }

  @Test
  void aNewOwnerWaitsForWhoAnswersByTheTableBefore() {
    on(new Event.Replicas(Map.of("a", false), Set.of("a", "b")));
    on(taken(1));
    on(new Event.Journaled(1, true, true));
    answered("b", 1, ReplicaReply.STRANGER);
    assertThat(effects).doesNotContain(new Effect.Keep(1));
    assertThat(answered("a", 1, ReplicaReply.LATER)).as("a believes in the one before").isEmpty();
    assertThat(answered("a", 1, ReplicaReply.KEPT)).contains(new Effect.Keep(1));
  }

  @Test
  void aReplicaThatWasLostAndMayStillBeReadIsWaitedForAlthoughTheTableHasChanged() {
    open("a");
    on(new Event.Replicas(Map.of("a", true)));
    answered("a", 1, ReplicaReply.KEPT);
    now += OwnerSide.ASK_WHETHER_WHOLE_MILLIS;
    on(new Event.TimePassed());
    answered("a", 1, ReplicaReply.BROKEN);
    on(taken(1));
    on(new Event.Journaled(1, true, true));
    assertThat(on(new Event.Replicas(Map.of("a", false), Set.of("a")))).isEmpty();
    look(OwnerSide.TELL_MILLIS - 1);
    now += 1;
    assertThat(on(new Event.TimePassed())).contains(new Effect.Keep(1));
  }

  @Test
  void aBodyThatNoReplicaHasIsKeptOnlyWhenItIsOnTheDisk() {
    assertThat(on(taken(1))).containsExactly(new Effect.Write(1, true));
    assertThat(on(new Event.Journaled(1, true, true)))
        .containsExactly(new Effect.Keep(1), new Effect.Forget(1));
  }

  @Test
  void whatWaitedForAReplicaThatFailsIsWrittenOnceMoreAndForced() {
    open("a");
    on(taken(1));
    on(new Event.Journaled(1, false, true));
    assertThat(answered("a", 1, ReplicaReply.BROKEN))
        .containsExactly(new Effect.Write(1, true), new Effect.Lost("a", ReplicaReply.BROKEN));
    assertThat(on(new Event.Journaled(1, true, true))).contains(new Effect.Keep(1));
    assertThat(on(taken(2)))
        .as("nobody waits for it now")
        .containsExactly(new Effect.Write(2, true));
  }

  @Test
  void withoutReplicationNothingIsForced() {
    owner = new OwnerSide(false, 100);
    assertThat(on(taken(1))).containsExactly(new Effect.Write(1, false));
    assertThat(on(new Event.Journaled(1, false, true))).contains(new Effect.Keep(1));
  }

  @Test
  void bodiesGoToAReplicaInOrderOneMessageAtATime() {
    open("a");
    on(taken(1));
    assertThat(on(taken(2))).containsExactly(new Effect.Write(2, false));
    on(taken(3));
    assertThat(answered("a", 1, ReplicaReply.KEPT)).contains(send("a", 2, List.of(2L, 3L)));
    assertThat(answered("a", 1, ReplicaReply.KEPT)).as("the same answer twice").isEmpty();
  }

  @Test
  void whatIsTakenWhileASessionIsBegunIsSentInItButNobodyWaitsForIt() {
    on(replicas("a"));
    assertThat(on(taken(1))).containsExactly(new Effect.Write(1, true));
    assertThat(on(new Event.Journaled(1, true, true))).containsExactly(new Effect.Keep(1));
    assertThat(answered("a", 1, ReplicaReply.KEPT)).containsExactly(send("a", 1, List.of(1L)));
    assertThat(answered("a", 1, ReplicaReply.KEPT)).containsExactly(new Effect.Forget(1));
  }

  @Test
  void aReplicaIsNotSyncedWhileABodyIsOnItsWayThatWasKeptWithoutIt() {
    on(replicas("a"));
    on(taken(1));
    on(new Event.Journaled(1, true, true));
    assertThat(answered("a", 1, ReplicaReply.WHOLE)).containsExactly(send("a", 1, List.of(1L)));
    assertThat(owner.synced()).isEmpty();
    assertThat(answered("a", 1, ReplicaReply.WHOLE))
        .containsExactly(new Effect.Forget(1), new Effect.Report(Set.of("a")));
  }

  @Test
  void aReplicaIsSyncedThatIsWaitedForWhileBodiesAreOnTheirWay() {
    open("a");
    on(taken(1));
    on(taken(2));
    assertThat(answered("a", 1, ReplicaReply.WHOLE)).contains(new Effect.Report(Set.of("a")));
  }

  @Test
  void anOwnerThatIsOneNoMoreGivesBackWhatIsNotKept() {
    open("a");
    on(taken(1));
    assertThat(answered("a", 1, ReplicaReply.STRANGER)).contains(new Effect.GiveBack(1));
    assertThat(on(new Event.Journaled(1, false, true))).doesNotContain(new Effect.Keep(1));
    on(taken(2));
    effects.clear();
    owner.close(effects::add);
    assertThat(effects).contains(new Effect.GiveBack(2), new Effect.Forget(2));
  }

  @Test
  void aBodyThatTheJournalDoesNotTakeGoesBack() {
    open("a");
    on(taken(1));
    assertThat(on(new Event.Journaled(1, false, false))).contains(new Effect.GiveBack(1));
  }

  @Test
  void whoIsWholeIsReportedWhenItChanges() {
    open("a");
    now += OwnerSide.ASK_WHETHER_WHOLE_MILLIS;
    assertThat(on(new Event.TimePassed())).containsExactly(send("a", 1, List.of()));
    assertThat(answered("a", 1, ReplicaReply.WHOLE))
        .containsExactly(new Effect.Report(Set.of("a")));
    now += OwnerSide.ASK_WHETHER_THERE_MILLIS;
    on(new Event.TimePassed());
    assertThat(answered("a", 1, ReplicaReply.BROKEN))
        .containsExactly(new Effect.Lost("a", ReplicaReply.BROKEN), new Effect.Report(Set.of()));
  }

  @Test
  void replicasFetchWhatTheOwnerFetchedBeforeTheyAreCalledSyncedAgain() {
    open("a");
    answered("a", 1, ReplicaReply.WHOLE);
    now += OwnerSide.ASK_WHETHER_WHOLE_MILLIS;
    on(new Event.TimePassed());
    answered("a", 1, ReplicaReply.WHOLE);
    assertThat(owner.synced()).containsExactly("a");
    assertThat(on(new Event.Merged()))
        .containsExactly(send("a", 102, 1, List.of()), new Effect.Report(Set.of()));
  }

  @Test
  void aReplicaThatFailedIsTriedInANewSessionAfterAPause() {
    open("a");
    on(taken(1));
    on(taken(2));
    answered("a", 1, ReplicaReply.BROKEN);
    now += OwnerSide.RETRY_MILLIS - 1;
    assertThat(on(new Event.TimePassed())).isEmpty();
    now += 1;
    assertThat(on(new Event.TimePassed())).containsExactly(send("a", 102, 1, List.of()));
    assertThat(answered("a", 1, ReplicaReply.KEPT))
        .as("bodies of the session before are not sent in this one")
        .isEmpty();
  }

  @Test
  void aReplicaIsAskedForItsStateMoreOftenUntilItIsWhole() {
    open("a");
    now += OwnerSide.ASK_WHETHER_WHOLE_MILLIS - 1;
    assertThat(on(new Event.TimePassed())).isEmpty();
    now += 1;
    assertThat(on(new Event.TimePassed())).containsExactly(send("a", 1, List.of()));
    answered("a", 1, ReplicaReply.WHOLE);
    now += OwnerSide.ASK_WHETHER_THERE_MILLIS - 1;
    assertThat(on(new Event.TimePassed())).isEmpty();
    now += 1;
    assertThat(on(new Event.TimePassed())).containsExactly(send("a", 1, List.of()));
    assertThat(answered("a", 1, ReplicaReply.WHOLE)).as("no news").isEmpty();
  }

  @Test
  void aRequestHasAtMostSoManyBytes() {
    open("a");
    on(taken(1));
    on(new Event.Taken(2, OwnerSide.MAX_TOGETHER_BYTES - 100));
    on(taken(3));
    on(taken(4));
    assertThat(answered("a", 1, ReplicaReply.KEPT)).contains(send("a", 2, List.of(2L, 3L)));
    assertThat(answered("a", 2, ReplicaReply.KEPT)).contains(send("a", 4, List.of(4L)));
  }

  @Test
  void aRequestHasAtMostSoManyBodiesAndTheRestGoesWithTheNextOne() {
    open("a");
    for (long body = 1; body <= OwnerSide.MAX_TOGETHER + 2; body++) {
      on(taken(body));
    }
    Effect.Send second = (Effect.Send) answered("a", 1, ReplicaReply.KEPT).getLast();
    assertThat(second.number()).isEqualTo(2);
    assertThat(second.bodies()).hasSize(OwnerSide.MAX_TOGETHER).startsWith(2L);
    assertThat(answered("a", 2, ReplicaReply.KEPT))
        .contains(send("a", OwnerSide.MAX_TOGETHER + 2, List.of(OwnerSide.MAX_TOGETHER + 2L)));
  }

  @Test
  void whatWaitedForAReplicaThatTheTableLeavesOutIsForcedInstead() {
    open("a", "b");
    on(taken(1));
    on(new Event.Journaled(1, false, true));
    on(replicas("b"));
    assertThat(effects).as("b is still waited for").doesNotContain(new Effect.Write(1, true));
    on(replicas());
    assertThat(effects).contains(new Effect.Write(1, true));
    assertThat(on(new Event.Journaled(1, true, true)))
        .containsExactly(new Effect.Keep(1), new Effect.Forget(1));
  }

  @Test
  void aBodyThatOneReplicaHasIsNotForcedWhenAnotherOneFails() {
    open("a", "b");
    on(taken(1));
    on(new Event.Journaled(1, false, true));
    answered("a", 1, ReplicaReply.KEPT);
    assertThat(answered("b", 1, ReplicaReply.BROKEN))
        .containsExactly(
            new Effect.Keep(1), new Effect.Forget(1), new Effect.Lost("b", ReplicaReply.BROKEN));
  }

  @Test
  void aBodyIsKeptOrGivenBackOnce() {
    open("a");
    on(taken(1));
    on(new Event.Journaled(1, false, false));
    assertThat(effects).containsExactly(new Effect.GiveBack(1));
    assertThat(on(new Event.Journaled(1, false, true))).isEmpty();
    assertThat(answered("a", 1, ReplicaReply.STRANGER))
        .contains(new Effect.Forget(1))
        .doesNotContain(new Effect.GiveBack(1));
    assertThat(on(new Event.Journaled(1, true, true))).isEmpty();
  }

  @Test
  void anOwnerThatIsClosedForgetsWhatItHasKept() {
    open("a");
    on(taken(1));
    on(new Event.Journaled(1, false, true));
    on(taken(2));
    answered("a", 1, ReplicaReply.KEPT);
    effects.clear();
    owner.close(effects::add);
    assertThat(effects).containsExactly(new Effect.GiveBack(2), new Effect.Forget(2));
    assertThat(owner.hasPeers()).isFalse();
    assertThat(on(new Event.TimePassed())).isEmpty();
  }

  @Test
  void theReplicasOfATableThatNamesTheSameOnesGoOnAsTheyWere() {
    open("a");
    assertThat(on(replicas("a"))).isEmpty();
    assertThat(on(taken(1))).containsExactly(new Effect.Write(1, false), send("a", 1, List.of(1L)));
  }

  @Test
  void aBodyThatIsGivenBackIsForgottenAtOnceWhenItGoesToNoReplica() {
    on(taken(1));
    assertThat(on(new Event.Journaled(1, true, false)))
        .containsExactly(new Effect.GiveBack(1), new Effect.Forget(1));
  }

  @Test
  void anOwnerThatIsClosedForgetsWhatIsStillOnItsWayToAReplica() {
    on(replicas("a"));
    on(taken(1));
    assertThat(on(new Event.Journaled(1, true, true))).containsExactly(new Effect.Keep(1));
    effects.clear();
    owner.close(effects::add);
    assertThat(effects).containsExactly(new Effect.Forget(1));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void nothingIsDueBeforeTheNextLook(long seed) {
    Random random = new Random(seed);
    on(replicas("a", "b"));
    for (long body = 1; body <= 2_000; body++) {
      ReplicaReply[] replies = ReplicaReply.values();
      switch (random.nextInt(6)) {
        case 0 -> on(taken(body));
        case 1 -> on(new Event.Journaled(1 + random.nextLong(body), false, true));
        case 2 -> on(new Event.Replicas(Map.of("a", random.nextBoolean(), "b", false)));
        case 3 -> on(new Event.TimePassed());
        default -> {
          String peer = random.nextBoolean() ? "a" : "b";
          ReplicaReply reply =
              random.nextInt(3) > 0 ? ReplicaReply.WHOLE : replies[random.nextInt(replies.length)];
          on(new Event.Answered(peer, newest(peer), reply));
        }
      }
      long next = owner.dueAt(now);
      if (next > now + 1) {
        now = Math.min(next - 1, now + random.nextLong(3_000));
        assertThat(on(new Event.TimePassed())).as("at %s", now).isEmpty();
        next = owner.dueAt(now);
      }
      now = Math.max(now, Math.min(next, now + random.nextLong(10_000)));
    }
  }

  /** The delivery that was sent to a replica last. */
  private long newest(String peer) {
    return deliveries.entrySet().stream()
        .filter(each -> each.getKey().startsWith(peer))
        .mapToLong(Map.Entry::getValue)
        .max()
        .orElseThrow();
  }
}
