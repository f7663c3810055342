package io.fleetgauge.gateway.ingest.host;

import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.HOST;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.body;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.copy;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.holders;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.ingest.host.Peers.CopyAnswer;
import io.fleetgauge.gateway.ingest.host.Peers.PullResult;
import io.fleetgauge.gateway.replication.Pull;
import io.fleetgauge.gateway.replication.ReplicaReply;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Gateway g2 has a copy of a host that g1 owns. */
class ReplicaRoleTest {
  private static final PullResult EQUAL = ManualPeers.EQUAL;

  private final ManualEnvironment environment = new ManualEnvironment("g2", 2);
  private final HostIntake host = environment.host();
  private final FrameEncoder run = new FrameEncoder(HOST, 7);
  private final List<CopyAnswer> answers = new ArrayList<>();

  @BeforeEach
  void begin() {
    environment.table(3, holders("g1", 3, copy("g2", 3)));
  }

  @Test
  void aBodyIsAnsweredOnlyAfterTheJournalHasWrittenIt() {
    send(1, 1, 1, body(run, 1_000));
    environment.runLane();
    assertThat(answers).isEmpty();
    environment.journalWrites(true);
    assertThat(answers).containsExactly(CopyAnswer.of(ReplicaReply.KEPT));
  }

  @Test
  void aBodyThatComesAgainBeforeItIsWrittenIsNotConfirmed() {
    byte[] body = body(run, 1_000);
    send(1, 1, 1, body);
    send(1, 1, 1, body);
    assertThat(answers).containsExactly(CopyAnswer.of(ReplicaReply.LATER));
    environment.journalWrites(true);
    answers.clear();
    send(1, 1, 1, body);
    assertThat(answers).containsExactly(CopyAnswer.of(ReplicaReply.KEPT));
    assertThat(environment.journal).as("it is written once").isEmpty();
  }

  @Test
  void aLaterBodyIsNotConfirmedBecauseAnEarlierOneIsWritten() {
    send(1, 1, 1, body(run, 1_000));
    environment.journalWrites(true);
    byte[] second = body(run, 2_000);
    send(1, 2, 1, second);
    answers.clear();
    send(1, 2, 1, second);
    assertThat(answers).containsExactly(later());
    environment.journalWrites(true);
    send(1, 2, 1, second);
    assertThat(answers).last().isEqualTo(CopyAnswer.of(ReplicaReply.KEPT));
  }

  @Test
  void itKnowsWhichTicksOfARunHaveCome() {
    send(1, 1, 1, body(run, 1_000));
    body(run, 2_000);
    send(1, 2, 1, body(run, 3_000));
    assertThat(host.state().progress())
        .isEqualTo(Map.of(7L, new RunProgress(3, Sequences.NONE, Sequences.of(2, 2))));
  }

  @Test
  void whatWaitedInASessionIsInTheLaneWhenTheNextOneBegins() {
    send(1, 1, 1, body(run, 1_000));
    assertThat(environment.lane(HOST).newest()).isEqualTo(Long.MIN_VALUE);
    send(2, 1, 1, body(run, 2_000));
    assertThat(environment.lane(HOST).newest()).isEqualTo(1_000);
    assertThat(host.state().before()).as("the one of this session waits").isEqualTo(1_999);
  }

  @Test
  void whatWaitedIsInTheLaneWhenTheReplicaEnds() {
    send(1, 1, 1, body(run, 1_000));
    environment.table(4, holders("g1", 3, copy("g3", 4)));
    host.timePassed();
    assertThat(environment.lane(HOST).newest()).isEqualTo(1_000);
  }

  @Test
  void aBodyOfAnEarlierSessionProvesNothingInThisOne() {
    send(1, 1, 1, body(run, 1_000));
    environment.journalWrites(true);
    answers.clear();
    send(2, 1, 1, body(run, 2_000));
    send(2, 1, 1, body(run, 2_000));
    assertThat(answers).as("the new session's first body").containsExactly(later());
  }

  @Test
  void aBodyThatTheJournalDoesNotTakeEndsTheSession() {
    becomeWhole();
    send(1, 1, 1, body(run, 1_000));
    environment.journalWrites(false);
    assertThat(answers).containsExactly(CopyAnswer.of(ReplicaReply.FAILED));
    assertThat(environment.wholeCopies).isEmpty();
    answers.clear();
    send(1, 2, 1, body(run, 2_000));
    assertThat(answers).containsExactly(CopyAnswer.of(ReplicaReply.BROKEN));
    send(2, 1, 0);
    assertThat(answers).contains(CopyAnswer.of(ReplicaReply.KEPT));
  }

