package io.fleetgauge.gateway.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.replication.OwnerSide.Effect;
import io.fleetgauge.gateway.replication.OwnerSide.Event;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Replicas that answer late or not at all. */
class SlowReplicaTest extends DrivenOwner {
  @Test
  void aReplicaThatNeedsTimeIsAskedAgainLessAndLessOften() {
    open("a");
    on(taken(1));
    for (long pause = OwnerSide.LATER_MILLIS;
        pause <= 4 * OwnerSide.LONGEST_LATER_MILLIS;
        pause *= 2) {
      assertThat(answered("a", 1, ReplicaReply.LATER)).isEmpty();
      now += Math.min(pause, OwnerSide.LONGEST_LATER_MILLIS) - 1;
      assertThat(on(new Event.TimePassed())).isEmpty();
      now += 1;
      assertThat(on(new Event.TimePassed()))
          .containsExactly(new Effect.Repeated("a"), send("a", 1, List.of(1L)));
    }
    answered("a", 1, ReplicaReply.KEPT);
    on(taken(2));
    answered("a", 2, ReplicaReply.LATER);
    now += OwnerSide.LATER_MILLIS;
    assertThat(on(new Event.TimePassed()))
        .as("the next request")
        .contains(send("a", 2, List.of(2L)));
  }

  @Test
  void aReplicaThatNeedsTimeIsNotLostWhileItAnswers() {
    open("a");
    callWhole();
    on(taken(1));
    on(new Event.Journaled(1, false, true));
    answered("a", 1, ReplicaReply.LATER);
    long until = now + OwnerSide.MOST_LATER_MILLIS;
    while (now < until - 100) {
      now += 100;
      if (on(new Event.TimePassed()).contains(send("a", 1, List.of(1L)))) {
        assertThat(answered("a", 1, ReplicaReply.LATER)).isEmpty();
      }
    }
    assertThat(owner.synced()).containsExactly("a");
    now = until;
    assertThat(answered("a", 1, ReplicaReply.LATER))
        .contains(new Effect.Write(1, true), new Effect.Lost("a", ReplicaReply.LATER));
  }

  @Test
  void aReplicaThatIsSlowWhileItsSessionIsOpenedIsNotWaitedForAndNothingIsHeldForIt() {
    on(replicas("a"));
    for (long body = 1; body <= OwnerSide.MAX_BEHIND; body++) {
      on(taken(body));
    }
    assertThat(effects).as("it was not up").noneMatch(Effect.Lost.class::isInstance);
    for (long body = 1; body <= OwnerSide.MAX_BEHIND; body++) {
      assertThat(on(new Event.Journaled(body, true, true)))
          .containsExactly(new Effect.Keep(body), new Effect.Forget(body));
    }
    now += OwnerSide.RETRY_MILLIS;
    assertThat(on(new Event.TimePassed())).hasSize(1);
  }

  @Test
  void aRequestThatFailsIsSentAgainInItsSession() {
    open("a");
    callWhole();
    on(taken(1));
    on(new Event.Journaled(1, false, true));
    assertThat(answered("a", 1, ReplicaReply.FAILED)).isEmpty();
    now += OwnerSide.FAILED_MILLIS - 1;
    assertThat(on(new Event.TimePassed())).isEmpty();
    now += 1;
    assertThat(on(new Event.TimePassed()))
        .containsExactly(new Effect.Repeated("a"), send("a", 1, List.of(1L)));
    assertThat(answered("a", 1, ReplicaReply.WHOLE))
        .containsExactly(new Effect.Keep(1), new Effect.Forget(1));
  }

  @Test
  void aRequestWithoutAnAnswerIsSentAgainAndTheFirstAnswerToAnyOfThemCounts() {
    open("a");
    on(taken(1));
    now += OwnerSide.AGAIN_MILLIS - 1;
    assertThat(on(new Event.TimePassed())).isEmpty();
    now += 1;
    assertThat(on(new Event.TimePassed())).contains(send("a", 1, List.of(1L)));
    long first = delivery("a", 1);
    now += 2 * OwnerSide.AGAIN_MILLIS - 1;
    assertThat(on(new Event.TimePassed())).isEmpty();
    now += 1;
    assertThat(on(new Event.TimePassed())).contains(send("a", 1, List.of(1L)));
    assertThat(delivery("a", 1)).as("it is the same delivery").isEqualTo(first);
    on(taken(2));
    assertThat(answered("a", 1, ReplicaReply.KEPT)).contains(send("a", 2, List.of(2L)));
    assertThat(on(new Event.Answered("a", first, ReplicaReply.KEPT)))
        .as("the second answer")
        .isEmpty();
    on(new Event.Journaled(2, false, true));
    assertThat(answered("a", 2, ReplicaReply.KEPT)).contains(new Effect.Keep(2));
  }

  @Test
  void aReplicaThatDoesNotAnswerForTooLongIsLost() {
    open("a");
    callWhole();
    on(taken(1));
    on(new Event.Journaled(1, false, true));
    on(new Event.TimePassed());
    look(OwnerSide.SILENCE_MILLIS - 1);
    assertThat(owner.synced()).containsExactly("a");
    look(1);
    assertThat(effects)
        .containsExactly(
            new Effect.Write(1, true),
            new Effect.Lost("a", ReplicaReply.FAILED),
            new Effect.Report(Set.of()));
  }

  @Test
  void timeInWhichTheOwnerItselfStoodStillIsNoSilence() {
    open("a");
    callWhole();
    on(taken(1));
    on(new Event.TimePassed());
    now += 100 * OwnerSide.SILENCE_MILLIS;
    on(new Event.TimePassed());
    assertThat(owner.synced()).containsExactly("a");
    look(OwnerSide.SILENCE_MILLIS - OwnerSide.LONGEST_LOOK_MILLIS);
    assertThat(owner.synced()).isEmpty();
  }

