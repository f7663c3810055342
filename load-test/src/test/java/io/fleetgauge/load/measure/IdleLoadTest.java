package io.fleetgauge.load.measure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The printed cost of idle processes. */
class IdleLoadTest {
  @Test
  void gatewaysAndTheQueryApiAreToldApart() {
    assertThat(IdleLoad.described(new double[] {0.02, 0.0151, 0.031, 0.008}, 3))
        .isEqualTo("idle: 0.074 cores in all (gateway 0.015-0.031, query API 0.008)");
    assertThat(IdleLoad.described(new double[] {0.02, 0.02, 0.008}, 2))
        .isEqualTo("idle: 0.048 cores in all (gateway 0.020, query API 0.008)");
  }

  @Test
  void anotherProgramIsOneProcess() {
    assertThat(IdleLoad.described(new double[] {0.0042}, 1)).isEqualTo("idle: 0.004 cores in all");
  }
}
