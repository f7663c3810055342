package io.fleetgauge.query.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BatchWindowTest {
  private static final long SECOND = 1_000_000_000;
  private static final long MILLI = SECOND / 1_000;

  private final AtomicLong now = new AtomicLong(-3 * SECOND);
  private final BatchWindow window = new BatchWindow(now::get);

  @Test
  void aClientThatAsksAgainAsSoonAsItIsAnsweredDoesNotWait() {
    for (int i = 0; i < 5_000; i++) {
      window.asked(4711);
      now.addAndGet(MILLI);
      window.answered(4711);
      now.addAndGet(MILLI / 2);
      assertThat(window.waitMillis()).isZero();
    }
  }

  @Test
  void manyClientsOnOneConnectionAreABatch() {
    for (int i = 0; i < 100; i++) {
      window.asked(4711);
      now.addAndGet(MILLI);
      window.answered(4711);
      now.addAndGet(4 * MILLI);
    }
    assertThat(window.waitMillis()).isEqualTo(50);
  }

  @Test
  void theAnswerToOneClientDoesNotMakeTheRequestOfAnotherAFollowUp() {
    for (int client = 1; client <= 10; client++) {
      window.answered(client);
      window.asked(client + 100);
    }
    assertThat(window.waitMillis()).isEqualTo(10);
  }

  @Test
  void aRequestFollowsAnAnswerForTwoMilliseconds() {
    for (int client = 1; client <= 10; client++) {
      window.answered(client);
    }
    now.addAndGet(2 * MILLI);
    for (int client = 1; client <= 10; client++) {
      window.asked(client);
    }
    assertThat(window.waitMillis()).isZero();
    now.addAndGet(1);
    for (int client = 1; client <= 10; client++) {
      window.asked(client);
    }
    assertThat(window.waitMillis()).isEqualTo(10);
  }

  @Test
  void manyRequestsWaitOneMillisecondEachAndAtMostFifty() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 7; i++) {
      window.asked(random.nextInt());
    }
    assertThat(window.waitMillis()).isZero();
    for (int i = 0; i < 10; i++) {
      window.asked(random.nextInt());
    }
    assertThat(window.waitMillis()).isEqualTo(17);
    for (int i = 0; i < 1_000; i++) {
      window.asked(random.nextInt());
    }
    assertThat(window.waitMillis()).isEqualTo(50);
  }

  @Test
  void requestsOfMoreThanASecondAgoDoNotCount() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 100; i++) {
      window.asked(random.nextInt());
    }
    now.addAndGet(SECOND);
    assertThat(window.waitMillis()).isZero();
  }
}
