package io.fleetgauge.load.senders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.load.compare.PrometheusServer;
import io.fleetgauge.load.fleet.ClockedCluster;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.sample.Labels;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real Prometheus and a real VictoriaMetrics are away for six hours, in which a gateway is killed
 * with SIGKILL and hosts move. Gateways are JVMs of their own, whose time the test turns.
 */
class ReceiverAwayTest {
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long STEP = 30_000;
  private static final int HOSTS = 6;
  private static final int SERIES = 10;

  /** Steps of which a request has the samples. */
  private static final int STEPS = 4;

  private final HttpClient client = HttpClient.newHttpClient();
  private final int prometheusPort = LocalPorts.free(1).getFirst();
  private final int victoriaPort = LocalPorts.free(1).getFirst();
  private final TreeMap<String, TreeMap<Long, Double>> sent = new TreeMap<>();

  /** Requests that a host has not sent yet. */
  private final List<RemoteWriteBody> held = new ArrayList<>();

  private ClockedCluster cluster;
  private PrometheusServer prometheus;
  private VictoriaMetricsServer victoria;

  @TempDir Path folder;

  @BeforeEach
  void start() throws Exception {
    // In the past: Prometheus takes no samples of the future.
    cluster =
        new ClockedCluster(
            folder, System.currentTimeMillis() / STEP * STEP - Duration.ofHours(8).toMillis());
    Files.createDirectory(folder.resolve("p"));
    Files.createDirectory(folder.resolve("v"));
    Files.writeString(
        folder.resolve("p/prometheus.yml"), "storage: {tsdb: {out_of_order_time_window: 1d}}\n");
    startReceivers();
    String match = "match: [\"{__name__=~'gpu_.*'}\"]";
    cluster.configureGateways(
        """
        remoteWrite:
          prometheus: {url: "http://127.0.0.1:%d/api/v1/write", version: "2.0", %s}
          victoria: {url: "http://127.0.0.1:%d/api/v1/write", maxSamplesPerRequest: 500, %s}
        """
            .formatted(prometheusPort, match, victoriaPort, match));
    cluster.start(3, "", 0, "");
  }

  private void startReceivers() throws Exception {
    prometheus = PrometheusServer.of(folder.resolve("p"), prometheusPort);
    victoria = new VictoriaMetricsServer(folder.resolve("v"), victoriaPort);
  }

  private void stopReceivers() {
    prometheus.close();
    victoria.close();
  }

  @AfterEach
  void end() {
    cluster.close();
    stopReceivers();
    client.close();
  }

  /**
   * Time goes on, and all hosts send.
   *
   * @param silent the host that holds its samples back; none if it is negative
   */
  private void play(Duration length, int silent) {
    long end = cluster.now() + length.toMillis();
    while (cluster.now() < end) {
      long from = cluster.now();
      cluster.turnTo(from + STEPS * STEP);
      for (int host = 0; host < HOSTS; host++) {
        RemoteWriteBody body = body(host, from);
        if (host == silent) {
          held.add(body);
        } else {
          cluster.write(body);
        }
      }
    }
  }

  private RemoteWriteBody body(int host, long from) {
    RemoteWriteBody body = RemoteWriteBody.v1();
    for (int i = 0; i < SERIES; i++) {
      Labels labels =
          Labels.of(Labels.NAME, "gpu_value", "Hostname", "h" + host, "n", Integer.toString(i));
      long[] times = new long[STEPS];
      double[] values = new double[STEPS];
      TreeMap<Long, Double> all = sent.computeIfAbsent("h" + host + " " + i, n -> new TreeMap<>());
      for (int k = 0; k < STEPS; k++) {
        times[k] = from + (k + 1) * STEP;
        values[k] = times[k] % 1_000_003 + i;
        all.put(times[k], values[k]);
      }
      body.series(labels, times, values);
    }
    return body;
  }

  private String answer(int port, String path) throws Exception {
    HttpResponse<String> answer =
        client.send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
            HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw new IOException(answer.body());
    }
    return answer.body();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private TreeMap<String, TreeMap<Long, Double>> ofPrometheus() throws Exception {
    TreeMap<String, TreeMap<Long, Double>> all = new TreeMap<>();
    String path =
        "/api/v1/query?time=%d&query=%s".formatted(cluster.now() / 1_000, encoded("gpu_value[9h]"));
    for (JsonNode each : JSON.readTree(answer(prometheusPort, path)).at("/data/result")) {
      TreeMap<Long, Double> samples = new TreeMap<>();
      for (JsonNode sample : each.path("values")) {
        samples.put(
            Math.round(sample.path(0).asDouble() * 1e3),
            Double.parseDouble(sample.path(1).asText()));
      }
      all.put(name(each.path("metric")), samples);
    }
    return all;
  }

