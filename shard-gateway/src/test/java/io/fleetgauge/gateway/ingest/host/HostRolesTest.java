package io.fleetgauge.gateway.ingest.host;

import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.HOST;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.address;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.behind;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.body;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.copy;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.holders;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.gateway.ingest.host.Peers.CopyAnswer;
import io.fleetgauge.gateway.replication.ReplicaReply;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which role gateway g1 plays for a host, and what it answers in each. */
class HostRolesTest {
  private ManualEnvironment environment = new ManualEnvironment("g1", 2);
  private HostIntake host = environment.host();
  private final FrameEncoder run = new FrameEncoder(HOST, 7);
  private final List<IntakeAnswer> answers = new ArrayList<>();

  /** A gateway that has samples of a host up to 1 s from before its start. */
  private HostIntake keptBefore() throws Exception {
    HostIntake kept = new HostIntake(HOST, environment.lane(HOST), environment, true, at -> {});
    kept.replay(body(new FrameEncoder(HOST, 9), 1_000));
    kept.recovered();
    return kept;
  }

  @Test
  void whatAGatewayThatWasAwayHasOfARemovedHostIsNotNeeded() throws Exception {
    HostIntake kept = keptBefore();
    environment.removed(9, 1_000);
    assertThat(kept.timePassed()).isTrue();
    assertThat(kept.isRemoved()).isTrue();
    assertThat(environment.registered).isEmpty();
  }

  @Test
  void whatIsNewerThanTheRemovalMakesTheHostKnownAgain() throws Exception {
    HostIntake kept = keptBefore();
    environment.removed(9, 999);
    assertThat(kept.timePassed()).isFalse();
    assertThat(environment.registered).containsExactly(HOST);
  }

  @Test
  void whatHasComeSinceTheStartIsKeptWhateverItsTimeIs() throws Exception {
    HostIntake kept = keptBefore();
    environment.table(9, holders("g1", 9));
    kept.take(body(new FrameEncoder(HOST, 8), 900), 0, answer -> {});
    environment.removed(10, 5_000);
    assertThat(kept.timePassed()).isFalse();
    assertThat(environment.registered).containsExactly(HOST);
  }

  @Test
  void aGatewayThatIsGivenARemovedHostAnewKeepsIt() throws Exception {
    HostIntake kept = keptBefore();
    environment.removed(9, 5_000);
    environment.table(10, holders("g1", 10));
    assertThat(kept.timePassed()).isFalse();
    assertThat(kept.isRemoved()).isFalse();
  }

  @Test
  void bodiesAreTakenOnlyFromTheOwnerOfTheNewestTable() {
    environment.table(3, holders("g2", 3, copy("g1", 3)));
    assertThat(arrived("g3", 3)).isEqualTo(CopyAnswer.of(ReplicaReply.STRANGER));
    assertThat(arrived("g3", 2))
        .as("an older table")
        .isEqualTo(CopyAnswer.of(ReplicaReply.STRANGER));
    assertThat(arrived("g3", 4)).as("a newer table").isEqualTo(CopyAnswer.of(ReplicaReply.LATER));
    assertThat(arrived("g2", 3)).isEqualTo(CopyAnswer.of(ReplicaReply.KEPT));
  }

  @Test
  void aGatewayWithoutACopyIsAStrangerToTheOwner() {
    environment.table(3, holders("g2", 3, copy("g3", 3)));
    assertThat(arrived("g2", 3)).isEqualTo(CopyAnswer.of(ReplicaReply.STRANGER));
    environment.table(4, holders("g1", 4));
    assertThat(arrived("g2", 3))
        .as("this one owns it")
        .isEqualTo(CopyAnswer.of(ReplicaReply.STRANGER));
  }

  @Test
  void aReplicaThatHasNotRecoveredTakesNothing() {
    environment.table(3, holders("g2", 3, copy("g1", 3)));
    environment.isRecovered = false;
    assertThat(arrived("g2", 3)).isEqualTo(CopyAnswer.of(ReplicaReply.LATER));
    assertThat(environment.pulls).isEmpty();
  }

