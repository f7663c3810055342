package io.fleetgauge.gateway.ingest.host;

import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.HOST;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.address;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.behind;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.body;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.copy;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.holders;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.gateway.ingest.host.Peers.PullResult;
import io.fleetgauge.gateway.replication.Pull;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.wire.WireException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Gateway g1 becomes the owner of a host and fetches what others acknowledged. */
class CatchUpTest {
  private static final PullResult ALL = ManualPeers.EQUAL;

  private final ManualEnvironment environment = new ManualEnvironment("g1", 2);
  private final HostIntake host = environment.host();
  private final FrameEncoder run = new FrameEncoder(HOST, 7);

  @Test
  void anHeirNamesTheHostAsIncompleteUntilItHasWhatTheTableSaysItLacks() {
    own(3, "g2");
    assertThat(environment.namesAGap()).isTrue();
    assertThat(reportedBehind()).containsExactly("g2");
    assertThat(pulledFrom()).containsExactly(address("g2"));
    environment.pullEnds(ALL);
    assertThat(environment.namesAGap()).isFalse();
    assertThat(reportedBehind()).isEmpty();
  }

  @Test
  void aReplicaThatCalledItselfWholeIsNotAWholeOwnerWhenTheTableSaysOtherwise() {
    environment.table(3, holders("g2", 3, copy("g1", 3)));
    host.copied(new Peers.Copy(HOST, 3, "g2", 1, 1, 0, new byte[0]), answer -> {});
    environment.pullEnds(ALL);
    assertThat(environment.wholeCopies).containsOnlyKeys(HOST);
    own(4, "g2");
    assertThat(environment.wholeCopies).isEmpty();
    assertThat(environment.namesAGap()).isTrue();
    assertThat(reportedBehind()).containsExactly("g2");
  }

  @Test
  void anOwnerThatLacksNothingFetchesNothing() {
    own(3);
    assertThat(environment.namesAGap()).isFalse();
    assertThat(reportedBehind()).isEmpty();
    assertThat(environment.pulls).isEmpty();
  }

  @Test
  void anOwnerWithADamagedBlockFetchesWhatItHadFromACopy() {
    environment.lane(HOST).missing().lost(Path.of("1000-2000.block"));
    environment.table(3, holders("g1", 3, copy("g2", 3)));
    host.timePassed();
    assertThat(environment.namesAGap()).isTrue();
    assertThat(pulledFrom()).containsExactly(address("g2"));
    environment.pullEnds(ManualPeers.equal(false, Map.of()));
    assertThat(environment.namesAGap()).as("the copy lacks something itself").isTrue();
    environment.pass(9_999);
    host.timePassed();
    assertThat(environment.pulls).isEmpty();
    environment.pass(1);
    host.timePassed();
    environment.pullEnds(ALL);
    assertThat(environment.namesAGap()).isFalse();
    environment.pass(10_000);
    host.timePassed();
    assertThat(environment.pulls).as("nothing is damaged any more").isEmpty();
  }

  @Test
  void whatACopyWithoutSamplesOfTheTimeHasProvesNothingOfADamagedBlock() {
    environment.lane(HOST).missing().lost(Path.of("1000-2000.block"));
    environment.table(3, holders("g1", 3, copy("g2", 3)));
    host.timePassed();
    environment.pullEnds(new PullResult(true, Pull.Comparison.NOTHING, true, Map.of()));
    assertThat(environment.namesAGap()).isTrue();
  }

  @Test
  void aFetchThatFailsIsTriedAgainAndProvesNothing() {
    own(3, "g2");
    environment.pullEnds(PullResult.FAILED);
    assertThat(environment.namesAGap()).isTrue();
    environment.pass(499);
    host.timePassed();
    assertThat(environment.pulls).isEmpty();
    environment.pass(1);
    host.timePassed();
    assertThat(pulledFrom()).containsExactly(address("g2"));
    environment.pullEnds(ALL);
    assertThat(environment.namesAGap()).isFalse();
  }

  @Test
  void theGapEndsWhenEveryGatewayHasBeenFetchedFrom() {
    own(3, "g2", "g3");
    assertThat(pulledFrom()).containsExactlyInAnyOrder(address("g2"), address("g3"));
    environment.pullEnds(ALL);
    assertThat(environment.namesAGap()).isTrue();
    assertThat(reportedBehind()).hasSize(1);
    environment.pullEnds(ALL);
    assertThat(environment.namesAGap()).isFalse();
  }

