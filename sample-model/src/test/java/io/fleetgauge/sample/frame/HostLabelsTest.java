package io.fleetgauge.sample.frame;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Labels;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostLabelsTest {
  private final HostLabels hosts = new HostLabels(List.of("Hostname", "node", "instance"));

  @Test
  void theFirstLabelThatASeriesHasNamesItsHost() {
    assertThat(hosts.hostOf(Labels.of("Hostname", "a", "node", "b", "instance", "c:1")))
        .isEqualTo("a");
    assertThat(hosts.hostOf(Labels.of("node", "b", "instance", "c:1"))).isEqualTo("b");
    assertThat(hosts.hostOf(Labels.of("Hostname", "", "node", "b"))).isEqualTo("b");
    assertThat(hosts.hostOf(Labels.of("job", "x"))).matches("no-host-[0-3]");
  }

  @ParameterizedTest
  @CsvSource({
    "n1:9100, n1",
    "n1, n1",
    "10.0.0.1:9100, 10.0.0.1",
    "[::1]:9100, [::1]",
    "fe80::1, fe80::1",
    "n1:, n1:",
    ":9100, :9100",
    "n1:http, n1:http",
    "n1:91a, n1:91a"
  })
  void anInstanceIsTakenWithoutItsPort(String instance, String host) {
    assertThat(hosts.hostOf(Labels.of("instance", instance))).isEqualTo(host);
  }

  @Test
  void aPortInAnotherLabelBelongsToTheName() {
    assertThat(hosts.hostOf(Labels.of("node", "n1:9100"))).isEqualTo("n1:9100");
  }
}
