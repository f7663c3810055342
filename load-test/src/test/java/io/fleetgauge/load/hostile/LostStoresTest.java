package io.fleetgauge.load.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.cluster.table.TableForm;
import io.fleetgauge.load.fleet.LaunchedProcess;
import io.fleetgauge.sample.files.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The gateways lose their stores while a query API and a probe run on. */
class LostStoresTest {
  private static final Duration STARTED = Duration.ofMinutes(10);

  @TempDir Path folder;

  @Test
  void theQueryApiAndTheProbeFollowWithoutARestart() throws Exception {
    try (ProcessCluster cluster = new ProcessCluster(folder)) {
      // A cluster that has run for long.
      OwnershipTable old =
          new OwnershipTable(5, 1_000L << 16, List.of("g0", "g1"), new TreeMap<>());
      for (int i = 0; i < cluster.gateways; i++) {
        PrivateFiles.createFolders(cluster.store(i));
        Files.write(cluster.store(i).resolve("table"), TableForm.toBytes(old));
      }
      List<LaunchedProcess> gateways = cluster.startGateways();
      LaunchedProcess query = cluster.query();
      LaunchedProcess probe = cluster.probe();
      awaitSampleAfter(cluster, 0);
      for (LaunchedProcess each : gateways) {
        each.process.destroyForcibly().waitFor();
      }
      for (int i = 0; i < cluster.gateways; i++) {
        remove(cluster.store(i));
      }
      cluster.startGateways();
      awaitSampleAfter(cluster, System.currentTimeMillis() / 1_000);
      assertThat(query.process.isAlive() && probe.process.isAlive()).isTrue();
    }
  }

  private static void awaitSampleAfter(ProcessCluster cluster, long second) {
    await()
        .atMost(STARTED)
        .ignoreExceptions()
        .untilAsserted(
            () ->
                assertThat(cluster.client().values("timestamp(node_load1)", "Hostname").get("n1"))
                    .isGreaterThan(second));
  }

  private static void remove(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }
}
