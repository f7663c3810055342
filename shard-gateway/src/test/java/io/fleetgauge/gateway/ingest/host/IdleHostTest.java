package io.fleetgauge.gateway.ingest.host;

import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.HOST;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.body;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.copy;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.holders;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.cluster.table.Holders.Admission;
import io.fleetgauge.cluster.table.Holders.Stay;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What gateway g1 says and does of a host that is silent, or is to leave the table. */
class IdleHostTest {
  private final ManualEnvironment environment = new ManualEnvironment("g1", 1);
  private final long untilIdle = environment.retentionMillis() + OwnerRole.IDLE_AFTER_MILLIS + 1;
  private final HostIntake host = environment.host();
  private final FrameEncoder run = new FrameEncoder(HOST, 7);
  private final List<IntakeAnswer> answers = new ArrayList<>();

  @BeforeEach
  void own() {
    environment.table(3, holders("g1", 3));
    take();
    environment.journalWrites(true);
    answers.clear();
  }

  @Test
  void anOwnerSaysThatAHostIsIdleWhenItsLastSampleHasExpiredForAWhile() {
    host.timePassed();
    assertThat(saysIdle()).isFalse();
    environment.pass(untilIdle - 1);
    host.timePassed();
    assertThat(saysIdle()).isFalse();
    environment.pass(1);
    host.timePassed();
    assertThat(saysIdle()).isTrue();
    take();
    environment.journalWrites(true);
    host.timePassed();
    assertThat(saysIdle()).as("it has sent again").isFalse();
  }

  @Test
  void aHostOfWhichNothingHasComeYetIsNotIdleAtOnce() {
    ManualEnvironment other = new ManualEnvironment("g1", 1);
    HostIntake fresh = other.host();
    other.table(3, holders("g1", 3));
    fresh.timePassed();
    assertThat(other.reports.getLast().idle()).isFalse();
    other.pass(OwnerRole.IDLE_AFTER_MILLIS);
    fresh.timePassed();
    assertThat(other.reports.getLast().idle()).isTrue();
  }

  @Test
  void anOwnerThatIsReadingItsJournalDoesNotKnowYet() {
    environment.pass(untilIdle);
    environment.isRecovered = false;
    host.timePassed();
    assertThat(saysIdle()).isFalse();
  }

  @Test
  void nothingIsTakenInOfAHostThatIsToLeaveAndItsSenderIsRemembered() {
    environment.pass(untilIdle);
    environment.table(4, leaving("g1", 4, Stay.EXPIRING));
    host.timePassed();
    assertThat(environment.reports.getLast().since()).isEqualTo(4);
    assertThat(saysIdle()).as("known with the table that says it is to leave").isTrue();
    long newest = environment.lane(HOST).newest();
    take();
    assertThat(answers).containsExactly(new IntakeAnswer.SlowDown(HostRoles.RETRY_MILLIS));
    assertThat(environment.lane(HOST).newest()).isEqualTo(newest);
    assertThat(environment.journal).isEmpty();
    host.timePassed();
    assertThat(saysIdle()).as("so that the host is kept").isFalse();
    environment.table(5, holders("g1", 4));
    take();
    environment.journalWrites(true);
    assertThat(answers.getLast()).isInstanceOf(IntakeAnswer.Kept.class);
  }

  @Test
  void whatAnotherGatewayOffersOfAHostThatIsToLeaveIsFetchedWhenTheHostIsKept() {
    environment.pass(untilIdle);
    environment.table(4, leaving("g1", 4, Stay.EXPIRING));
    List<Boolean> merged = new ArrayList<>();
    host.offered("g2", merged::add);
    assertThat(merged).containsExactly(false);
    assertThat(environment.pulls).isEmpty();
    host.timePassed();
    assertThat(saysIdle()).isFalse();
  }

  @Test
  void aHostThatIsToLeaveIsReportedAgainUntilItHas() {
    environment.pass(untilIdle);
    environment.table(4, leaving("g1", 4, Stay.EXPIRING));
    host.timePassed();
    int before = environment.reports.size();
    environment.pass(1_001);
    host.timePassed();
    assertThat(environment.reports).hasSize(before + 1);
  }

  @Test
  void aHostThatTheTableHasLostIsMadeKnownAgainWhileASampleOfItIsKept() {
    Holders admitted =
        new Holders(
            "g1", 3, Set.of(), List.of(), Optional.empty(), Stay.KEPT, new Admission("red", 17));
    environment.table(4, admitted);
    host.timePassed();
    environment.tables(5, Map.of(), "g1", "g2", "g3");
    host.timePassed();
    host.timePassed();
    assertThat(environment.registered).as("once a second").containsExactly(HOST);
    assertThat(environment.admissions).containsExactly(new Admission("red", 17));
    environment.pass(1_000);
    host.timePassed();
    assertThat(environment.registered).hasSize(2);
    environment.pass(environment.retentionMillis());
    host.timePassed();
    assertThat(environment.registered).as("it has expired").hasSize(2);
  }

  @Test
  void everyGatewayRemovesWhatItHasOfAHostThatAnOperatorRemoves() {
    environment.table(4, leaving("g1", 4, Stay.REMOVED));
    assertThat(host.timePassed()).as("as its owner").isTrue();
    assertThat(saysIdle()).isFalse();
    environment.table(4, leaving("g2", 4, Stay.REMOVED));
    assertThat(host.timePassed()).as("as a stranger").isTrue();
    environment.store.forget(HOST);
    environment.table(5, leaving("g1", 5, Stay.REMOVED));
    HostIntake anew = environment.host();
    assertThat(anew.timePassed()).isFalse();
    assertThat(saysIdle()).as("without waiting").isTrue();
    anew.take(body(run, environment.clock()), 0, answers::add);
    assertThat(answers).containsExactly(new IntakeAnswer.SlowDown(HostRoles.RETRY_MILLIS));
  }

  @Test
  void aReplicaRemovesWhatItHasOfAHostThatAnOperatorRemoves() {
    environment.table(4, holders("g2", 4, copy("g1", 4)));
    host.timePassed();
    Holders held = holders("g2", 5, copy("g1", 4));
    environment.table(
        5,
        new Holders(
            held.owner(),
            5,
            Set.of(),
            held.copies(),
            Optional.empty(),
            Stay.REMOVED,
            Admission.UNKNOWN));
    assertThat(host.timePassed()).isTrue();
  }

  private static Holders leaving(String owner, long since, Stay stay) {
    return new Holders(
        owner, since, Set.of(), List.of(), Optional.empty(), stay, Admission.UNKNOWN);
  }

  private void take() {
    host.take(body(run, environment.clock()), 0, answers::add);
  }

  private boolean saysIdle() {
    return environment.reports.getLast().idle();
  }
}