  @Test
  void itIsWholeWhenWhatWasBeforeTheSessionIsHere() {
    send(1, 1, 0);
    assertThat(answers).containsExactly(CopyAnswer.of(ReplicaReply.KEPT));
    assertThat(environment.pulls)
        .singleElement()
        .satisfies(pull -> assertThat(pull.from()).isEqualTo(ManualEnvironment.address("g1")));
    assertThat(environment.wholeCopies).isEmpty();
    environment.pullEnds(EQUAL);
    assertThat(environment.wholeCopies).containsOnlyKeys(HOST);
    answers.clear();
    send(1, 1, 0);
    assertThat(answers).containsExactly(CopyAnswer.of(ReplicaReply.WHOLE));
  }

  @Test
  void aPullThatFailsLeavesItIncompleteAndIsTriedAgain() {
    send(1, 1, 0);
    environment.pullEnds(PullResult.FAILED);
    assertThat(environment.wholeCopies).isEmpty();
    host.timePassed();
    assertThat(environment.pulls).isEmpty();
    environment.pass(300);
    host.timePassed();
    assertThat(environment.pulls).hasSize(1);
  }

  @Test
  void aReplicaThatHasBodiesToWriteDoesNotCallItselfWhole() {
    becomeWhole();
    send(1, 1, 1, body(run, 1_000));
    send(1, 2, 0);
    assertThat(answers).containsExactly(CopyAnswer.of(ReplicaReply.KEPT));
    environment.journalWrites(true);
    assertThat(answers)
        .containsExactly(CopyAnswer.of(ReplicaReply.KEPT), CopyAnswer.of(ReplicaReply.WHOLE));
  }

  @Test
  void aPullThatComparedOnlyWhatIsOlderThanTheWaitingTicksIsFollowedByAnother() {
    send(1, 1, 1, body(run, 1_000));
    environment.journalWrites(true);
    assertThat(host.state().before()).isEqualTo(999);
    environment.pullEnds(EQUAL);
    assertThat(environment.wholeCopies).isEmpty();
    assertThat(host.state().before()).as("nothing waits any more").isEqualTo(Long.MAX_VALUE);
    host.timePassed();
    environment.pullEnds(EQUAL);
    assertThat(environment.wholeCopies).containsOnlyKeys(HOST);
  }

  @Test
  void aNewSessionMakesItIncompleteAndAPullOfTheOldOneDoesNotCount() {
    send(1, 1, 0);
    send(2, 1, 0);
    assertThat(environment.pulls).hasSize(2);
    environment.pullEnds(EQUAL);
    assertThat(environment.wholeCopies).isEmpty();
    environment.pullEnds(EQUAL);
    assertThat(environment.wholeCopies).containsOnlyKeys(HOST);
    send(3, 1, 0);
    assertThat(environment.wholeCopies).isEmpty();
  }

  @Test
  void itIsWholeOfTheOwnersTimeThatItsBodiesAreOf() {
    becomeWhole();
    assertThat(environment.wholeCopies).containsEntry(HOST, 3L);
    environment.table(6, holders("g1", 5, copy("g2", 3)));
    send(1, 1, 0);
    assertThat(environment.wholeCopies).as("a body of the time before").containsEntry(HOST, 3L);
    host.copied(new Peers.Copy(HOST, 6, "g1", 1, 1, 0, new byte[0]), answers::add);
    assertThat(environment.wholeCopies).containsEntry(HOST, 5L);
  }

  @Test
  void aBodyWhoseBeginningIsUnknownIsWantedWithItsDictionary() {
    body(run, 1_000);
    byte[] second = body(run, 2_000);
    send(1, 1, 1, second);
    assertThat(answers).containsExactly(CopyAnswer.wants(7));
    assertThat(environment.journal).isEmpty();
    send(1, 1, 1, ManualEnvironment.join(run.dictionary(), second));
    environment.journalWrites(true);
    assertThat(answers).last().isEqualTo(CopyAnswer.of(ReplicaReply.KEPT));
  }

  @Test
  void aBodyThatIsNotUnderstoodEndsTheSession() {
    becomeWhole();
    send(1, 1, 1, new byte[] {1, 2, 3});
    assertThat(answers).containsExactly(CopyAnswer.of(ReplicaReply.BROKEN));
    assertThat(environment.wholeCopies).isEmpty();
  }

  @Test
  void whatTheOwnerLacksIsOfferedToIt() {
    send(1, 1, 0);
    environment.pullEnds(ManualPeers.MORE);
    assertThat(environment.offers)
        .singleElement()
        .satisfies(offer -> assertThat(offer.owner()).isEqualTo(ManualEnvironment.address("g1")));
    assertThat(host.copyEqualAt()).hasValue(0);
  }

