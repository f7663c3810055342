package io.fleetgauge.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReplicaWatchTest {
  private final ReplicaWatch watch = new ReplicaWatch();

  @Test
  void copiesCountWhenTheyWereCompleteForSomeTime() {
    assertThat(watch.incomplete()).contains("has not joined");
    watch.look("", 1_000);
    assertThat(watch.incomplete()).contains("must hold for 10 s");
    watch.look("3 of 9 hosts", 5_000);
    assertThat(watch.incomplete()).isEqualTo("3 of 9 hosts");
    watch.look("", 6_000);
    watch.look("", 15_999);
    assertThat(watch.isDone()).isFalse();
    watch.look("", 16_000);
    assertThat(watch.isDone()).isTrue();
    assertThat(watch.incomplete()).isEmpty();
  }

  @Test
  void aGatewayStaysFitWhenAnotherOneFailsLater() {
    watch.look("", 0);
    watch.look("", ReplicaWatch.COMPLETE_MILLIS);
    watch.look("3 of 9 hosts", 60_000);
    assertThat(watch.incomplete()).isEmpty();
  }
}
