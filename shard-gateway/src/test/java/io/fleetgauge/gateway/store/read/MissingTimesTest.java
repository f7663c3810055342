package io.fleetgauge.gateway.store.read;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MissingTimesTest {
  private final MissingTimes missing = new MissingTimes();

  @Test
  void nothingIsMissingAtFirst() {
    assertThat(missing.overlaps(Long.MIN_VALUE, Long.MAX_VALUE)).isFalse();
    assertThat(missing.hasGaps()).isFalse();
    assertThat(missing.hasLost()).isFalse();
  }

  @Test
  void aRangeIsClosedOnTheLeftAndOpenOnTheRight() {
    missing.addLost(new MissingTimes.Range(100, 200));
    // Asked are the samples after the first and up to the second time.
    assertThat(missing.overlaps(0, 99)).isFalse();
    assertThat(missing.overlaps(0, 100)).isTrue();
    assertThat(missing.overlaps(199, 300)).isTrue();
    assertThat(missing.overlaps(200, 300)).isFalse();
    assertThat(missing.hasLost()).isTrue();
    assertThat(missing.hasGaps()).isFalse();
  }

  @Test
  void gapsAreClosedTogetherAndLossesAreNot() {
    missing.addLost(new MissingTimes.Range(0, 10));
    missing.addGap(100, 110);
    missing.addGap(200, 210);
    assertThat(missing.overlaps(99, 105)).isTrue();
    assertThat(missing.overlaps(150, 205)).isTrue();
    assertThat(missing.overlaps(110, 199)).isFalse();
    missing.closeGaps();
    assertThat(missing.overlaps(99, 300)).isFalse();
    assertThat(missing.overlaps(-1, 5)).isTrue();
  }

  @Test
  void whatHasExpiredIsForgotten() {
    missing.addLost(new MissingTimes.Range(0, 10));
    missing.addGap(0, 20);
    missing.forgetBefore(10);
    assertThat(missing.hasLost()).isFalse();
    assertThat(missing.hasGaps()).isTrue();
    missing.forgetBefore(19);
    assertThat(missing.hasGaps()).isTrue();
    missing.forgetBefore(20);
    assertThat(missing.hasGaps()).isFalse();
  }

  @Test
  void tooManyGapsGrowTogetherAndNoTimeIsForgotten() {
    for (int i = 0; i < 100; i++) {
      missing.addGap(i * 1_000, i * 1_000 + 10);
    }
    for (int i = 0; i < 100; i++) {
      assertThat(missing.overlaps(i * 1_000, i * 1_000 + 5)).isTrue();
    }
    missing.addGap(-50, -40);
    assertThat(missing.overlaps(-51, -45)).isTrue();
  }
}
