package io.fleetgauge.query.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ClusterHealthTest {
  private static final long MAX = 10_000;

  private long millis;
  private final ClusterHealth health =
      new ClusterHealth(MAX, () -> TimeUnit.MILLISECONDS.toNanos(millis));

  private void answers(int count, long each) {
    for (int i = 0; i < count; i++) {
      long began = health.now();
      millis += each;
      health.answered(began, true);
    }
  }

  @Test
  void theDeadlineIsThreeTimesThatOfMostAnswersWithinBounds() {
    assertThat(health.deadlineMillis()).isEqualTo(5_000);
    answers(15, 1);
    assertThat(health.deadlineMillis()).isEqualTo(5_000);
    answers(1, 1);
    assertThat(health.deadlineMillis()).isEqualTo(ClusterHealth.MIN_MILLIS);
    answers(256, 800);
    assertThat(health.deadlineMillis()).isEqualTo(3 * 801);
    answers(256, 9_000);
    assertThat(health.deadlineMillis()).isEqualTo(MAX);
  }

  @Test
  void oneSlowAnswerOfManyDecidesNothing() {
    answers(255, 900);
    answers(1, 9_000);
    assertThat(health.deadlineMillis()).isEqualTo(3 * 901);
  }

  @Test
  void aClusterThatAnsweredNothingInItsTimeIsGoneUntilItAnswers() {
    answers(20, 10);
    long began = health.now();
    millis += 1_000;
    health.late(began, 2_000, "no answer within 1000 ms");
    assertThat(health.gone()).isEqualTo("no answer within 1000 ms");
    answers(1, 10);
    assertThat(health.gone()).isEmpty();
  }

  @Test
  void aClusterThatAnsweredAnotherRequestMeanwhileIsSlowAndNotGone() {
    answers(20, 10);
    long began = health.now();
    answers(1, 10);
    millis += 1_000;
    health.late(began, 2_000, "no answer within 1000 ms");
    assertThat(health.gone()).isEmpty();
    // The next ones may take longer.
    assertThat(health.deadlineMillis()).isEqualTo(3 * 2_001);
  }

  @Test
  void longAnswersThatAreExpectedDoNotMoveTheDeadline() {
    answers(20, 10);
    long began = health.now();
    millis += 60_000;
    health.answered(began, false);
    assertThat(health.deadlineMillis()).isEqualTo(ClusterHealth.MIN_MILLIS);
  }
}
