package io.fleetgauge.gateway.ingest.host;

import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.HOST;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.behind;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.body;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.copy;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.holders;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.cluster.table.Situation.Report;
import io.fleetgauge.cluster.table.TableMachine;
import io.fleetgauge.gateway.ingest.host.Peers.CopyAnswer;
import io.fleetgauge.gateway.ingest.host.Peers.PullResult;
import io.fleetgauge.gateway.replication.OwnerSide;
import io.fleetgauge.gateway.replication.ReplicaReply;
import io.fleetgauge.gateway.store.HostPage;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Gateway g1 owns a host, and g2 has a copy. */
class OwnerRoleTest {
  private static final Holders HOLDERS = holders("g1", 3, copy("g2", 3));
  private static final Holders SYNCED = holders("g1", 3, new Holders.Copy("g2", 3, true));

  private static final Labels OTHER = Labels.of(Labels.NAME, "other");

  private final ManualEnvironment environment = new ManualEnvironment("g1", 2);
  private final HostIntake host = environment.host();
  private final FrameEncoder run = new FrameEncoder(HOST, 7);
  private final List<IntakeAnswer> answers = new ArrayList<>();

  @BeforeEach
  void begin() {
    environment.table(3, HOLDERS);
    host.timePassed();
  }

  @Test
  void aBodyIsAcknowledgedWhenJournalAndReplicaHaveIt() {
    openSession();
    take(body(run, 1_000));
    assertThat(environment.journal.element().forced()).isFalse();
    Peers.Copy sent = environment.copies.element().copy();
    assertThat(sent.owner()).isEqualTo("g1");
    assertThat(sent.epoch()).isEqualTo(3);
    assertThat(sent.number()).isEqualTo(1);
    assertThat(sent.count()).isEqualTo(1);
    environment.journalWrites(true);
    assertThat(answers).isEmpty();
    environment.copyAnswers(CopyAnswer.of(ReplicaReply.KEPT));
    assertThat(answers).containsExactly(new IntakeAnswer.Kept(7, 1));
  }

  @Test
  void aBodyThatNoReplicaTakesIsAcknowledgedWhenItIsOnTheDisk() {
    take(body(run, 1_000));
    assertThat(environment.journal.element().forced()).isTrue();
    assertThat(environment.counts().keptAlone.sum()).isEqualTo(1);
    assertThat(answers).isEmpty();
    environment.journalWrites(true);
    assertThat(answers).containsExactly(new IntakeAnswer.Kept(7, 1));
  }

  @Test
  void aReplicaThatLacksADictionaryGetsItOnceAndThenTheSessionIsOver() {
    openSession();
    take(body(run, 1_000));
    byte[] body = environment.copies.element().copy().frames();
    environment.copyAnswers(CopyAnswer.wants(7));
    assertThat(environment.copies.element().copy().frames())
        .isEqualTo(ManualEnvironment.join(run.dictionary(), body));
    environment.copyAnswers(CopyAnswer.wants(7));
    environment.journalWrites(true);
    assertThat(environment.journal.element().forced()).as("without the copy").isTrue();
    environment.journalWrites(true);
    assertThat(answers).containsExactly(new IntakeAnswer.Kept(7, 1));
  }

  /** The sender believes that the gateway knows the series of a body that was only examined. */
  @Test
  void whatIsAcknowledgedAfterABodyThatWasWrittenTwiceIsThereAfterARestart() throws Exception {
    openSession();
    take(body(run, 1_000));
    host.check(run.encode(new Tick.Builder().add(OTHER, 1).at(2_000)));
    environment.copyAnswers(CopyAnswer.of(ReplicaReply.BROKEN));
    take(run.encode(new Tick.Builder().add(OTHER, 1).at(3_000)));
    ManualEnvironment restarted = new ManualEnvironment("g1", 2);
    HostIntake again = restarted.host();
    List<Boolean> forced = new ArrayList<>();
    while (!environment.journal.isEmpty()) {
      forced.add(environment.journal.element().forced());
      again.replay(environment.journal.element().record());
      environment.journalWrites(true);
    }
    assertThat(forced).as("the first one is written twice").containsExactly(false, true, true);
    assertThat(answers).containsExactly(new IntakeAnswer.Kept(7, 1), new IntakeAnswer.Kept(7, 3));
    assertThat(restarted.lane(HOST).newest()).isEqualTo(3_000);
    assertThat(restarted.lane(HOST).seriesCount()).isEqualTo(2);
  }

