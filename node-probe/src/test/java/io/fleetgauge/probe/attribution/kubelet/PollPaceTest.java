package io.fleetgauge.probe.attribution.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PollPaceTest {
  private final PollPace pace = new PollPace(Duration.ofSeconds(10));

  @Test
  void theFirstPollIsDueAtOnceWhateverTheClockShows() {
    assertThat(pace.isDue(Long.MIN_VALUE / 2, "s")).isTrue();
    assertThat(new PollPace(Duration.ofSeconds(10)).isDue(Long.MAX_VALUE / 2, "s")).isTrue();
  }

  @Test
  void afterAnAnswerTheNextPollIsDueInTime() {
    pace.succeeded(0, "s");
    assertThat(pace.isDue(8_999, "s")).isFalse();
    assertThat(pace.isDue(9_000, "s")).as("a timer that fires a little early").isTrue();
  }

  @Test
  void eachFailureDoublesTheTimeUpToAMinuteAndAnAnswerEndsThat() {
    long now = 0;
    for (long wait : new long[] {20_000, 40_000, 60_000, 60_000}) {
      pace.failed(now, "s");
      assertThat(pace.isDue(now + wait - 1_001, "s")).isFalse();
      now += wait;
      assertThat(pace.isDue(now, "s")).isTrue();
    }
    for (int i = 0; i < 100; i++) {
      pace.failed(now, "s");
    }
    assertThat(pace.isDue(now + 60_000, "s")).isTrue();
    pace.succeeded(now, "s");
    pace.failed(now, "s");
    assertThat(pace.isDue(now + 20_000, "s")).isTrue();
  }

  @Test
  void aPaceSlowerThanAMinuteStays() {
    PollPace slow = new PollPace(Duration.ofMinutes(10));
    slow.failed(0, "s");
    assertThat(slow.isDue(500_000, "s")).isFalse();
    assertThat(slow.isDue(600_000, "s")).isTrue();
  }

  @Test
  void whereNobodyListensTheTimeStaysAndANewSocketIsAskedAtOnce() {
    pace.failed(0, "s");
    pace.foundNobody(60_000, "");
    pace.foundNobody(70_000, "");
    assertThat(pace.isDue(80_000, "")).isTrue();
    pace.failed(80_000, "t");
    assertThat(pace.isDue(80_001, "t")).isFalse();
    assertThat(pace.isDue(80_001, "u")).isTrue();
  }
}
