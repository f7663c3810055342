package io.fleetgauge.runtime.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.runtime.config.HttpSettings;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PortChecksTest {
  @ParameterizedTest
  @CsvSource({
    "0.0.0.0, http://127.0.0.1:9500",
    "'::', 'http://[::1]:9500'",
    "fd00::7, 'http://[fd00::7]:9500'",
    "'[fd00::7]', 'http://[fd00::7]:9500'",
    "10.0.0.1, http://10.0.0.1:9500",
  })
  void aProcessIsAskedAtTheAddressThatItListensOn(String host, String address) {
    assertThat(PortChecks.local(new HttpSettings(host, 9500))).hasToString(address);
  }
}