  /** In a segment that has nothing of its run, and after a body of another run. */
  @Test
  void aBodyThatIsWrittenAgainHasTheDictionariesOfItsOwnRuns() throws Exception {
    openSession();
    take(body(run, 1_000));
    environment.copyAnswers(CopyAnswer.of(ReplicaReply.KEPT));
    take(body(run, 2_000));
    host.check(body(new FrameEncoder(HOST, 8), 2_500));
    environment.journal.clear();
    environment.segment++;
    environment.copyAnswers(CopyAnswer.of(ReplicaReply.BROKEN));
    ManualEnvironment restarted = new ManualEnvironment("g1", 2);
    restarted.host().replay(environment.journal.element().record());
    assertThat(restarted.lane(HOST).newest()).isEqualTo(2_000);
  }

  @Test
  void aReplicaOutOfSightIsNotWaitedFor() {
    openSession();
    take(body(run, 1_000));
    environment.table(4, HOLDERS, "g1", "g3");
    host.timePassed();
    environment.journalWrites(true);
    assertThat(answers).isEmpty();
    environment.journalWrites(true);
    assertThat(answers).containsExactly(new IntakeAnswer.Kept(7, 1));
  }

  @Test
  void aCopyThatIsReplacedAndStillAnswersByTheTableBeforeIsWaitedFor() {
    environment.table(4, SYNCED);
    host.timePassed();
    passTellTime();
    environment.table(5, holders("g1", 3));
    host.timePassed();
    environment.copies.clear();
    host.timePassed();
    take(body(run, 1_000));
    environment.journalWrites(true);
    assertThat(answers).as("g2 may answer without it").isEmpty();
    passTellTime();
    assertThat(answers).containsExactly(new IntakeAnswer.Kept(7, 1));
  }

  private void passTellTime() {
    for (long passed = 0; passed < OwnerSide.TELL_MILLIS; passed += 100) {
      environment.pass(100);
      host.timePassed();
    }
  }

  @Test
  void aBodyThatTheJournalDoesNotTakeIsNotAcknowledged() {
    openSession();
    take(body(run, 1_000));
    environment.journalWrites(false);
    environment.copyAnswers(CopyAnswer.of(ReplicaReply.KEPT));
    assertThat(answers).containsExactly(new IntakeAnswer.SlowDown(HostRoles.RETRY_MILLIS));
  }

  @Test
  void aSenderWhoseBodyIsNotKeptWhenTheOwnerChangesIsSentToTheNewOwner() {
    openSession();
    take(body(run, 1_000));
    environment.table(4, holders("g2", 4, copy("g1", 4)));
    host.timePassed();
    IntakeAnswer moved = new IntakeAnswer.Moved(ManualEnvironment.address("g2"), 4);
    assertThat(answers).containsExactly(moved);
    environment.journalWrites(true);
    environment.copyAnswers(CopyAnswer.of(ReplicaReply.KEPT));
    assertThat(answers).as("it is answered once").containsExactly(moved);
  }

  @Test
  void aReplicaIsReportedAsSyncedWhenItSaysThatItIsWhole() {
    openSession();
    assertThat(environment.reports).last().isEqualTo(report(3));
    callWhole();
    assertThat(environment.reports).last().isEqualTo(report(3, "g2@3"));
  }