  @Test
  void aGatewayOutOfSightIsAskedWhenItIsBack() {
    environment.table(3, behind(holders("g1", 3), "g2"), "g1", "g3");
    host.timePassed();
    assertThat(environment.pulls).isEmpty();
    assertThat(environment.namesAGap()).isTrue();
    environment.table(4, behind(holders("g1", 3), "g2"));
    environment.pass(500);
    host.timePassed();
    assertThat(pulledFrom()).containsExactly(address("g2"));
  }

  @Test
  void aFetchThatBeganInAnEarlierOwnershipProvesNothingInALaterOne() {
    own(3, "g2");
    ManualPeers.StartedPull early = environment.pulls.remove();
    own(5, "g2");
    early.done().accept(ALL);
    environment.runLane();
    assertThat(environment.namesAGap()).isTrue();
    assertThat(reportedBehind()).containsExactly("g2");
  }

  @Test
  void anOwnershipThatBeginsAnewLacksOnlyWhatItsTableSays() {
    own(3, "g2");
    own(5);
    assertThat(reportedBehind()).isEmpty();
    assertThat(environment.namesAGap()).isFalse();
  }

  @Test
  void whatAnOwnerLackedIsHereWhenTheTableCallsItsCopySynced() {
    own(3, "g2");
    environment.table(4, holders("g2", 4, copy("g1", 4)));
    host.timePassed();
    assertThat(environment.namesAGap()).as("its copy is not synced yet").isTrue();
    environment.table(5, holders("g2", 4, new Holders.Copy("g1", 4, true)));
    host.timePassed();
    assertThat(environment.namesAGap()).isFalse();
  }

  @Test
  void aCopyOfAnOwnerThatLacksSomethingKeepsItsGap() {
    own(3, "g2");
    environment.table(4, behind(holders("g2", 4, new Holders.Copy("g1", 4, true)), "g3"));
    host.timePassed();
    assertThat(environment.namesAGap()).isTrue();
  }

  @Test
  void whatWasFetchedInAnEarlierOwnershipIsFetchedAgainInALaterOne() {
    own(3, "g1");
    environment.pullEnds(ALL);
    environment.pullEnds(PullResult.FAILED);
    own(5, "g1");
    environment.pass(500);
    host.timePassed();
    ManualPeers.StartedPull again = environment.pulls.remove();
    assertThat(again.from()).isEqualTo(address("g2"));
    environment.pullEnds(ALL);
    assertThat(environment.namesAGap()).as("g2 is fetched from again").isTrue();
    again.done().accept(ALL);
    environment.runLane();
    assertThat(environment.namesAGap()).isFalse();
  }

  @Test
  void whatIsFetchedIsCountedByItsResult() {
    own(3, "g2");
    environment.pullEnds(PullResult.FAILED);
    assertThat(environment.counts().compareFailed.sum()).isEqualTo(1);
    environment.pass(500);
    host.timePassed();
    environment.pullEnds(ManualPeers.MORE);
    assertThat(environment.counts().comparedAndFilled.sum()).isEqualTo(1);
    assertThat(environment.counts().comparedEqual.sum()).isZero();
  }

  @Test
  void aRestartedOwnerWhoseJournalHasAllTicksNamesNoGap() throws WireException {
    HostIntake restarted =
        new HostIntake(HOST, environment.lane(HOST), environment, true, at -> {});
    environment.table(3, holders("g1", 3));
    restarted.timePassed();
    restarted.replay(body(run, 1_000));
    restarted.replay(body(run, 2_000));
    restarted.recovered();
    assertThat(environment.namesAGap()).isFalse();
    assertThat(reportedBehind()).isEmpty();
    restarted.timePassed();
    assertThat(environment.pulls).isEmpty();
  }

  @Test
  void aFetchThatEndsAfterTheOwnershipChangesNothing() {
    own(3, "g2");
    environment.table(4, holders("g2", 4));
    host.timePassed();
    int reports = environment.reports.size();
    environment.pullEnds(ALL);
    assertThat(environment.namesAGap()).isTrue();
    assertThat(environment.reports).hasSize(reports);
  }

  @Test
  void anOwnerThatHasNotRecoveredFetchesNothingYet() {
    environment.isRecovered = false;
    own(3, "g2");
    assertThat(environment.pulls).isEmpty();
    assertThat(environment.namesAGap()).isTrue();
    environment.isRecovered = true;
    host.timePassed();
    assertThat(environment.pulls).hasSize(1);
  }