  @Test
  void aReplicaSendsProbesToTheOwner() {
    environment.table(3, holders("g2", 3, copy("g1", 3)));
    take();
    assertThat(answers).containsExactly(new IntakeAnswer.Moved(address("g2"), 3));
    assertThat(environment.journal).isEmpty();
  }

  @Test
  void aProbeWhoseOwnerIsOutOfSightHasToWait() {
    environment.table(3, holders("g2", 3), "g1", "g3");
    take();
    assertThat(answers).containsExactly(new IntakeAnswer.SlowDown(HostRoles.RETRY_MILLIS));
  }

  @Test
  void withoutReplicationABodyIsKeptWhenTheJournalHasItWhoeverOwnsTheHost() {
    environment = new ManualEnvironment("g1", 1);
    host = environment.host();
    environment.table(3, holders("g1", 3));
    take();
    assertThat(environment.journal.element().forced()).isFalse();
    assertThat(answers).isEmpty();
    environment.journalWrites(true);
    assertThat(answers).containsExactly(new IntakeAnswer.Kept(7, 1));
    environment.table(4, holders("g2", 4));
    take();
    environment.journalWrites(true);
    assertThat(answers).last().isEqualTo(new IntakeAnswer.Kept(7, 2));
  }

  @Test
  void withoutReplicationABodyThatTheJournalDoesNotTakeComesAgain() {
    environment = new ManualEnvironment("g1", 1);
    host = environment.host();
    environment.table(3, holders("g1", 3));
    take();
    environment.journalWrites(false);
    assertThat(answers).containsExactly(new IntakeAnswer.SlowDown(HostRoles.RETRY_MILLIS));
    assertThat(environment.counts().diskTrouble.sum()).isEqualTo(1);
  }

  @Test
  void aBodyIsNotTakenWhileTheDiskFails() {
    environment.table(3, holders("g1", 3));
    environment.isDiskFailing = true;
    take();
    assertThat(answers)
        .containsExactly(new IntakeAnswer.SlowDown(AdmissionControl.TROUBLE_RETRY_MILLIS));
    assertThat(environment.counts().diskTrouble.sum()).isEqualTo(1);
    assertThat(environment.store.seriesCount()).isZero();
  }

  @Test
  void onlyARecoveredOwnerAcceptsOffers() {
    List<Boolean> merged = new ArrayList<>();
    environment.table(3, holders("g2", 3, copy("g1", 3)));
    host.offered("g3", merged::add);
    environment.table(4, holders("g1", 4));
    environment.isRecovered = false;
    host.offered("g3", merged::add);
    assertThat(merged).containsExactly(false, false);
    assertThat(environment.pulls).isEmpty();
    environment.isRecovered = true;
    host.offered("g3", merged::add);
    assertThat(environment.pulls).hasSize(1);
  }

  @Test
  void aReplicaThatBecomesTheOwnerIsAReplicaNoMore() {
    environment.table(3, holders("g2", 3, copy("g1", 3)));
    arrived("g2", 3);
    environment.pullEnds(ManualPeers.EQUAL);
    assertThat(environment.wholeCopies).containsOnlyKeys(HOST);
    environment.table(4, holders("g1", 4));
    host.timePassed();
    assertThat(environment.wholeCopies).isEmpty();
    assertThat(host.copyEqualAt()).isEmpty();
    assertThat(environment.reports).last().extracting("owner").isEqualTo("g1");
  }

  @Test
  void anOwnerThatBecomesAReplicaIsNotWholeUntilItHasComparedItselfWithTheNewOwner() {
    environment.table(3, holders("g1", 3));
    host.timePassed();
    environment.table(4, holders("g2", 4, copy("g1", 4)));
    assertThat(arrived("g2", 4)).isEqualTo(CopyAnswer.of(ReplicaReply.KEPT));
    assertThat(environment.wholeCopies).isEmpty();
    environment.pullEnds(ManualPeers.EQUAL);
    assertThat(arrived("g2", 4)).isEqualTo(CopyAnswer.of(ReplicaReply.WHOLE));
  }