  @Test
  void aReplicaThatDoesNotAnswerIsReportedAsNotSynced() {
    openSession();
    callWhole();
    environment.pass(5_000);
    host.timePassed();
    environment.copyAnswers(CopyAnswer.of(ReplicaReply.FAILED));
    assertThat(environment.reports).as("it is asked again").last().isEqualTo(report(3, "g2@3"));
    for (int i = 0; i < 60; i++) {
      environment.pass(100);
      host.timePassed();
    }
    assertThat(environment.reports).last().isEqualTo(report(3));
    assertThat(environment.counts().copiesRepeated.sum()).isGreaterThan(1);
    assertThat(environment.counts().replicasLost())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of("silent", 1L, "slow", 0L, "protocol_error", 0L, "unknown_peer", 0L));
  }

  @Test
  void aBodyIsSentAgainWhenAConnectionBreaksAndIsKeptWhenTheCopyHasIt() {
    openSession();
    callWhole();
    take(body(run, 1_000));
    environment.journalWrites(true);
    Peers.Copy first = environment.copies.element().copy();
    environment.copyAnswers(CopyAnswer.of(ReplicaReply.FAILED));
    environment.pass(300);
    host.timePassed();
    Peers.Copy second = environment.copies.element().copy();
    assertThat(second.session()).isEqualTo(first.session());
    assertThat(second.number()).isEqualTo(first.number());
    assertThat(second.frames()).isEqualTo(first.frames());
    assertThat(answers).isEmpty();
    environment.copyAnswers(CopyAnswer.of(ReplicaReply.WHOLE));
    assertThat(answers).containsExactly(new IntakeAnswer.Kept(7, 1));
    assertThat(environment.reports).last().isEqualTo(report(3, "g2@3"));
    assertThat(environment.counts().keptAlone.sum()).isZero();
  }

  @Test
  void ticksThatWereAcknowledgedTooLateForTheirSenderAreNotWrittenAgain() {
    openSession();
    byte[] first = body(run, 1_000);
    take(first);
    environment.pass(OwnerSide.LATE_MILLIS);
    byte[] second = body(run, 2_000);
    take(ManualEnvironment.join(first, second));
    assertThat(answers).as("wait").containsExactly(new IntakeAnswer.SlowDown(500));
    assertThat(environment.counts().queueFull.sum()).isEqualTo(1);
    environment.journalWrites(true);
    environment.copyAnswers(CopyAnswer.of(ReplicaReply.KEPT));
    assertThat(answers).last().isEqualTo(new IntakeAnswer.Kept(7, 1));
    take(ManualEnvironment.join(first, second));
    assertThat(answers).as("at once").hasSize(3).last().isEqualTo(new IntakeAnswer.Kept(7, 1));
    assertThat(environment.journal).isEmpty();
    take(second);
    assertThat(environment.journal).as("what comes next is written").hasSize(1);
  }

  @Test
  void ticksThatWereAcknowledgedInTimeAreTakenAgain() {
    openSession();
    byte[] first = body(run, 1_000);
    take(first);
    environment.pass(OwnerSide.LATE_MILLIS - 1);
    environment.journalWrites(true);
    environment.copyAnswers(CopyAnswer.of(ReplicaReply.KEPT));
    take(first);
    assertThat(environment.journal).hasSize(1);
    take(new byte[] {1});
    assertThat(answers).last().isInstanceOf(IntakeAnswer.Refused.class);
  }

  @Test
  void sendersAreSlowedDownWhileACopyIsSlow() {
    openSession();
    long bodies = 0;
    do {
      take(body(run, 1_000 + bodies));
      bodies++;
    } while (answers.isEmpty() && bodies < 1_000);
    assertThat(answers)
        .containsExactly(new IntakeAnswer.SlowDown(AdmissionControl.FULL_RETRY_MILLIS));
    assertThat(environment.counts().replicaSlow.sum()).isEqualTo(1);
    assertThat(environment.journal).as("it was not taken").hasSize((int) bodies - 1);
  }

  @Test
  void whatWasSyncedIsForgottenWhenTheHostComesBackToThisOwner() {
    openSession();
    callWhole();
    environment.table(4, holders("g2", 4, copy("g1", 4)));
    host.timePassed();
    environment.table(5, holders("g1", 5, copy("g2", 5)));
    host.timePassed();
    assertThat(environment.reports).last().isEqualTo(report(5));
  }

  @Test
  void aReplicaThatBeginsAnewOnTheSameGatewayIsNotSynced() {
    openSession();
    callWhole();
    environment.table(4, holders("g1", 3, copy("g2", 4)));
    host.timePassed();
    assertThat(environment.reports).last().isEqualTo(report(3));
    assertThat(environment.copies.element().copy().count()).as("a session begins").isZero();
  }

  @Test
  void anAnswerOfAnEarlierOwnershipIsNotBelieved() {
    openSession();
    environment.pass(100);
    host.timePassed();
    ManualPeers.SentCopy question = environment.copies.remove();
    environment.table(4, holders("g2", 4, copy("g1", 4)));
    host.timePassed();
    environment.table(5, holders("g1", 5, copy("g2", 3)));
    host.timePassed();
    question.answer().accept(CopyAnswer.of(ReplicaReply.WHOLE));
    environment.runLane();
    assertThat(environment.reports).last().isEqualTo(report(5));
  }

  @Test
  void aReportIsRepeatedUntilTheTableHasIt() {
    openSession();
    callWhole();
    int reported = environment.reports.size();
    host.timePassed();
    assertThat(environment.reports).as("not at once").hasSize(reported);
    environment.pass(2 * TableMachine.SYNCED_MILLIS);
    host.timePassed();
    assertThat(environment.reports).as("the table may wait").hasSize(reported);
    environment.pass(1);
    host.timePassed();
    assertThat(environment.reports).hasSize(reported + 1).last().isEqualTo(report(3, "g2@3"));
    environment.table(4, SYNCED);
    environment.pass(2 * TableMachine.SYNCED_MILLIS + 1);
    host.timePassed();
    assertThat(environment.reports).as("the table has it").hasSize(reported + 1);
  }

  @Test
  void aTableThatCallsACopySyncedThatIsNotIsToldEachSecond() {
    environment.table(4, SYNCED);
    host.timePassed();
    int reported = environment.reports.size();
    environment.pass(1_000);
    host.timePassed();
    assertThat(environment.reports).hasSize(reported);
    environment.pass(1);
    host.timePassed();
    assertThat(environment.reports).hasSize(reported + 1).last().isEqualTo(report(3));
  }

  @Test
  void aTableThatNamesOtherMissingTicksThanTheOwnerIsToldEachSecond() {
    environment.table(4, behind(HOLDERS, "g3"));
    host.timePassed();
    int reported = environment.reports.size();
    environment.pass(1_001);
    host.timePassed();
    assertThat(environment.reports).hasSize(reported + 1).last().isEqualTo(report(3));
  }

  @Test
  void whatTheOwnerFetchedMakesItsReplicasIncompleteBeforeTheHostIsCalledWhole() throws Exception {
    environment.table(4, behind(holders("g1", 4, copy("g2", 3)), "g3"));
    host.timePassed();
    openSession();
    callWhole();
    assertThat(environment.reports).last().isEqualTo(reportBehind(4, "g3", "g2@3"));
    host.merge(body(new FrameEncoder(HOST, HostPage.RUN), 500), kept -> {});
    environment.pullEnds(ManualPeers.EQUAL);
    assertThat(environment.reports.reversed().subList(0, 2))
        .containsExactly(report(4), reportBehind(4, "g3"));
  }

  @Test
  void anOfferIsAcceptedWhenAllOfItIsOnTheDisk() {
    List<Boolean> merged = new ArrayList<>();
    host.offered("g3", merged::add);
    environment.pullEnds(ManualPeers.EQUAL);
    assertThat(merged).isEmpty();
    assertThat(environment.journal.element().forced()).isTrue();
    environment.journalWrites(true);
    assertThat(merged).containsExactly(true);
  }

  @Test
  void anOfferThatCannotBeFetchedIsNotAccepted() {
    List<Boolean> merged = new ArrayList<>();
    host.offered("g3", merged::add);
    host.offered("g3", merged::add);
    assertThat(merged).as("it is being fetched already").containsExactly(false);
    environment.pullEnds(PullResult.FAILED);
    assertThat(merged).containsExactly(false, false);
    host.offered("g9", merged::add);
    assertThat(merged).as("out of sight").hasSize(3).doesNotContain(true);
    assertThat(environment.journal).isEmpty();
  }

  private static Report report(long since, String... synced) {
    return new Report("g1", since, Set.of(), Set.of(synced));
  }

  private static Report reportBehind(long since, String behind, String... synced) {
    return new Report("g1", since, Set.of(behind), Set.of(synced));
  }

  private void take(byte[] body) {
    host.take(body, 0, answers::add);
  }

  /** The copy confirms that a session has begun. */
  private void openSession() {
    environment.copyAnswers(CopyAnswer.of(ReplicaReply.KEPT));
  }

  /** The copy is asked for its state, and is whole. */
  private void callWhole() {
    environment.pass(100);
    host.timePassed();
    environment.copyAnswers(CopyAnswer.of(ReplicaReply.WHOLE));
  }
}
