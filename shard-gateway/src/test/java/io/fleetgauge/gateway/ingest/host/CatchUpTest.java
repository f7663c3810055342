package io.fleetgauge.gateway.ingest.host;

import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.HOST;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.address;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.behind;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.body;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.copy;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.holders;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.ingest.host.Peers.Pulled;
import io.fleetgauge.sample.frame.FrameEncoder;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Gateway g1 becomes the owner of a host and fetches what others acknowledged. */
class CatchUpTest {
  private static final Pulled ALL = new Pulled(true, true, Map.of());

  private final ManualEnvironment environment = new ManualEnvironment("g1", 2);
  private final HostIntake host = environment.host();
  private final FrameEncoder run = new FrameEncoder(HOST, 7);

  @Test
  void anHeirNamesTheHostAsIncompleteUntilItHasWhatTheTableSaysItLacks() {
    own(3, "g2");
    assertThat(environment.namesAGap()).isTrue();
    assertThat(reportedBehind()).containsExactly("g2");
    assertThat(pulledFrom()).containsExactly(address("g2"));
    assertThat(host.isBusy()).isTrue();
    environment.pullEnds(ALL);
    assertThat(environment.namesAGap()).isFalse();
    assertThat(reportedBehind()).isEmpty();
    assertThat(host.isBusy()).isFalse();
  }

  @Test
  void aReplicaThatCalledItselfWholeIsNotAWholeOwnerWhenTheTableSaysOtherwise() {
    environment.table(3, holders("g2", 3, copy("g1", 3)));
    host.copied(new Peers.Copy(HOST, 3, "g2", 1, 1, 0, new byte[0]), answer -> {});
    environment.pullEnds(ALL);
    assertThat(environment.wholeCopies).containsExactly(HOST);
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
  void aFetchThatFailsIsTriedAgainAndProvesNothing() {
    own(3, "g2");
    environment.pullEnds(Pulled.FAILED);
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
    ManualEnvironment.StartedPull early = environment.pulls.remove();
    own(5, "g2");
    early.done().accept(ALL);
    environment.runLane();
    assertThat(environment.namesAGap()).isTrue();
    assertThat(reportedBehind()).containsExactly("g2");
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
    for (int time = 1; time < 10; time++) {
      body(run, time * 1_000);
    }
    byte[] first = ManualEnvironment.join(run.dictionary(), body(run, 10_000));
    FrameEncoder other = new FrameEncoder(HOST, 8);
    host.take(body(other, 500), 5, answer -> {});
    host.take(first, 9, answer -> {});
    assertThat(reportedBehind()).containsExactly("g1");
    environment.pullEnds(new Pulled(true, true, Map.of(8L, 4L)));
    assertThat(environment.namesAGap()).as("sequence 5 of run 8 is missing").isTrue();
    environment.pullEnds(new Pulled(true, true, Map.of(8L, 5L)));
    assertThat(environment.namesAGap()).isFalse();
    assertThat(reportedBehind()).isEmpty();
  }

  @Test
  void whileTicksAreMissingEveryGatewayInSightIsAskedAgain() {
    own(3);
    host.take(body(run, 1_000), 5, answer -> {});
    environment.pullEnds(ALL);
    environment.pullEnds(ALL);
    assertThat(environment.namesAGap()).isTrue();
    environment.pass(500);
    host.timePassed();
    assertThat(pulledFrom()).containsExactlyInAnyOrder(address("g2"), address("g3"));
  }

  private void own(long since, String... behind) {
    environment.table(since, behind(holders("g1", since), behind));
    host.timePassed();
  }

  private List<URI> pulledFrom() {
    return environment.pulls.stream().map(ManualEnvironment.StartedPull::from).toList();
  }

  private Set<String> reportedBehind() {
    return environment.reports.getLast().behind();
  }
}