  @Test
  void ticksThatWereAcknowledgedElsewhereAreAGapUntilTheyAreHere() {
    own(3);
    body(run, 1_000);
    byte[] second = body(run, 2_000);
    host.take(ManualEnvironment.join(run.dictionary(), second), 1, answer -> {});
    assertThat(environment.namesAGap()).isTrue();
    assertThat(reportedBehind()).containsExactly("g1");
    assertThat(environment.counts().gapsFound.sum()).isEqualTo(1);
    assertThat(pulledFrom()).containsExactlyInAnyOrder(address("g2"), address("g3"));
  }

  @Test
  void ticksThatAreMissingAreHereOnlyWhenAHolderHadThem() {
    own(3);
    takeTick(6, 5);
    assertThat(reportedBehind()).containsExactly("g1");
    environment.pullEnds(had(RunProgress.upTo(4)));
    assertThat(environment.namesAGap()).as("sequence 5 is missing").isTrue();
    environment.pullEnds(had(RunProgress.upTo(5)));
    assertThat(environment.namesAGap()).isFalse();
    assertThat(reportedBehind()).isEmpty();
  }

  @Test
  void aHolderThatHasLaterTicksButLacksTheMissingOnesProvesNothing() {
    own(3);
    takeTick(6, 5);
    environment.pullEnds(had(new RunProgress(9, Sequences.of(2, 3), Sequences.NONE)));
    assertThat(environment.namesAGap()).as("2 and 3 are missing there too").isTrue();
    environment.pullEnds(had(new RunProgress(9, Sequences.NONE, Sequences.of(3, 3))));
    assertThat(environment.namesAGap()).as("3 may be missing there").isTrue();
    environment.pass(500);
    host.timePassed();
    environment.pullEnds(had(RunProgress.upTo(3)));
    assertThat(environment.namesAGap()).isFalse();
  }

  @Test
  void anOwnerInheritsWhatThePreviousOwnerKnewToBeMissing() {
    own(3, "g2");
    environment.pullEnds(had(new RunProgress(9, Sequences.of(5, 6), Sequences.NONE)));
    assertThat(environment.namesAGap()).isTrue();
    assertThat(reportedBehind()).containsExactly("g1");
    environment.pass(500);
    host.timePassed();
    assertThat(pulledFrom()).containsExactlyInAnyOrder(address("g2"), address("g3"));
    environment.pullEnds(ALL);
    environment.pullEnds(had(RunProgress.upTo(6)));
    assertThat(environment.namesAGap()).isFalse();
    assertThat(reportedBehind()).isEmpty();
  }

  @Test
  void anOwnerThatLacksNothingByTheTableLearnsOfMissingTicksFromAnotherHolder() {
    own(3);
    host.offered("g2", merged -> {});
    environment.pullEnds(had(new RunProgress(9, Sequences.of(5, 6), Sequences.NONE)));
    assertThat(environment.namesAGap()).isTrue();
    assertThat(reportedBehind()).containsExactly("g1");
  }

  @Test
  void aReplicaThatKnowsOfMissingTicksIsAnOwnerThatKnowsOfThem() {
    environment.table(3, holders("g2", 3, copy("g1", 3)));
    host.copied(new Peers.Copy(HOST, 3, "g2", 1, 1, 0, new byte[0]), answer -> {});
    environment.pullEnds(had(new RunProgress(9, Sequences.of(5, 6), Sequences.NONE)));
    own(4);
    assertThat(environment.namesAGap()).isTrue();
    assertThat(reportedBehind()).containsExactly("g1");
  }

  @Test
  void anOwnerThatDoesNotKnowWhichTicksAreMissingAsksEveryGateway() {
    own(3, "g1");
    assertThat(environment.namesAGap()).isTrue();
    assertThat(pulledFrom()).containsExactlyInAnyOrder(address("g2"), address("g3"));
    environment.pullEnds(ALL);
    assertThat(environment.namesAGap()).as("one has not answered").isTrue();
    environment.pullEnds(ALL);
    assertThat(environment.namesAGap()).isFalse();
    assertThat(reportedBehind()).isEmpty();
  }

