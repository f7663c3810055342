package io.fleetgauge.cluster.status;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostSilenceTest {
  @ParameterizedTest
  @CsvSource({
    "1000, 30000, true",
    "1000, 30001, false",
    "7500, 30000, true",
    "15000, 60000, true",
    "15000, 60001, false",
    "15000, -5, true"
  })
  void aHostIsUpUntilItMissesFourTicksAndThirtySeconds(long tick, long silence, boolean up) {
    long now = 1_795_300_000_000L;
    assertThat(HostSilence.isUp(now - silence, tick, now)).isEqualTo(up);
  }
}
