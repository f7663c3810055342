package io.fleetgauge.query.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CrowdTest {
  private static final long SECOND = 1_000_000_000;
  private static final long MILLI = SECOND / 1_000;

  private final AtomicLong now = new AtomicLong(-3 * SECOND);
  private final Crowd crowd = new Crowd(now::get);

  @Test
  void oneWhoAsksAsSoonAsItIsAnsweredIsNotMadeToWait() {
    for (int i = 0; i < 5_000; i++) {
      crowd.asks(4711);
      now.addAndGet(MILLI);
      crowd.answered(4711);
      now.addAndGet(MILLI / 2);
      assertThat(crowd.patienceMillis()).isZero();
    }
  }

  @Test
  void manyWhoShareAConnectionAreACrowd() {
    for (int i = 0; i < 100; i++) {
      crowd.asks(4711);
      now.addAndGet(MILLI);
      crowd.answered(4711);
      now.addAndGet(4 * MILLI);
    }
    assertThat(crowd.patienceMillis()).isEqualTo(50);
  }

  @Test
  void ofManyEachWaitsALittleAndNeverLong() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 7; i++) {
      crowd.asks(random.nextInt());
    }
    assertThat(crowd.patienceMillis()).isZero();
    for (int i = 0; i < 10; i++) {
      crowd.asks(random.nextInt());
    }
    assertThat(crowd.patienceMillis()).isEqualTo(17);
    for (int i = 0; i < 1_000; i++) {
      crowd.asks(random.nextInt());
    }
    assertThat(crowd.patienceMillis()).isEqualTo(50);
  }

  @Test
  void aCrowdThatHasGoneIsForgotten() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 100; i++) {
      crowd.asks(random.nextInt());
    }
    now.addAndGet(SECOND);
    assertThat(crowd.patienceMillis()).isZero();
  }
}