  @Test
  void eachRequestHasTheWholeTimeToBeAnswered() {
    open("a");
    callWhole();
    on(new Event.TimePassed());
    for (int body = 1; body < 4; body++) {
      on(taken(body));
      look(OwnerSide.SILENCE_MILLIS - 1);
      assertThat(answered("a", body, ReplicaReply.WHOLE)).noneMatch(Effect.Lost.class::isInstance);
    }
  }

  @Test
  void sendersWaitWhileAReplicaTakesBodiesMoreSlowlyThanTheyCome() {
    open("a", "b");
    on(taken(0));
    for (long body = 1; body <= OwnerSide.MAX_BEHIND; body++) {
      assertThat(owner.isFull()).isFalse();
      on(taken(body));
    }
    assertThat(owner.isFull()).isTrue();
    answered("a", 1, ReplicaReply.KEPT);
    assertThat(owner.isFull()).as("b is behind").isTrue();
    answered("b", 1, ReplicaReply.KEPT);
    assertThat(owner.isFull()).isFalse();
  }

  @Test
  void sendersWaitWhileABodyIsNotAcknowledgedForLong() {
    open("a");
    on(taken(1));
    now += OwnerSide.LATE_MILLIS / 2;
    on(taken(2));
    now += OwnerSide.LATE_MILLIS / 2 - 1;
    assertThat(owner.isLate(now)).isFalse();
    now += 1;
    assertThat(owner.isLate(now)).isTrue();
    on(new Event.Journaled(1, false, true));
    assertThat(owner.isLate(now)).as("the replica has no answer yet").isTrue();
    answered("a", 1, ReplicaReply.KEPT);
    assertThat(owner.isLate(now)).as("the second came later").isFalse();
  }

  @Test
  void bytesThatWaitForAReplicaAreLimitedToo() {
    open("a");
    on(taken(1));
    on(new Event.Taken(2, OwnerSide.MAX_BEHIND_BYTES));
    assertThat(owner.isFull()).as("one body of any size may wait").isFalse();
    on(taken(3));
    assertThat(owner.isFull()).isTrue();
    answered("a", 1, ReplicaReply.KEPT);
    assertThat(owner.isFull()).isFalse();
  }

  @Test
  void nothingIsKeptWithoutAReplicaThatTheTableCallsSyncedUntilTheTableHasChanged() {
    open("a");
    callWhole();
    on(new Event.Replicas(Map.of("a", true)));
    on(taken(1));
    on(new Event.Journaled(1, false, true));
    assertThat(answered("a", 1, ReplicaReply.BROKEN)).contains(new Effect.Write(1, true));
    assertThat(on(new Event.Journaled(1, true, true))).isEmpty();
    on(taken(2));
    assertThat(on(new Event.Journaled(2, true, true))).isEmpty();
    assertThat(on(replicas("a")))
        .containsExactly(
            new Effect.Keep(1), new Effect.Forget(1), new Effect.Keep(2), new Effect.Forget(2));
    on(taken(3));
    assertThat(on(new Event.Journaled(3, true, true))).contains(new Effect.Keep(3));
  }

  @Test
  void whatWaitsForTheTableIsKeptWhenTheTableLeavesTheReplicaOut() {
    open("a");
    callWhole();
    on(new Event.Replicas(Map.of("a", true)));
    on(taken(1));
    answered("a", 1, ReplicaReply.BROKEN);
    assertThat(on(new Event.Journaled(1, true, true))).isEmpty();
    assertThat(on(replicas())).contains(new Effect.Keep(1), new Effect.Forget(1));
  }

  @Test
  void aTableThatDoesNotChangeIsWaitedForOnlySoLong() {
    open("a");
    callWhole();
    on(new Event.Replicas(Map.of("a", true)));
    on(taken(1));
    answered("a", 1, ReplicaReply.BROKEN);
    on(new Event.Journaled(1, true, true));
    look(OwnerSide.TELL_MILLIS - 1);
    now += 1;
    assertThat(on(new Event.TimePassed())).contains(new Effect.Keep(1), new Effect.Forget(1));
    on(taken(2));
    assertThat(on(new Event.Journaled(2, true, true))).contains(new Effect.Keep(2));
  }

  @Test
  void aReportThatTheTableDoesNotShowYetIsTakenBackFirstToo() {
    open("a");
    callWhole();
    on(taken(1));
    answered("a", 1, ReplicaReply.BROKEN);
    assertThat(on(new Event.Journaled(1, true, true))).isEmpty();
  }

  @Test
  void anOwnerThatWasRestartedWaitsForTheTableOrTheReplica() {
    on(new Event.Replicas(Map.of("a", true)));
    on(taken(1));
    assertThat(on(new Event.Journaled(1, true, true))).isEmpty();
    answered("a", 1, ReplicaReply.KEPT);
    assertThat(answered("a", 1, ReplicaReply.KEPT))
        .contains(new Effect.Keep(1), new Effect.Forget(1));
  }

  @Test
  void aReplicaThatIsWholeAgainHasWhatWasTakenMeanwhile() {
    open("a");
    callWhole();
    on(new Event.Replicas(Map.of("a", true)));
    answered("a", 1, ReplicaReply.BROKEN);
    on(taken(1));
    answered("a", 1, ReplicaReply.BROKEN);
    on(taken(2));
    on(new Event.Journaled(2, true, true));
    now += OwnerSide.RETRY_MILLIS;
    on(new Event.TimePassed());
    assertThat(answered("a", 1, ReplicaReply.WHOLE)).contains(new Effect.Keep(2));
  }
}
