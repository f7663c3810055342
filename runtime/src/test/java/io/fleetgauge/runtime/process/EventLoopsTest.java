package io.fleetgauge.runtime.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.BindException;
import org.junit.jupiter.api.Test;

class EventLoopsTest {
  @Test
  void aPortInUseIsRecognizedAtAnyDepthAndOnEitherTransport() {
    assertThat(EventLoops.isTaken(new BindException("any"))).isTrue();
    assertThat(EventLoops.isTaken(new IOException("outer", new BindException()))).isTrue();
    assertThat(
            EventLoops.isTaken(
                new RuntimeException(new IOException("bind(..) failed: Address already in use"))))
        .isTrue();
  }

  @Test
  void anotherFailureIsNotAPortInUse() {
    assertThat(EventLoops.isTaken(new IOException())).isFalse();
    assertThat(EventLoops.isTaken(new IOException("permission denied", new Error()))).isFalse();
  }
}
