package io.fleetgauge.load.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Single processes from configuration files, each in a JVM of its own. */
class ProcessesTest {
  private static final int TERMINATED = 143;

  @TempDir Path folder;

  @Test
  void probeGatewayAndQueryApiFindEachOtherAndStopInOrder() throws Exception {
    List<Integer> ports = LocalPorts.free(5);
    String cluster =
        "cluster: {name: test-%d, port: %d, members: [\"127.0.0.1:%d\", \"127.0.0.1:%d\"]}\n";
    String gateway =
        file(
            "gateway.yaml",
            "id: g1\nhttp: {host: 127.0.0.1, port: %d}\n".formatted(ports.get(0))
                + cluster.formatted(ports.get(3), ports.get(3), ports.get(3), ports.get(4))
                + "log: {format: json}\n");
    String query =
        file(
            "query.yaml",
            "http: {host: 127.0.0.1, port: %d}\n".formatted(ports.get(1))
                + cluster.formatted(ports.get(3), ports.get(4), ports.get(3), ports.get(4)));
    String probe =
        file(
            "probe.yaml",
            "hostname: n1\ntick: 1s\nhttp: {host: 127.0.0.1, port: %d}\n".formatted(ports.get(2))
                + "gateways: [\"http://127.0.0.1:%d\"]\n".formatted(ports.get(0)));
    try (LaunchedProcess g = new LaunchedProcess(folder, "gateway", "--config", gateway);
        LaunchedProcess q = new LaunchedProcess(folder, "query", "--config", query);
        LaunchedProcess p = new LaunchedProcess(folder, "probe", "--config", probe)) {
      QueryClient client = new QueryClient(ports.get(1));
      await()
          .atMost(Duration.ofMinutes(10))
          .ignoreExceptions()
          .untilAsserted(
              () ->
                  assertThat(client.values("count by (Hostname) (node_load1)", "Hostname"))
                      .containsEntry("n1", 1.0));
      assertThat(g.output()).contains("{\"sequenceNumber\":").contains("\"formattedMessage\":");
      assertThat(q.output()).contains(" INFO  QueryProcess - query API at ");
      try (LaunchedProcess drain =
          new LaunchedProcess(folder, "gateway", "--drain", "--config", gateway)) {
        assertThat(drain.exitCode()).as(drain.output()).isZero();
        assertThat(g.exitCode()).as(g.output()).isZero();
      }
      try (LaunchedProcess again =
          new LaunchedProcess(folder, "gateway", "--drain", "--config", gateway)) {
        assertThat(again.exitCode()).isEqualTo(1);
        assertThat(again.output()).contains("no gateway responds: http").doesNotContain("\tat ");
      }
      for (LaunchedProcess process : List.of(p, q)) {
        process.process.destroy();
        assertThat(process.exitCode()).isEqualTo(TERMINATED);
        assertThat(process.output()).doesNotContain("did not stop within").doesNotContain("ERROR");
      }
    }
  }

  @Test
  void aWrongConfigurationIsToldInFullAndTheProcessEnds() throws Exception {
    String file = file("wrong.yaml", "tick: soon\nhttp: {port: -1}\nnosuch: 1\n");
    try (LaunchedProcess probe = new LaunchedProcess(folder, "probe", "--config", file)) {
      assertThat(probe.exitCode()).isEqualTo(1);
      assertThat(probe.output())
          .contains(
              "wrong.yaml has 3 problems:", "tick: soon", "http.port: -1", "nosuch: no such key")
          .doesNotContain("\tat ");
    }
    try (LaunchedProcess none = new LaunchedProcess(folder, "query", "--config", "nosuch.yaml")) {
      assertThat(none.exitCode()).isEqualTo(1);
      assertThat(none.output()).contains("nosuch.yaml cannot be read").doesNotContain("\tat ");
    }
  }

  private String file(String name, String content) throws IOException {
    return Files.writeString(folder.resolve(name), content).toString();
  }
}