  @Test
  void whatIsLeftOfAHostIsOfferedAndRemovedWhenOwnerAndReplicaHaveHadItForTenMinutes() {
    leave();
    assertThat(environment.offers.element().owner()).isEqualTo(address("g2"));
    environment.pass(600_001);
    assertThat(host.timePassed()).as("the owner has not merged it").isFalse();
    offerIs(true);
    environment.pass(600_000);
    assertThat(host.timePassed()).isFalse();
    environment.pass(1);
    assertThat(host.timePassed()).as("no copy is synced").isFalse();
    environment.table(5, behind(synced(), "g3"));
    assertThat(host.timePassed()).as("the owner lacks something").isFalse();
    environment.table(6, synced());
    assertThat(host.timePassed()).isTrue();
  }

  @Test
  void anOfferThatIsNotAcceptedIsMadeAgainAfterASecond() {
    leave();
    offerIs(false);
    host.timePassed();
    environment.pass(999);
    host.timePassed();
    assertThat(environment.offers).isEmpty();
    environment.pass(1);
    host.timePassed();
    assertThat(environment.offers).hasSize(1);
    host.timePassed();
    assertThat(environment.offers).as("one at a time").hasSize(1);
  }

  @Test
  void theTenMinutesBeginWhenTheOwnerHasMerged() {
    leave();
    environment.table(5, synced());
    environment.pass(700_000);
    host.timePassed();
    offerIs(true);
    environment.pass(600_000);
    assertThat(host.timePassed()).isFalse();
    environment.pass(1);
    assertThat(host.timePassed()).isTrue();
  }

  @Test
  void whatOneOwnerHasMergedIsOfferedToTheNextOneAgain() {
    leave();
    offerIs(true);
    Holders.Copy copy = new Holders.Copy("g2", 5, true);
    environment.table(
        5, new Holders("g3", 5, Set.of(), List.of(copy), Optional.empty()), "g1", "g2", "g3");
    environment.pass(600_001);
    assertThat(host.timePassed()).isFalse();
    assertThat(environment.offers.element().owner()).isEqualTo(address("g3"));
  }

  @Test
  void anOfferThatIsAcceptedAfterTheOwnerChangedDoesNotCount() {
    leave();
    environment.table(5, new Holders("g3", 5, Set.of(), synced().copies(), Optional.empty()));
    host.timePassed();
    offerIs(true);
    environment.pass(600_001);
    assertThat(host.timePassed()).isFalse();
    assertThat(environment.offers.element().owner()).isEqualTo(address("g3"));
  }

  @Test
  void aHostOfWhichNothingIsHereIsNotOffered() {
    environment.table(3, holders("g2", 3));
    assertThat(host.timePassed()).isFalse();
    assertThat(environment.offers).isEmpty();
  }

  @Test
  void closingSendsWaitingProbesElsewhere() {
    environment.table(3, holders("g1", 3));
    take();
    assertThat(answers).isEmpty();
    host.close();
    assertThat(answers).containsExactly(new IntakeAnswer.SlowDown(HostRoles.RETRY_MILLIS));
  }

  /** The host had samples here, and now g2 and g3 hold it. */
  private void leave() {
    environment.table(3, holders("g1", 3));
    take();
    environment.journalWrites(true);
    environment.table(4, holders("g2", 4, copy("g3", 4)));
    host.timePassed();
  }

  private static Holders synced() {
    return new Holders(
        "g2", 4, Set.of(), List.of(new Holders.Copy("g3", 4, true)), Optional.empty());
  }

  private void offerIs(boolean merged) {
    environment.offers.remove().merged().accept(merged);
    environment.runLane();
  }

  private void take() {
    host.take(body(run, 1_000 * (answers.size() + 1)), 0, answers::add);
  }

  /** What the sender of no bodies is answered. */
  private CopyAnswer arrived(String from, long epoch) {
    List<CopyAnswer> said = new ArrayList<>();
    host.copied(new Peers.Copy(HOST, epoch, from, 1, 1, 0, new byte[0]), said::add);
    assertThat(said).hasSize(1);
    return said.getFirst();
  }
}
