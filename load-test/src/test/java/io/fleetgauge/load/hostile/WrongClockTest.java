package io.fleetgauge.load.hostile;

import static io.fleetgauge.load.hostile.ProcessCluster.metric;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.load.fleet.LaunchedProcess;
import io.fleetgauge.load.fleet.QueryClient;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node's clock is days wrong, and is set right while everything runs. */
class WrongClockTest {
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final long DAYS = 3 * 86_400;

  @TempDir private Path folder;

  @Test
  void samplesFromTheFutureAreRefusedAndNamedAndTheNextOnesAreTaken() throws Exception {
    try (ProcessCluster cluster = new ProcessCluster(folder)) {
      cluster.startGateways();
      cluster.query();
      setClock(DAYS);
      LaunchedProcess probe = cluster.probe(wrongClock());
      await()
          .atMost(SOON)
          .ignoreExceptions()
          .until(
              () -> metric(cluster.probeAddress(), "fleetgauge_probe_samples_refused_total") > 100);
      assertThat(metric(cluster.probeAddress(), "fleetgauge_probe_samples_kept_total")).isZero();
      assertThat(probe.output()).contains("samples are rejected: out of bounds: the time ");
      QueryClient client = cluster.client();
      String later = "node_load1 @ " + (System.currentTimeMillis() / 1_000 + DAYS);
      assertThat(client.values(later, "Hostname")).isEmpty();
      setClock(0);
      awaitSampleOfNow(client);
      // The other way: what is written of the past does not cover what is known of the present.
      setClock(-DAYS);
      double refused = metric(cluster.probeAddress(), "fleetgauge_probe_samples_refused_total");
      await()
          .atMost(SOON)
          .ignoreExceptions()
          .until(
              () ->
                  metric(cluster.probeAddress(), "fleetgauge_probe_samples_refused_total")
                      > refused + 100);
      assertThat(probe.output()).contains("samples are rejected: too old sample: the time ");
      setClock(0);
      awaitSampleOfNow(client);
      assertThat(metric(cluster.probeAddress(), "fleetgauge_probe_samples_dropped_total")).isZero();
    }
  }

  @Test
  void aNodeWhoseClockIsLateFromTheBeginningIsKeptAtItsTimesAndFoundWhenItIsSetRight()
      throws Exception {
    try (ProcessCluster cluster = new ProcessCluster(folder)) {
      cluster.startGateways();
      cluster.query();
      setClock(-DAYS);
      cluster.probe(wrongClock());
      QueryClient client = cluster.client();
      await()
          .atMost(SOON)
          .ignoreExceptions()
          .until(
              () -> {
                String then = "node_load1 @ " + (System.currentTimeMillis() / 1_000 - DAYS);
                return client.values(then, "Hostname").containsKey("n1");
              });
      assertThat(client.values("node_load1", "Hostname")).isEmpty();
      setClock(0);
      awaitSampleOfNow(client);
    }
  }

  private static void awaitSampleOfNow(QueryClient client) {
    long now = System.currentTimeMillis() / 1_000;
    await()
        .atMost(SOON)
        .ignoreExceptions()
        .untilAsserted(
            () ->
                assertThat(client.values("timestamp(node_load1)", "Hostname").get("n1"))
                    .isBetween(now - 1.0, now + 60.0));
  }

  private void setClock(long seconds) throws Exception {
    byte[] offset = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder()).putLong(seconds).array();
    // In place: the probe has the file in its memory.
    Files.write(
        folder.resolve("offset"), offset, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  private Map<String, String> wrongClock() throws Exception {
    Path library = folder.resolve("shifted_clock.so");
    Path source =
        Path.of(System.getProperty("fleetgauge.root"), "load-test/src/test/c/shifted_clock.c");
    String compiler = System.getenv().getOrDefault("CC", "cc");
    Process compiled =
        new ProcessBuilder(
                compiler, "-shared", "-fPIC", "-o", library.toString(), source.toString(), "-ldl")
            .inheritIO()
            .start();
    assertThat(compiled.waitFor(120, TimeUnit.SECONDS) && compiled.exitValue() == 0).isTrue();
    return Map.of(
        "LD_PRELOAD", library.toString(), "CLOCK_OFFSET_FILE", "" + folder.resolve("offset"));
  }
}