  private static String name(JsonNode labels) {
    return labels.path("Hostname").asText() + " " + labels.path("n").asText();
  }

  /** All that VictoriaMetrics has got, and in {@code repeated} what it has got twice. */
  private TreeMap<String, TreeMap<Long, Double>> ofVictoria(Set<String> repeated) throws Exception {
    TreeMap<String, TreeMap<Long, Double>> all = new TreeMap<>();
    String path =
        "/api/v1/export?match[]=gpu_value&start=%d&end=%d&reduce_mem_usage=1"
            .formatted(sent.firstEntry().getValue().firstKey() / 1_000, cluster.now() / 1_000);
    for (String line : answer(victoriaPort, path.replace("[]", "%5B%5D")).lines().toList()) {
      JsonNode series = JSON.readTree(line);
      String name = name(series.path("metric"));
      TreeMap<Long, Double> samples = all.computeIfAbsent(name, none -> new TreeMap<>());
      for (int i = 0; i < series.path("timestamps").size(); i++) {
        long time = series.path("timestamps").path(i).asLong();
        if (samples.put(time, series.path("values").path(i).asDouble()) != null) {
          repeated.add(name + " " + time);
        }
      }
    }
    return all;
  }

  /** Time goes on without samples until both receivers have all. */
  private void awaitAll() {
    await()
        .atMost(SOON)
        .pollInterval(Duration.ofMillis(200))
        .ignoreException(IOException.class)
        .untilAsserted(
            () -> {
              cluster.turnTo(cluster.now() + 1_000);
              answer(victoriaPort, "/internal/force_flush");
              Set<String> repeated = new HashSet<>();
              assertThat(count(ofPrometheus())).isEqualTo(count(sent));
              assertThat(count(ofVictoria(repeated))).isEqualTo(count(sent));
            });
  }

  private static int count(TreeMap<String, TreeMap<Long, Double>> all) {
    return all.values().stream().mapToInt(TreeMap::size).sum();
  }

  private void awaitHostsOf(String gateway) {
    await()
        .atMost(SOON)
        .until(
            () -> {
              for (int host = 0; host < HOSTS; host++) {
                if (cluster.owner("h" + host).equals(gateway)) {
                  return true;
                }
              }
              return false;
            });
  }

  /** Each host with its owner, and since when it has owned the host. */
  private Map<String, String> owners() throws Exception {
    Map<String, String> owners = new TreeMap<>();
    String gateway = cluster.gateways().getFirst();
    for (var host : cluster.get(gateway, "/v1/table").path("hosts").properties()) {
      owners.put(
          host.getKey(),
          host.getValue().path("owner").asText() + " " + host.getValue().path("since").asText());
    }
    return owners;
  }

  @Test
  void afterSixHoursReceiversGetEverySampleOnceAlthoughAGatewayWasKilledAndHostsMoved()
      throws Exception {
    play(Duration.ofMinutes(10), -1);
    awaitAll();
    stopReceivers();
    long away = cluster.now();
    play(Duration.ofHours(1), 1);
    String dead = cluster.owner("h0");
    cluster.kill(dead);
    play(Duration.ofMinutes(10), 1);
    held.forEach(cluster::write);
    held.clear();
    play(Duration.ofHours(2), -1);
    cluster.restart(dead);
    awaitHostsOf(dead);
    play(Duration.ofMinutes(170), -1);
    Map<String, String> owners = owners();
    startReceivers();
    play(Duration.ofMinutes(2), -1);
    awaitAll();
    assertThat(ofPrometheus()).isEqualTo(sent);
    Set<String> repeated = new HashSet<>();
    assertThat(ofVictoria(repeated)).isEqualTo(sent);
    // Samples may be sent twice around a takeover: in the beginning, and if hosts still move.
    repeated.removeIf(each -> Long.parseLong(each.substring(each.lastIndexOf(' ') + 1)) <= away);
    owners.entrySet().removeAll(owners().entrySet());
    repeated.removeIf(each -> owners.containsKey(each.substring(0, each.indexOf(' '))));
    assertThat(repeated).as("arrived twice").isEmpty();
  }
}
