package io.fleetgauge.query.peers;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SharedLimitsTest {
  @Test
  void aQueryApiThatHasNotJoinedHasTheWholeOfEachLimit() {
    SharedLimits limits = new SharedLimits();
    assertThat(limits.running("a", 8)).isEqualTo(8);
    assertThat(limits.inFlight(256)).isEqualTo(256);
  }
}