  @Test
  void whatASenderSaidBeforeTheJournalWasReadIsComparedWithIt() throws WireException {
    HostIntake restarted =
        new HostIntake(HOST, environment.lane(HOST), environment, true, at -> {});
    environment.table(3, holders("g1", 3));
    restarted.timePassed();
    FrameEncoder sender = new FrameEncoder(HOST, 7);
    List<byte[]> bodies = new ArrayList<>();
    for (long i = 1; i <= 6; i++) {
      byte[] dictionary = sender.dictionary();
      bodies.add(ManualEnvironment.join(dictionary, body(sender, i * 1_000)));
    }
    restarted.take(ManualEnvironment.join(sender.dictionary(), bodies.get(5)), 5, answer -> {});
    assertThat(environment.namesAGap()).as("they may be in the journal").isFalse();
    restarted.replay(bodies.get(1));
    restarted.replay(bodies.get(2));
    restarted.recovered();
    assertThat(environment.namesAGap()).as("1 is in a block, 4 and 5 are missing").isTrue();
    assertThat(reportedBehind()).containsExactly("g1");
    assertThat(restarted.state().progress())
        .isEqualTo(Map.of(7L, new RunProgress(6, Sequences.of(4, 5), Sequences.NONE)));
  }

  @Test
  void aRestartedOwnerWhoseJournalSkipsTicksAsksEveryGatewayForThem() throws WireException {
    HostIntake restarted =
        new HostIntake(HOST, environment.lane(HOST), environment, true, at -> {});
    environment.table(3, holders("g1", 3));
    restarted.timePassed();
    FrameEncoder sender = new FrameEncoder(HOST, 7);
    restarted.replay(ManualEnvironment.join(sender.dictionary(), body(sender, 1_000)));
    body(sender, 2_000);
    restarted.replay(body(sender, 3_000));
    restarted.recovered();
    assertThat(environment.namesAGap()).isTrue();
    restarted.timePassed();
    environment.pullEnds(ALL);
    assertThat(environment.namesAGap()).as("one has not answered").isTrue();
    environment.pullEnds(ALL);
    assertThat(environment.namesAGap()).as("nobody has more: the sender dropped it").isFalse();
  }

  @Test
  void ticksThatTheSenderDroppedAreNotMissing() {
    own(3);
    takeTick(1, 0);
    takeTick(4, 1);
    assertThat(environment.namesAGap()).isFalse();
    assertThat(environment.pulls).isEmpty();
    assertThat(host.state().progress()).isEqualTo(Map.of(7L, RunProgress.upTo(4)));
  }

  @Test
  void theGapReachesFromTheLastTickHereToTheOneThatShowedIt() {
    own(3);
    takeTick(1, 0);
    host.take(body(new FrameEncoder(HOST, 8), 90_000), 0, answer -> {});
    takeTick(4, 3);
    assertThat(environment.lane(HOST).missing().hasLost(2_000, 3_000)).isTrue();
    assertThat(environment.lane(HOST).missing().hasLost(0, 999)).isFalse();
    assertThat(environment.lane(HOST).missing().hasLost(5_000, 99_000)).isFalse();
  }

  @Test
  void whileTicksAreMissingEveryGatewayInSightIsAskedAgain() {
    own(3);
    takeTick(6, 5);
    environment.pullEnds(ALL);
    environment.pullEnds(ALL);
    assertThat(environment.namesAGap()).isTrue();
    environment.pass(500);
    host.timePassed();
    assertThat(pulledFrom()).containsExactlyInAnyOrder(address("g2"), address("g3"));
  }

  /** Takes the tick of run 7 with this sequence, whose time is so many seconds. */
  private void takeTick(long sequence, long acknowledged) {
    FrameEncoder sender = new FrameEncoder(HOST, 7);
    byte[] body = null;
    for (long i = 1; i <= sequence; i++) {
      body = body(sender, i * 1_000);
    }
    host.take(ManualEnvironment.join(sender.dictionary(), body), acknowledged, answer -> {});
  }

  private static PullResult had(RunProgress progress) {
    return ManualPeers.equal(true, Map.of(7L, progress));
  }

  private void own(long since, String... behind) {
    environment.table(since, behind(holders("g1", since), behind));
    host.timePassed();
  }

  private List<URI> pulledFrom() {
    return environment.pulls.stream().map(ManualPeers.StartedPull::from).toList();
  }

  private Set<String> reportedBehind() {
    return environment.reports.getLast().behind();
  }
}
