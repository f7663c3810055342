package io.fleetgauge.load.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.load.fleet.LaunchedProcess;
import io.fleetgauge.load.fleet.QueryClient;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.sample.Labels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two clusters of one name, one secret and the same ids on one network. */
@Timeout(600)
class TwoClustersTest {
  @TempDir private Path folder;

  @Test
  void theyStayApartAlsoWhenOneIsStartedAgain() throws Exception {
    Path one = Files.createDirectory(folder.resolve("one"));
    Path two = Files.createDirectory(folder.resolve("two"));
    try (ProcessCluster first = new ProcessCluster(one, 2);
        ProcessCluster second = new ProcessCluster(two, 2, "", first.name)) {
      first.startGateways();
      first.query();
      List<LaunchedProcess> gateways = second.startGateways();
      second.query();
      write(first, 1);
      write(second, 2);
      assertHasOnly(first, 1);
      assertHasOnly(second, 2);
      for (LaunchedProcess each : gateways) {
        each.process.destroyForcibly().waitFor();
      }
      for (LaunchedProcess each : second.startGateways()) {
        assertThat(each.output()).contains("is in cluster " + first.name + " with ");
        assertThat(each.output()).doesNotContain(" with 3 gateways", " with 4 gateways");
      }
      assertHasOnly(first, 1);
      assertHasOnly(second, 2);
    }
  }

  private static void write(ProcessCluster cluster, double value) throws Exception {
    Labels labels = Labels.of(Labels.NAME, "value", "Hostname", "n1");
    cluster.write(0, RemoteWriteBody.v1().series(labels, System.currentTimeMillis(), value));
  }

  private static void assertHasOnly(ProcessCluster cluster, double value) {
    QueryClient client = cluster.client();
    await()
        .atMost(Duration.ofMinutes(10))
        .ignoreExceptions()
        .untilAsserted(
            () ->
                assertThat(client.values("last_over_time(value[10m])", "Hostname"))
                    .isEqualTo(Map.of("n1", value)));
  }
}
