package io.fleetgauge.gateway.store.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.store.owner.Dimensions;
import org.junit.jupiter.api.Test;

class HostViewTest {
  private final HostView view = new HostView("n1", Dimensions.DEFAULT);

  @Test
  void aHostWithoutTicksHasNoTimes() {
    assertThat(view.newest()).isEqualTo(HostView.NEVER);
    assertThat(view.oldest()).isEqualTo(Long.MAX_VALUE);
    assertThat(view.tickMillis()).isEqualTo(15_000);
    assertThat(view.ticksIn(Long.MIN_VALUE, Long.MAX_VALUE)).isZero();
    assertThat(view.host()).isEqualTo("n1");
  }

  @Test
  void ticksMoveTheNewestAndTheOldestTime() {
    view.publishTick(1_000);
    view.publishTick(5_000);
    view.publishTick(500);
    view.publishTick(4_000);
    assertThat(view.newest()).isEqualTo(5_000);
    assertThat(view.oldest()).isEqualTo(500);
  }

  @Test
  void theTimeBetweenTicksMovesAnEighthTowardsEachNewOne() {
    view.publishTick(0);
    assertThat(view.tickMillis()).isEqualTo(15_000);
    view.publishTick(7_000);
    assertThat(view.tickMillis()).isEqualTo((7 * 15_000 + 7_000) / 8);
    long before = view.tickMillis();
    view.publishTick(3_000); // a late tick says nothing of the distance
    assertThat(view.tickMillis()).isEqualTo(before);
    for (int i = 1; i < 200; i++) {
      view.publishTick(7_000 + i);
    }
    assertThat(view.tickMillis()).isEqualTo(1);
  }

  @Test
  void ticksInATimeAreEstimatedFromTheirDistance() {
    for (int i = 0; i <= 100; i++) {
      view.publishTick(i * 15_000);
    }
    assertThat(view.ticksIn(-1, 100 * 15_000)).isEqualTo(101);
    assertThat(view.ticksIn(0, 15_000)).isEqualTo(2);
    assertThat(view.ticksIn(0, 14_999)).isEqualTo(1);
    assertThat(view.ticksIn(Long.MIN_VALUE, Long.MAX_VALUE)).isEqualTo(101);
    assertThat(view.ticksIn(100 * 15_000, Long.MAX_VALUE)).isEqualTo(1);
    assertThat(view.ticksIn(100 * 15_000 + 1, Long.MAX_VALUE)).isZero();
    assertThat(view.ticksIn(Long.MIN_VALUE, -1)).isZero();
  }

  @Test
  void theTimeAfterTheLastIsTheLast() {
    assertThat(HostView.after(5)).isEqualTo(6);
    assertThat(HostView.after(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    assertThat(HostView.after(Long.MIN_VALUE)).isEqualTo(Long.MIN_VALUE + 1);
  }
}
