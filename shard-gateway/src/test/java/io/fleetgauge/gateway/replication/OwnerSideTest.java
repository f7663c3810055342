package io.fleetgauge.gateway.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.replication.OwnerSide.Effect;
import io.fleetgauge.gateway.replication.OwnerSide.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OwnerSideTest {
  private final List<Effect> effects = new ArrayList<>();
  private OwnerSide owner = new OwnerSide(true, 100);
  private long now = 1;

  @Test
  void aBodyIsKeptWhenItIsWrittenAndEveryReplicaThatStandsHasIt() {
    open("a", "b");
    assertThat(on(new Event.Taken(1)))
        .containsExactly(
            new Effect.Write(1, false), send("a", 1, List.of(1L)), send("b", 1, List.of(1L)));
    assertThat(answered("a", 1, Reply.WHOLE)).doesNotContain(new Effect.Keep(1));
    assertThat(on(new Event.Journaled(1, false, true))).isEmpty();
    assertThat(answered("b", 1, Reply.KEPT)).contains(new Effect.Keep(1), new Effect.Forget(1));
  }

  @Test
  void aBodyThatEveryReplicaHasIsNotKeptBeforeTheOwnJournalHasIt() {
    open("a");
    on(new Event.Taken(1));
    assertThat(answered("a", 1, Reply.WHOLE)).doesNotContain(new Effect.Keep(1));
    assertThat(on(new Event.Journaled(1, false, true))).contains(new Effect.Keep(1));
  }

  @Test
  void anAnswerToWhatWasSentBeforeConfirmsNothingThatWasSentLater() {
    open("a");
    on(new Event.Taken(1));
    on(new Event.Taken(2));
    on(new Event.Journaled(2, false, true));
    answered("a", 1, Reply.KEPT);
    assertThat(answered("a", 1, Reply.KEPT)).as("the same answer twice").isEmpty();
    assertThat(answered("a", 2, Reply.KEPT)).contains(new Effect.Keep(2));
  }

  @Test
  void anAnswerOfAnEarlierSessionIsNotBelieved() {
    open("a");
    now += OwnerSide.ASK_WHETHER_WHOLE_MILLIS;
    on(new Event.TimePassed());
    on(new Event.Merged());
    assertThat(answered("a", 1, Reply.WHOLE)).as("of the session before").isEmpty();
    assertThat(owner.synced()).isEmpty();
    on(new Event.Answered("a", session("a") + 1, 1, Reply.WHOLE));
    assertThat(owner.synced()).containsExactly("a");
  }

  @Test
  void whatWasSyncedIsNotSyncedWhenTheTableLeavesItOut() {
    open("a");
    now += OwnerSide.ASK_WHETHER_WHOLE_MILLIS;
    on(new Event.TimePassed());
    answered("a", 1, Reply.WHOLE);
    assertThat(on(new Event.Replicas(Set.of()))).containsExactly(new Effect.Report(Set.of()));
    assertThat(owner.hasPeers()).isFalse();
    on(new Event.Replicas(Set.of("a")));
    assertThat(owner.synced()).as("it begins anew").isEmpty();
  }

  @Test
  void aBodyThatNoReplicaHasIsKeptOnlyWhenItIsOnTheDisk() {
    assertThat(on(new Event.Taken(1))).containsExactly(new Effect.Write(1, true));
    assertThat(on(new Event.Journaled(1, true, true)))
        .containsExactly(new Effect.Keep(1), new Effect.Forget(1));
  }

  @Test
  void whatWaitedForAReplicaThatFailsIsWrittenOnceMoreAndForced() {
    open("a");
    on(new Event.Taken(1));
    on(new Event.Journaled(1, false, true));
    assertThat(answered("a", 1, Reply.FAILED)).containsExactly(new Effect.Write(1, true));
    assertThat(on(new Event.Journaled(1, true, true))).contains(new Effect.Keep(1));
    assertThat(on(new Event.Taken(2)))
        .as("nobody waits for it now")
        .containsExactly(new Effect.Write(2, true));
  }

  @Test
  void withoutReplicationNothingIsForced() {
    owner = new OwnerSide(false, 100);
    assertThat(on(new Event.Taken(1))).containsExactly(new Effect.Write(1, false));
    assertThat(on(new Event.Journaled(1, false, true))).contains(new Effect.Keep(1));
  }

  @Test
  void bodiesGoToAReplicaInOrderOneMessageAtATime() {
    open("a");
    on(new Event.Taken(1));
    assertThat(on(new Event.Taken(2))).containsExactly(new Effect.Write(2, false));
    on(new Event.Taken(3));
    assertThat(answered("a", 1, Reply.KEPT)).contains(send("a", 2, List.of(2L, 3L)));
    assertThat(answered("a", 1, Reply.KEPT)).as("the same answer twice").isEmpty();
  }

  @Test
  void whatIsTakenWhileASessionIsBegunIsSentInItButNobodyWaitsForIt() {
    on(new Event.Replicas(Set.of("a")));
    assertThat(on(new Event.Taken(1))).containsExactly(new Effect.Write(1, true));
    assertThat(on(new Event.Journaled(1, true, true))).containsExactly(new Effect.Keep(1));
    assertThat(answered("a", 1, Reply.KEPT)).containsExactly(send("a", 1, List.of(1L)));
    assertThat(answered("a", 1, Reply.KEPT)).containsExactly(new Effect.Forget(1));
  }

  @Test
  void aReplicaIsNotSyncedWhileABodyIsOnItsWayThatWasKeptWithoutIt() {
    on(new Event.Replicas(Set.of("a")));
    on(new Event.Taken(1));
    on(new Event.Journaled(1, true, true));
    assertThat(answered("a", 1, Reply.WHOLE)).containsExactly(send("a", 1, List.of(1L)));
    assertThat(owner.synced()).isEmpty();
    assertThat(answered("a", 1, Reply.WHOLE))
        .containsExactly(new Effect.Forget(1), new Effect.Report(Set.of("a")));
  }

  @Test
  void aReplicaIsSyncedThatIsWaitedForWhileBodiesAreOnTheirWay() {
    open("a");
    on(new Event.Taken(1));
    on(new Event.Taken(2));
    assertThat(answered("a", 1, Reply.WHOLE)).contains(new Effect.Report(Set.of("a")));
  }

  @Test
  void anOwnerThatIsOneNoMoreGivesBackWhatIsNotKept() {
    open("a");
    on(new Event.Taken(1));
    assertThat(answered("a", 1, Reply.STRANGER)).contains(new Effect.GiveBack(1));
    assertThat(on(new Event.Journaled(1, false, true))).doesNotContain(new Effect.Keep(1));
    on(new Event.Taken(2));
    effects.clear();
    owner.close(effects::add);
    assertThat(effects).contains(new Effect.GiveBack(2), new Effect.Forget(2));
  }

  @Test
  void aBodyThatTheJournalDoesNotTakeGoesBack() {
    open("a");
    on(new Event.Taken(1));
    assertThat(on(new Event.Journaled(1, false, false))).contains(new Effect.GiveBack(1));
  }

  @Test
  void whoIsWholeIsReportedWhenItChanges() {
    open("a");
    now += OwnerSide.ASK_WHETHER_WHOLE_MILLIS;
    assertThat(on(new Event.TimePassed())).containsExactly(send("a", 1, List.of()));
    assertThat(answered("a", 1, Reply.WHOLE)).containsExactly(new Effect.Report(Set.of("a")));
    now += OwnerSide.ASK_WHETHER_THERE_MILLIS;
    on(new Event.TimePassed());
    assertThat(answered("a", 1, Reply.FAILED)).containsExactly(new Effect.Report(Set.of()));
  }

  @Test
  void aReplicaThatCannotTellYetIsAskedAgainForAWhile() {
    open("a");
    on(new Event.Taken(1));
    on(new Event.Journaled(1, false, true));
    answered("a", 1, Reply.LATER);
    now += OwnerSide.LATER_MILLIS;
    assertThat(on(new Event.TimePassed())).containsExactly(send("a", 1, List.of(1L)));
    now += OwnerSide.MOST_LATER_MILLIS;
    assertThat(answered("a", 1, Reply.LATER)).contains(new Effect.Write(1, true));
  }

  @Test
  void aReplicaThatFallsFarBehindIsNotWaitedForAndNothingIsHeldForIt() {
    open("a");
    for (long body = 1; body <= OwnerSide.MAX_BEHIND + 2; body++) {
      on(new Event.Taken(body));
    }
    assertThat(effects).contains(new Effect.Write(1, true));
    for (long body = 1; body <= OwnerSide.MAX_BEHIND + 2; body++) {
      on(new Event.Journaled(body, true, true));
      assertThat(effects).contains(new Effect.Keep(body), new Effect.Forget(body));
    }
  }

  @Test
  void replicasFetchWhatTheOwnerFetchedBeforeTheyAreCalledSyncedAgain() {
    open("a");
    answered("a", 1, Reply.WHOLE);
    now += OwnerSide.ASK_WHETHER_WHOLE_MILLIS;
    on(new Event.TimePassed());
    answered("a", 1, Reply.WHOLE);
    assertThat(owner.synced()).containsExactly("a");
    assertThat(on(new Event.Merged()))
        .containsExactly(new Effect.Send("a", 102, 1, List.of()), new Effect.Report(Set.of()));
  }

  @Test
  void aReplicaThatFailedIsTriedInANewSessionAfterAPause() {
    open("a");
    on(new Event.Taken(1));
    on(new Event.Taken(2));
    answered("a", 1, Reply.BROKEN);
    now += OwnerSide.RETRY_MILLIS - 1;
    assertThat(on(new Event.TimePassed())).isEmpty();
    now += 1;
    assertThat(on(new Event.TimePassed())).containsExactly(new Effect.Send("a", 102, 1, List.of()));
    assertThat(on(new Event.Answered("a", 102, 1, Reply.KEPT)))
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
    answered("a", 1, Reply.WHOLE);
    now += OwnerSide.ASK_WHETHER_THERE_MILLIS - 1;
    assertThat(on(new Event.TimePassed())).isEmpty();
    now += 1;
    assertThat(on(new Event.TimePassed())).containsExactly(send("a", 1, List.of()));
    assertThat(answered("a", 1, Reply.WHOLE)).as("no news").isEmpty();
  }

  @Test
  void aReplicaThatCannotTellYetIsGivenItsWholeTimeForEachRequest() {
    open("a");
    on(new Event.Taken(1));
    answered("a", 1, Reply.LATER);
    now += OwnerSide.LATER_MILLIS - 1;
    assertThat(on(new Event.TimePassed())).isEmpty();
    now += OwnerSide.MOST_LATER_MILLIS - OwnerSide.LATER_MILLIS;
    assertThat(answered("a", 1, Reply.LATER)).as("a millisecond is left").isEmpty();
    answered("a", 1, Reply.KEPT);
    on(new Event.Taken(2));
    now += OwnerSide.MOST_LATER_MILLIS;
    assertThat(answered("a", 2, Reply.LATER)).as("the first of this request").isEmpty();
    now += OwnerSide.LATER_MILLIS;
    assertThat(on(new Event.TimePassed())).containsExactly(send("a", 2, List.of(2L)));
    assertThat(on(new Event.TimePassed())).as("it has no answer yet").isEmpty();
  }

  @Test
  void aRequestHasAtMostSoManyBodiesAndTheRestGoesWithTheNextOne() {
    open("a");
    for (long body = 1; body <= OwnerSide.MAX_TOGETHER + 2; body++) {
      on(new Event.Taken(body));
    }
    Effect.Send second = (Effect.Send) answered("a", 1, Reply.KEPT).getLast();
    assertThat(second.number()).isEqualTo(2);
    assertThat(second.bodies()).hasSize(OwnerSide.MAX_TOGETHER).startsWith(2L);
    assertThat(answered("a", 2, Reply.KEPT))
        .contains(send("a", OwnerSide.MAX_TOGETHER + 2, List.of(OwnerSide.MAX_TOGETHER + 2L)));
  }

  @Test
  void aReplicaMayBeBehindByItsLimitAndNotByMore() {
    open("a");
    for (long body = 1; body <= OwnerSide.MAX_BEHIND + 1; body++) {
      on(new Event.Taken(body));
      assertThat(effects).noneMatch(effect -> effect.equals(new Effect.Write(1, true)));
    }
    assertThat(on(new Event.Taken(OwnerSide.MAX_BEHIND + 2))).contains(new Effect.Write(1, true));
  }

  @Test
  void whatWaitedForAReplicaThatTheTableLeavesOutIsForcedInstead() {
    open("a", "b");
    on(new Event.Taken(1));
    on(new Event.Journaled(1, false, true));
    on(new Event.Replicas(Set.of("b")));
    assertThat(effects).as("b is still waited for").doesNotContain(new Effect.Write(1, true));
    on(new Event.Replicas(Set.of()));
    assertThat(effects).contains(new Effect.Write(1, true));
    assertThat(on(new Event.Journaled(1, true, true)))
        .containsExactly(new Effect.Keep(1), new Effect.Forget(1));
  }

  @Test
  void aBodyThatOneReplicaHasIsNotForcedWhenAnotherOneFails() {
    open("a", "b");
    on(new Event.Taken(1));
    on(new Event.Journaled(1, false, true));
    answered("a", 1, Reply.KEPT);
    assertThat(answered("b", 1, Reply.FAILED))
        .containsExactly(new Effect.Keep(1), new Effect.Forget(1));
  }

  @Test
  void aBodyIsKeptOrGivenBackOnce() {
    open("a");
    on(new Event.Taken(1));
    on(new Event.Journaled(1, false, false));
    assertThat(effects).containsExactly(new Effect.GiveBack(1));
    assertThat(on(new Event.Journaled(1, false, true))).isEmpty();
    assertThat(answered("a", 1, Reply.STRANGER)).containsExactly(new Effect.Forget(1));
    assertThat(on(new Event.Journaled(1, true, true))).isEmpty();
  }

  @Test
  void anOwnerThatIsClosedForgetsWhatItHasKept() {
    open("a");
    on(new Event.Taken(1));
    on(new Event.Journaled(1, false, true));
    on(new Event.Taken(2));
    answered("a", 1, Reply.KEPT);
    effects.clear();
    owner.close(effects::add);
    assertThat(effects).containsExactly(new Effect.GiveBack(2), new Effect.Forget(2));
    assertThat(owner.hasPeers()).isFalse();
    assertThat(on(new Event.TimePassed())).isEmpty();
  }

  @Test
  void theReplicasOfATableThatNamesTheSameOnesGoOnAsTheyWere() {
    open("a");
    assertThat(on(new Event.Replicas(Set.of("a")))).isEmpty();
    assertThat(on(new Event.Taken(1)))
        .containsExactly(new Effect.Write(1, false), send("a", 1, List.of(1L)));
  }

  @Test
  void aReplicaThatCannotTellUntilItsTimeIsOverIsNotWaitedFor() {
    open("a");
    on(new Event.Taken(1));
    answered("a", 1, Reply.LATER);
    now += OwnerSide.MOST_LATER_MILLIS;
    assertThat(answered("a", 1, Reply.LATER)).contains(new Effect.Write(1, true));
  }

  @Test
  void aBodyThatIsGivenBackIsForgottenAtOnceWhenItGoesToNoReplica() {
    on(new Event.Taken(1));
    assertThat(on(new Event.Journaled(1, true, false)))
        .containsExactly(new Effect.GiveBack(1), new Effect.Forget(1));
  }

  @Test
  void anOwnerThatIsClosedForgetsWhatIsStillOnItsWayToAReplica() {
    on(new Event.Replicas(Set.of("a")));
    on(new Event.Taken(1));
    assertThat(on(new Event.Journaled(1, true, true))).containsExactly(new Effect.Keep(1));
    effects.clear();
    owner.close(effects::add);
    assertThat(effects).containsExactly(new Effect.Forget(1));
  }

  private void open(String... peers) {
    on(new Event.Replicas(Set.of(peers)));
    for (String peer : peers) {
      answered(peer, 1, Reply.KEPT);
    }
  }

  private List<Effect> on(Event event) {
    effects.clear();
    owner.on(event, now, effects::add);
    return effects;
  }

  private List<Effect> answered(String peer, long number, Reply reply) {
    return on(new Event.Answered(peer, session(peer), number, reply));
  }

  private static Effect send(String peer, long number, List<Long> bodies) {
    return new Effect.Send(peer, session(peer), number, bodies);
  }

  /** Sessions are numbered in the order in which they begin. */
  private static long session(String peer) {
    return peer.equals("a") ? 101 : 102;
  }
}
