package io.fleetgauge.load.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.load.compare.PrometheusServer;
import io.fleetgauge.load.fleet.LaunchedProcess;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.PeerPrograms;
import io.fleetgauge.load.fleet.QueryClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The real Prometheus and vmagent write to gateways that are killed and come back. */
@Timeout(600)
class RealSendersTest {
  private static final int HOSTS = 6;
  private static final Duration STARTED = Duration.ofMinutes(10);

  @TempDir private Path folder;

  @Test
  void nothingThatTheySendIsLostOrChangedWhenTheGatewaysThatTheyWriteToDie() throws Exception {
    try (ProcessCluster cluster = new ProcessCluster(folder, 3)) {
      List<LaunchedProcess> gateways = cluster.startGateways();
      cluster.query();
      int port = LocalPorts.free(1).getFirst();
      Path home = Files.createDirectory(folder.resolve("prometheus"));
      Files.writeString(
          home.resolve("prometheus.yml"),
          scrapes(port, "prometheus")
              + "remote_write:\n  - url: %s/api/v1/write\n".formatted(cluster.address(0)));
      try (PrometheusServer _ = PrometheusServer.of(home, port);
          Agent _ = new Agent(port, cluster)) {
        QueryClient ours = cluster.client();
        QueryClient theirs = new QueryClient(port);
        awaitFresh(ours, 0);
        for (int victim : new int[] {1, 0}) {
          gateways.get(victim).process.destroyForcibly().waitFor();
          // The others go on, for as long as a sender without another address has to wait.
          String other = victim == 0 ? "agent" : "prometheus";
          awaitFresh(ours, System.currentTimeMillis() + 3_000, other);
          gateways.set(victim, cluster.gateway(victim, cluster.rightSecret()));
          awaitFresh(ours, System.currentTimeMillis());
        }
        String end = " @ " + System.currentTimeMillis() / 1_000.0;
        for (int host = 0; host < HOSTS; host++) {
          String appended =
              "prometheus_tsdb_head_samples_appended_total{Hostname=\"prometheus-%d\",type=\"float\"}[10m]"
                  .formatted(host);
          TreeMap<Double, String> expected = samples(theirs, appended + end);
          assertThat(expected).hasSizeGreaterThan(10);
          await()
              .atMost(STARTED)
              .untilAsserted(() -> assertThat(samples(ours, appended + end)).isEqualTo(expected));
          assertThat(gaps(samples(ours, "up{Hostname=\"agent-%d\"}[10m]".formatted(host) + end)))
              .isEmpty();
        }
      }
    }
  }

  /** vmagent, which scrapes Prometheus and writes to the second gateway. */
  private final class Agent implements AutoCloseable {
    private final Process process;

    Agent(int scraped, ProcessCluster cluster) throws Exception {
      Path config = Files.writeString(folder.resolve("agent.yml"), scrapes(scraped, "agent"));
      process =
          new ProcessBuilder(
                  PeerPrograms.program("vmagent").toString(),
                  "-promscrape.config=" + config,
                  "-remoteWrite.url=" + cluster.address(1) + "/api/v1/write",
                  "-remoteWrite.tmpDataPath=" + folder.resolve("agent"),
                  "-remoteWrite.flushInterval=500ms",
                  "-remoteWrite.retryMaxTime=2s",
                  "-httpListenAddr=127.0.0.1:" + LocalPorts.free(1).getFirst())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("agent.log").toFile())
              .start();
    }

    @Override
    public void close() {
      process.destroyForcibly();
      process.onExit().join();
    }
  }

  /** One target that is scraped as several hosts, which have several owners. */
  private static String scrapes(int port, String name) {
    return "scrape_configs:\n  - job_name: "
        + name
        + "\n    scrape_interval: 1s\n    static_configs:\n"
        + IntStream.range(0, HOSTS)
            .mapToObj(
                host ->
                    "      - {targets: ['127.0.0.1:%d'], labels: {Hostname: %s-%d}}\n"
                        .formatted(port, name, host))
            .collect(Collectors.joining());
  }

  private static void awaitFresh(QueryClient ours, long millis) {
    awaitFresh(ours, millis, "prometheus");
    awaitFresh(ours, millis, "agent");
  }

  /** Waits until each host of a sender has a sample that is younger than a time. */
  private static void awaitFresh(QueryClient ours, long millis, String sender) {
    await()
        .atMost(STARTED)
        .ignoreExceptions()
        .untilAsserted(
            () -> {
              Map<String, Double> times =
                  ours.values("timestamp(up{job=\"" + sender + "\"})", "Hostname");
              assertThat(times).hasSize(HOSTS);
              assertThat(times.values()).allMatch(second -> second * 1_000 > millis);
            });
  }

  private static TreeMap<Double, String> samples(QueryClient client, String range)
      throws Exception {
    TreeMap<Double, String> samples = new TreeMap<>();
    JsonNode result = client.query(range).path("data").path("result");
    assertThat(result).hasSize(1);
    for (JsonNode sample : result.path(0).path("values")) {
      samples.put(sample.path(0).asDouble(), sample.path(1).asText());
    }
    return samples;
  }

  /** Where there is no sample for longer than a scrape may be late. */
  private static List<String> gaps(TreeMap<Double, String> samples) {
    List<String> gaps = new ArrayList<>();
    for (double time : samples.keySet()) {
      Double before = samples.lowerKey(time);
      if (before != null && time - before > 1.5) {
        gaps.add("from " + before + " to " + time);
      }
    }
    return gaps;
  }
}
