package io.fleetgauge.load.hostile;

import static io.fleetgauge.load.hostile.ProcessCluster.metric;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.load.fleet.LaunchedProcess;
import io.fleetgauge.load.fleet.QueryClient;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.sample.Labels;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Block files of one gateway of two are damaged on its disk. */
@Timeout(600)
class DamagedBlocksTest {
  private static final int HOSTS = 8;
  private static final int SAMPLES = 1_440;
  private static final long STEP = 15_000;
  private static final String REPLACED = "fleetgauge_gateway_replaced_blocks_total";
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final String WHOLE = "hosts=" + HOSTS + "; answered=" + HOSTS + ";";

  @TempDir private Path folder;

  private final HttpClient http = HttpClient.newHttpClient();

  @Test
  void answersComeFromTheCopyAndTheFilesAreReplacedFromIt() throws Exception {
    try (ProcessCluster cluster = new ProcessCluster(folder, 2, ", memory: 20m", "")) {
      List<LaunchedProcess> gateways = cluster.startGateways();
      cluster.query();
      QueryClient client = cluster.client();
      long end = System.currentTimeMillis() / 1_000 * 1_000;
      write(cluster, end);
      String query = "load[7h] @ " + end / 1_000;
      await()
          .atMost(SOON)
          .ignoreExceptions()
          .untilAsserted(
              () -> assertThat(values(client, query).values()).hasSize(HOSTS).allMatch(HAS_ALL));
      TreeMap<String, JsonNode> all = values(client, query);
      await().atMost(SOON).until(() -> blocks(cluster, 0).size() >= HOSTS);
      await().atMost(SOON).until(() -> blocks(cluster, 1).size() >= HOSTS);

      gateways.get(0).process.destroyForcibly().waitFor();
      List<Path> newest = newestBlocks(cluster, 0);
      cutOff(newest);
      int damaged = damage(blocks(cluster, 0));
      gateways.set(0, cluster.gateway(0, cluster.rightSecret()));
      gateways.get(0).awaitOutput("is in cluster");
      awaitBoth(cluster);
      await()
          .atMost(SOON)
          .ignoreExceptions()
          .untilAsserted(
              () -> {
                assertThat(values(client, query)).isEqualTo(all);
                assertThat(completeness(client, query))
                    .as(() -> gateways.getFirst().output())
                    .contains(WHOLE);
              });
      assertThat(gateways.get(0).output()).contains("is damaged");

      // It finds out other damage when it compares. Of times behind the
      // last block that is whole the samples are copied, of others the blocks.
      await()
          .atMost(SOON)
          .ignoreExceptions()
          .untilAsserted(
              () ->
                  assertThat(metric(cluster.address(0), REPLACED) + copied(gateways.get(0)))
                      .as(gateways.get(0).output())
                      .isGreaterThanOrEqualTo(damaged + newest.size()));

      // A copy that the table does not call whole yet does not become the owner.
      await()
          .atMost(SOON)
          .ignoreExceptions()
          .until(
              () ->
                  metric(cluster.address(0), "fleetgauge_gateway_owned_hosts")
                          + metric(cluster.address(0), "fleetgauge_gateway_synced_hosts")
                      == HOSTS);
      gateways.get(1).process.destroyForcibly().waitFor();
      await()
          .atMost(SOON)
          .ignoreExceptions()
          .untilAsserted(
              () -> {
                assertThat(values(client, query)).isEqualTo(all);
                assertThat(completeness(client, query))
                    .as(() -> gateways.getFirst().output())
                    .contains(WHOLE);
              });
    }
  }

  private static final java.util.function.Predicate<JsonNode> HAS_ALL =
      values -> values.size() == SAMPLES;

  /** Number of damaged blocks of which a gateway has got the samples. */
  private static long copied(LaunchedProcess gateway) {
    return gateway
        .output()
        .lines()
        .filter(
            line ->
                line.contains("the samples of the damaged blocks") && line.contains("were copied"))
        .mapToLong(line -> line.split("\\.block", -1).length - 1)
        .sum();
  }

  private void write(ProcessCluster cluster, long end) throws Exception {
    SplittableRandom random = new SplittableRandom(1);
    for (int host = 0; host < HOSTS; host++) {
      long[] times = new long[SAMPLES];
      double[] values = new double[SAMPLES];
      for (int i = 0; i < SAMPLES; i++) {
        times[i] = end - (SAMPLES - i) * STEP;
        values[i] = random.nextDouble();
      }
      Labels labels = Labels.of(Labels.NAME, "load", "Hostname", "n" + host);
      cluster.write(0, RemoteWriteBody.v1().series(labels, times, values));
    }
  }

  private static TreeMap<String, JsonNode> values(QueryClient client, String query)
      throws Exception {
    TreeMap<String, JsonNode> values = new TreeMap<>();
    for (JsonNode series : client.query(query).path("data").path("result")) {
      values.put(series.path("metric").path("Hostname").asText(), series.path("values"));
    }
    return values;
  }

  private static String completeness(QueryClient client, String query) throws Exception {
    HttpResponse<String> answer =
        client.post("/api/v1/query", "query=" + query.replace(" ", "%20").replace("@", "%40"));
    return answer.headers().firstValue("X-Fleetgauge-Completeness").orElseThrow();
  }

  private void awaitBoth(ProcessCluster cluster) {
    for (int i = 0; i < 2; i++) {
      var ready = HttpRequest.newBuilder(cluster.address(i).resolve("/-/ready")).build();
      await()
          .atMost(SOON)
          .ignoreExceptions()
          .until(
              () -> http.send(ready, HttpResponse.BodyHandlers.discarding()).statusCode() == 200);
    }
  }

  /** All blocks but the last one of each host. */
  private static List<Path> blocks(ProcessCluster cluster, int gateway) throws IOException {
    return byHost(cluster, gateway).stream()
        .flatMap(each -> each.stream().limit(each.size() - 1))
        .toList();
  }

  /** The last block of each host: samples of its time are still accepted. */
  private static List<Path> newestBlocks(ProcessCluster cluster, int gateway) throws IOException {
    return byHost(cluster, gateway).stream().map(List::getLast).toList();
  }

  private static List<List<Path>> byHost(ProcessCluster cluster, int gateway) throws IOException {
    try (Stream<Path> files = Files.walk(cluster.store(gateway))) {
      return files
          .filter(file -> file.toString().endsWith(".block"))
          .collect(Collectors.groupingBy(Path::getParent, TreeMap::new, Collectors.toList()))
          .values()
          .stream()
          .map(each -> each.stream().sorted().toList())
          .toList();
    }
  }

  private static void cutOff(List<Path> files) throws IOException {
    for (Path file : files) {
      try (var channel = Files.newByteChannel(file, StandardOpenOption.WRITE)) {
        channel.truncate(Files.size(file) / 2);
      }
    }
  }

  /** Damages some bytes in the middle of every other file, and the end of the others. */
  private static int damage(List<Path> files) throws IOException {
    for (int i = 0; i < files.size(); i++) {
      long size = Files.size(files.get(i));
      try (var channel = Files.newByteChannel(files.get(i), StandardOpenOption.WRITE)) {
        if (i % 2 == 0) {
          channel.position(size / 2).write(java.nio.ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5}));
        } else {
          channel.truncate(size - 7);
        }
      }
    }
    return files.size();
  }
}
