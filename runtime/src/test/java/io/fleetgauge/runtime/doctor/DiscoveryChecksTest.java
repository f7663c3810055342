package io.fleetgauge.runtime.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.runtime.config.DiscoverySettings;
import io.fleetgauge.runtime.key.ConfigReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiscoveryChecksTest {
  @TempDir private Path folder;

  private List<Finding> findings(Path file) throws Exception {
    String yaml = "cluster: {discovery: {method: file, file: {path: '%s'}}}".formatted(file);
    Findings findings = new Findings();
    DiscoveryChecks.of(
            DiscoverySettings.readForMember(new ConfigReader("f", yaml), 5701, Optional.empty()))
        .accept(findings);
    return findings.all();
  }

  @Test
  void whoIsDiscoveredAndDoesNotAcceptConnectionsIsNamed() throws Exception {
    try (ServerSocket here = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String there = "127.0.0.1:" + here.getLocalPort();
      Path file = Files.writeString(folder.resolve("gateways"), "[\"" + there + "\", 127.0.0.1:1]");
      assertThat(findings(file))
          .satisfiesExactly(
              found -> assertThat(found.text()).contains("cluster.discovery", there),
              away -> {
                assertThat(away.outcome()).isEqualTo(Finding.Outcome.WARNING);
                assertThat(away.text()).contains("[127.0.0.1:1]");
              });
    }
  }

  @Test
  void anAnswerThatCannotBeUsedIsAFailureWithItsReason() throws Exception {
    Path missing = folder.resolve("missing");
    assertThat(findings(missing))
        .singleElement()
        .satisfies(
            only -> {
              assertThat(only.outcome()).isEqualTo(Finding.Outcome.FAILURE);
              assertThat(only.text()).contains("cluster.discovery", missing.toString());
            });
  }
}
