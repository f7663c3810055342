package io.fleetgauge.runtime.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MainTest {
  @Test
  void wrongUsageHasAnExitCodeOfItsOwn() {
    assertThat(Main.run()).isEqualTo(2);
    assertThat(Main.run("nosuch")).isEqualTo(2);
    assertThat(Main.run("--help")).isZero();
    assertThat(Main.run("--version")).isZero();
  }
}
