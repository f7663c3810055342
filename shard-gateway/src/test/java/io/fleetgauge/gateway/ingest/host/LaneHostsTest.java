package io.fleetgauge.gateway.ingest.host;

import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.HOST;
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
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The hosts that one thread of gateway g1 serves. */
class LaneHostsTest {
  private final ManualEnvironment environment = new ManualEnvironment("g1", 2);
  private final LaneHosts hosts =
      new LaneHosts(environment, environment::lane, host -> !host.equals("of-another-thread"));

  @Test
  void aHostThatTheTableGivesToThisGatewayIsServedBeforeSamplesOfItCome() {
    environment.tables(
        3,
        Map.of(
            "owned", holders("g1", 3),
            "copied", holders("g2", 3, copy("g1", 3)),
            "elsewhere", holders("g2", 3, copy("g3", 3)),
            "of-another-thread", holders("g1", 3)),
        "g1",
        "g2");
    hosts.timePassed();
    assertThat(hosts.names()).containsExactlyInAnyOrder("owned", "copied");
    assertThat(hosts.find("elsewhere")).isEmpty();
    assertThat(environment.reports).as("the owner reports on it").hasSize(1);
  }

  @Test
  void aHostThatIsRemovedIsMadeAnewIfTheTableGivesItToThisGateway() {
    environment.table(3, holders("g1", 3));
    hosts.timePassed();
    HostIntake before = hosts.host(HOST);
    hosts.remove(HOST);
    hosts.timePassed();
    assertThat(hosts.find(HOST)).isPresent().get().isNotSameAs(before);
    environment.table(4, holders("g2", 4));
    hosts.remove(HOST);
    hosts.timePassed();
    assertThat(hosts.names()).isEmpty();
  }

  @Test
  void whoeverWaitsForAHostThatIsRemovedIsAnswered() {
    environment.table(3, holders("g1", 3));
    hosts.recovered();
    hosts.timePassed();
    List<IntakeAnswer> answers = new ArrayList<>();
    hosts.host(HOST).take(body(new FrameEncoder(HOST, 7), 2_000), 0, answers::add);
    assertThat(answers).as("the journal has not written it").isEmpty();
    hosts.remove(HOST);
    assertThat(answers).containsExactly(new IntakeAnswer.SlowDown(HostRoles.RETRY_MILLIS));
  }

  @Test
  void aHostIsMadeOnce() {
    HostIntake host = hosts.host(HOST);
    assertThat(hosts.host(HOST)).isSameAs(host);
    assertThat(hosts.find(HOST)).containsSame(host);
    assertThat(hosts.all()).containsExactly(host);
  }

  @Test
  void ticksWaitUntilWhatWasKeptBeforeTheStartHasBeenRead() {
    environment.table(3, holders("g1", 3));
    hosts.host(HOST).take(body(new FrameEncoder(HOST, 7), 2_000), 0, answer -> {});
    assertThat(hosts.host(HOST).state().whole()).isFalse();
    assertThat(hosts.host(HOST).state().before()).isEqualTo(1_999);
    assertThat(environment.lane(HOST).newest()).isEqualTo(Long.MIN_VALUE);
    hosts.recovered();
    assertThat(hosts.host(HOST).state().whole()).isTrue();
    assertThat(environment.lane(HOST).newest()).isEqualTo(2_000);
    assertThat(hosts.host("n2").state().whole()).as("hosts that come later").isTrue();
  }

  // --- when hosts are looked at ---

  /** Looks as in production, whenever something is due; how often. */
  private int looks(long millis) {
    int looks = 0;
    for (long passed = 0; passed < millis; passed += 50) {
      environment.pass(50);
      if (hosts.dueInMillis() == 0) {
        hosts.timePassed();
        looks++;
      }
    }
    return looks;
  }

  /** This gateway owns a host, and has asked g2 for its copy. */
  private void own() {
    environment.isRecovered = true;
    hosts.recovered();
    environment.table(3, holders("g1", 3, copy("g2", 3)));
    hosts.timePassed();
    assertThat(environment.copies).hasSize(1);
  }

  @Test
  void whileNothingHappensAllHostsAreLookedAtTwiceASecond() {
    own();
    environment.copyAnswers(CopyAnswer.of(ReplicaReply.WHOLE));
    looks(1_000);
    assertThat(looks(3_000)).isEqualTo(6);
    assertThat(environment.copies).isEmpty();
  }

  @Test
  void aSyncedCopyIsAskedEveryFiveSeconds() {
    own();
    for (int i = 0; i < 3; i++) {
      environment.copyAnswers(CopyAnswer.of(ReplicaReply.WHOLE));
      looks(4_950);
      assertThat(environment.copies).isEmpty();
      looks(50);
      assertThat(environment.copies).hasSize(1);
    }
  }

  @Test
  void whatIsDueSoonIsDoneBeforeTheNextLookAtAllHosts() {
    own();
    environment.copyAnswers(CopyAnswer.of(ReplicaReply.FAILED));
    looks(250);
    assertThat(environment.copies).isEmpty();
    looks(50);
    assertThat(environment.copies).as("asked again").hasSize(1);
    environment.copyAnswers(CopyAnswer.of(ReplicaReply.LATER));
    looks(50);
    assertThat(environment.copies).as("it needed more time").hasSize(1);
    environment.copyAnswers(CopyAnswer.of(ReplicaReply.BROKEN));
    looks(300);
    assertThat(environment.copies).as("a new session").hasSize(1);
  }

  @Test
  void aCopyThatCouldNotFetchEverythingFetchesAgainSoon() {
    environment.isRecovered = true;
    hosts.recovered();
    environment.table(3, holders("g2", 3, copy("g1", 3)));
    hosts.timePassed();
    hosts.host(HOST).copied(new Peers.Copy(HOST, 3, "g2", 1, 1, 0, new byte[0]), answer -> {});
    looks(100);
    environment.pullEnds(Peers.PullResult.FAILED);
    looks(250);
    assertThat(environment.pulls).isEmpty();
    looks(50);
    assertThat(environment.pulls).hasSize(1);
  }

  @Test
  void aHostThatIsNewHereAndOneThatWasForgottenAreLookedAtSoon() {
    own();
    looks(100);
    assertThat(hosts.dueInMillis()).isPositive();
    hosts.host("new");
    assertThat(hosts.dueInMillis()).isZero();
    hosts.timePassed();
    assertThat(hosts.dueInMillis()).isPositive();
    hosts.remove("new");
    assertThat(hosts.dueInMillis()).isZero();
  }

  @Test
  void allHostsAreLookedAtWhenThatIsAskedFor() {
    own();
    environment.copyAnswers(CopyAnswer.of(ReplicaReply.WHOLE));
    looks(1_000);
    assertThat(hosts.dueInMillis()).isPositive();
    hosts.lookAtAll();
    assertThat(hosts.dueInMillis()).isZero();
  }

  @Test
  void aHostThatIsHeldElsewhereAndWasTakenOverIsNeededHereNoMore() {
    hosts.recovered();
    environment.table(3, holders("g1", 3));
    hosts.host(HOST).take(body(new FrameEncoder(HOST, 7), 2_000), 0, answer -> {});
    Holders.Copy synced = new Holders.Copy("g3", 4, true);
    environment.table(4, new Holders("g2", 4, Set.of(), List.of(synced), Optional.empty()));
    assertThat(hosts.timePassed()).isEmpty();
    environment.offers.remove().merged().accept(true);
    environment.runLane();
    environment.pass(600_001);
    assertThat(hosts.timePassed()).containsExactly(HOST);
  }
}
