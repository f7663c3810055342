package io.fleetgauge.query.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DelaysTest {
  @Test
  void aSecondReaderIsAskedAfterWhatNineteenOfTwentyAnswersTook() {
    Delays delays = new Delays();
    for (int i = 1; i <= 112; i++) {
      delays.took(TimeUnit.MILLISECONDS.toNanos(i));
    }
    assertThat(delays.p95Millis()).isBetween(105L, 109L);
  }

  @Test
  void itIsNeverAskedAtOnceNorAfterMoreThanHalfASecond() {
    Delays quick = new Delays();
    Delays slow = new Delays();
    for (int i = 0; i < 100; i++) {
      quick.took(1_000);
      slow.took(TimeUnit.SECONDS.toNanos(9));
    }
    assertThat(quick.p95Millis()).isEqualTo(10);
    assertThat(slow.p95Millis()).isEqualTo(500);
    assertThat(new Delays().p95Millis()).as("while little is known").isEqualTo(100);
  }

  @Test
  void theOrderInWhichAnswersCameDoesNotMatter() {
    Delays delays = new Delays();
    for (int i = 112; i >= 1; i--) {
      delays.took(TimeUnit.MILLISECONDS.toNanos(i));
    }
    assertThat(delays.p95Millis()).isBetween(105L, 109L);
  }

  @Test
  void itIsComputedAgainAfterEverySixteenAnswers() {
    Delays delays = new Delays();
    for (int i = 0; i < 15; i++) {
      delays.took(TimeUnit.MILLISECONDS.toNanos(30));
    }
    assertThat(delays.p95Millis()).as("too little is known").isEqualTo(100);
    delays.took(TimeUnit.MILLISECONDS.toNanos(30));
    assertThat(delays.p95Millis()).isEqualTo(31);
    for (int i = 0; i < 15; i++) {
      delays.took(TimeUnit.MILLISECONDS.toNanos(60));
    }
    assertThat(delays.p95Millis()).isEqualTo(31);
    delays.took(TimeUnit.MILLISECONDS.toNanos(60));
    assertThat(delays.p95Millis()).isEqualTo(61);
  }

  @Test
  void onlyTheLastAnswersCount() {
    Delays delays = new Delays();
    for (int i = 0; i < 1_000; i++) {
      delays.took(TimeUnit.MILLISECONDS.toNanos(i < 500 ? 400 : 20));
    }
    assertThat(delays.p95Millis()).isEqualTo(21);
  }
}