  @Test
  void whatADamagedBlockHadIsHereWhenAnIntactOwnerHasSamplesOfItsTimeAndTheSame() {
    environment.lane(HOST).missing().lost(Path.of("1000-2000.block"));
    send(1, 1, 0);
    environment.pullEnds(ManualPeers.equal(false, Map.of()));
    assertThat(environment.namesAGap()).as("the owner lacks something itself").isTrue();
    send(2, 1, 0);
    environment.pullEnds(new PullResult(true, Pull.Comparison.NOTHING, true, Map.of()));
    assertThat(environment.namesAGap()).as("the owner has nothing of its time").isTrue();
    send(3, 1, 0);
    environment.pullEnds(ManualPeers.EQUAL);
    assertThat(environment.namesAGap()).isFalse();
  }

  @Test
  void whatWasFetchedAndNotTakenIsNotHere() {
    environment.lane(HOST).missing().lost(Path.of("1000-2000.block"));
    environment.lane(HOST).missing().lost(Path.of("5000-6000.block"));
    send(1, 1, 0);
    Pull.Comparison compared =
        new Pull.Comparison(
            List.of(new Pull.Range(4_000, 9_000)), List.of(new Pull.Range(1_900, 2_500)));
    environment.pullEnds(new PullResult(true, compared, true, Map.of()));
    assertThat(environment.lane(HOST).missing().hasLost(0, 2_000)).isTrue();
    assertThat(environment.lane(HOST).missing().hasLost(4_999, 6_000)).isFalse();
  }

  @Test
  void anEqualReplicaSaysSinceWhenAndIsComparedAgainLater() {
    becomeWhole();
    assertThat(host.copyEqualAt()).hasValue(environment.clock());
    environment.pass(29_999);
    host.timePassed();
    assertThat(environment.pulls).isEmpty();
    environment.pass(1);
    host.timePassed();
    assertThat(environment.pulls).hasSize(1);
  }

  @Test
  void anOwnerOutOfSightCannotBePulledFrom() {
    environment.table(4, holders("g1", 3, copy("g2", 3)), "g2", "g3");
    send(1, 1, 0);
    environment.runLane();
    assertThat(environment.pulls).isEmpty();
    assertThat(environment.wholeCopies).isEmpty();
    assertThat(environment.counts().compareFailed.sum()).isEqualTo(1);
  }

  @Test
  void aReplicaThatTheTableEndsIsWholeNoMoreWhateverArrivesLater() {
    becomeWhole();
    send(1, 1, 1, body(run, 1_000));
    environment.table(4, holders("g1", 3, copy("g3", 4)));
    host.timePassed();
    assertThat(environment.wholeCopies).isEmpty();
    environment.journalWrites(true);
    assertThat(answers).containsExactly(CopyAnswer.of(ReplicaReply.KEPT));
    assertThat(environment.wholeCopies).isEmpty();
    assertThat(host.copyEqualAt()).isEmpty();
  }

  @Test
  void aPullThatEndsAfterTheReplicaHasEndedDoesNotMakeItWhole() {
    send(1, 1, 0);
    environment.table(4, holders("g1", 3, copy("g3", 4)));
    host.timePassed();
    environment.pullEnds(EQUAL);
    assertThat(environment.wholeCopies).isEmpty();
  }

  @Test
  void bodiesComeLaterWhileTooMuchWaitsForThePull() {
    Tick.Builder tick = new Tick.Builder();
    for (int i = 0; i < 4_000; i++) {
      tick.add(Labels.of(Labels.NAME, "m", "i", "" + i), i);
    }
    long bytes = 0;
    int bodies = 0;
    while (bytes <= HostIntake.MAX_WAITING_BYTES) {
      send(1, ++bodies, 1, run.encode(tick.at(1_000 + bodies)));
      bytes += 64 + 12 * 4_000;
    }
    assertThat(environment.journal).hasSize(bodies);
    assertThat(answers).isEmpty();
    byte[] next = run.encode(tick.at(1_001 + bodies));
    send(1, bodies + 1, 1, next);
    assertThat(answers).containsExactly(later());
    environment.pullEnds(EQUAL);
    send(1, bodies + 1, 1, next);
    assertThat(environment.journal).hasSize(bodies + 1);
  }

  private static CopyAnswer later() {
    return CopyAnswer.of(ReplicaReply.LATER);
  }

  private void becomeWhole() {
    send(1, 1, 0);
    environment.pullEnds(EQUAL);
    assertThat(environment.wholeCopies).containsOnlyKeys(HOST);
    answers.clear();
  }

  private void send(long session, long number, int count, byte... frames) {
    host.copied(new Peers.Copy(HOST, 3, "g1", session, number, count, frames), answers::add);
  }
}
