package io.fleetgauge.gateway.ingest.host;

import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.HOST;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.body;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.holders;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.gateway.store.HostPage;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One host of gateway g1, which owns it. */
class HostIntakeTest {
  private static final int SERIES = 4_000;

  private final ManualEnvironment environment = new ManualEnvironment("g1", 1);
  private final FrameEncoder run = new FrameEncoder(HOST, 7);
  private final List<IntakeAnswer> answers = new ArrayList<>();

  @BeforeEach
  void begin() {
    environment.table(3, holders("g1", 3));
  }

  @Test
  void bodiesComeAgainWhileTooMuchWaitsForThePast() {
    HostIntake host = new HostIntake(HOST, environment.lane(HOST), environment, true, at -> {});
    long bytes = 0;
    while (bytes <= HostIntake.MAX_WAITING_BYTES) {
      take(host);
      bytes += 64 + 12 * SERIES;
    }
    assertThat(environment.counts().queueFull.sum()).isZero();
    assertThat(answers).isEmpty();
    take(host);
    assertThat(answers)
        .containsExactly(new IntakeAnswer.SlowDown(AdmissionControl.FULL_RETRY_MILLIS));
    assertThat(environment.counts().queueFull.sum()).isEqualTo(1);
    long ticks = bytes / (64 + 12 * SERIES);
    assertThat(environment.journal).as("what waits is in the journal").hasSize((int) ticks);
    host.recovered();
    answers.clear();
    take(host);
    assertThat(answers).isEmpty();
    assertThat(environment.journal).hasSize((int) ticks + 1);
  }

  @Test
  void theJournalGetsBodiesAsTheyAreWhileItHasTheDictionary() {
    HostIntake host = environment.host();
    byte[] first = body(run, 1_000);
    byte[] second = body(run, 2_000);
    host.take(first, 0, answers::add);
    host.take(second, 0, answers::add);
    assertThat(environment.journal.remove().record()).isEqualTo(first);
    assertThat(environment.journal.remove().record()).isEqualTo(second);
  }

  @Test
  void aPageThatTheJournalDoesNotTakeIsNotKept() throws Exception {
    HostIntake host = environment.host();
    byte[] page = body(new FrameEncoder(HOST, HostPage.RUN), 1_000);
    List<Boolean> kept = new ArrayList<>();
    environment.isDiskFailing = true;
    host.merge(page, kept::add);
    assertThat(kept).containsExactly(false);
    environment.isDiskFailing = false;
    host.merge(page, kept::add);
    assertThat(environment.journal.element().forced()).isFalse();
    assertThat(environment.journal.element().record()).isEqualTo(page);
    environment.journalWrites(true);
    assertThat(kept).containsExactly(false, true);
    assertThat(environment.counts().pagesMerged.sum()).isEqualTo(2);
  }

  @Test
  void anOfferIsNotAcceptedWhenTheDiskFailsBehindIt() {
    HostIntake host = environment.host();
    host.timePassed();
    List<Boolean> merged = new ArrayList<>();
    host.offered("g2", merged::add);
    environment.isDiskFailing = true;
    environment.pullEnds(ManualPeers.EQUAL);
    assertThat(merged).containsExactly(false);
  }

  @Test
  void aHostIsBlankUntilSomethingOfItIsHereAndWholeWhenNothingWaits() {
    HostIntake host = new HostIntake(HOST, environment.lane(HOST), environment, true, at -> {});
    assertThat(host.state().blank()).isTrue();
    assertThat(host.state().whole()).as("the past is not back").isFalse();
    host.take(body(run, 5_000), 0, answers::add);
    assertThat(host.state().blank()).as("it waits").isTrue();
    assertThat(host.state().before()).isEqualTo(4_999);
    host.recovered();
    assertThat(host.state().blank()).isFalse();
    assertThat(host.state().whole()).isTrue();
    assertThat(host.state().before()).isEqualTo(Long.MAX_VALUE);
    environment.isRecovered = false;
    assertThat(host.state().whole()).as("other hosts are not back").isFalse();
  }

  @Test
  void aCheckSaysWhatIsAheadOfTheClock() {
    HostIntake host = environment.host();
    byte[] body = body(run, environment.latestTime() + 1);
    assertThat(host.check(body))
        .isInstanceOfSatisfying(
            IntakeAnswer.Kept.class, kept -> assertThat(kept.refused()).isEqualTo(1));
    assertThat(host.check(join(run.dictionary(), body(run, environment.latestTime()))))
        .isEqualTo(new IntakeAnswer.Kept(7, 2));
    assertThat(environment.journal).isEmpty();
  }

  @Test
  void theHostsTimeGoesOnSinceItsLastBody() {
    HostIntake host = environment.host();
    host.take(body(run, 5_000), 0, answers::add);
    assertThat(host.now(environment.clock())).isEqualTo(5_000);
    environment.pass(700);
    assertThat(host.now(environment.clock())).isEqualTo(5_700);
  }

  @Test
  void aBodyIsNotAnsweredWhenWhatItShowsToBeMissingCannotBeAskedFor() {
    HostIntake host = environment.host();
    host.take(body(run, 1_000), 0, answers::add);
    environment.journalWrites(true);
    answers.clear();
    body(run, 2_000); // another gateway acknowledged it
    byte[] third = body(run, 3_000);
    environment.peers.areClosed = true;
    assertThatThrownBy(() -> host.take(third, 2, answers::add)).hasMessage("closed");
    assertThat(environment.journal).isEmpty();
    assertThat(answers).as("whoever catches it answers").isEmpty();
    assertThat(environment.namesAGap()).isTrue();
    environment.peers.areClosed = false;
    host.take(third, 2, answers::add);
    environment.journalWrites(true);
    assertThat(answers).containsExactly(new IntakeAnswer.Kept(7, 3));
    environment.pass(1_000);
    host.timePassed();
    assertThat(environment.pulls).as("it is asked for again").hasSize(2);
  }

  private void take(HostIntake host) {
    Tick.Builder tick = new Tick.Builder();
    for (int i = 0; i < SERIES; i++) {
      tick.add(Labels.of(Labels.NAME, "m", "i", "" + i), i);
    }
    host.take(run.encode(tick.at(1_000 + run.sequence())), 0, answers::add);
  }
}
