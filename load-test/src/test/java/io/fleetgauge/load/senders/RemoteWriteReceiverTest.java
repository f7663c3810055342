package io.fleetgauge.load.senders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.gateway.GatewayProcess;
import io.fleetgauge.gateway.sender.SenderSettings;
import io.fleetgauge.load.compare.PrometheusServer;
import io.fleetgauge.load.fleet.LocalFleet;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.QueryClient;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.relabel.Relabelling;
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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Samples that leave to a real Prometheus, on a fleet whose time the test turns. */
class RemoteWriteReceiverTest {
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final long STEP = 15_000;
  private static final int HOSTS = 4;
  private static final int SERIES = 20;

  private final long start = System.currentTimeMillis() / STEP * STEP - 8 * 3_600_000L;
  private final AtomicLong clock = new AtomicLong(start);
  private LocalFleet fleet;
  private PrometheusServer prometheus;
  private int port;

  @TempDir Path folder;

  private void start(int gateways, Version version) throws Exception {
    start(gateways, version, "1d");
  }

  private void start(int gateways, Version version, String window) throws Exception {
    port = LocalPorts.free(1).getFirst();
    Path home = Files.createDirectory(folder.resolve("p"));
    Files.writeString(
        home.resolve("prometheus.yml"),
        "storage: {tsdb: {out_of_order_time_window: %s}}\n".formatted(window));
    prometheus = PrometheusServer.of(home, port);
    fleet =
        new LocalFleet("senders", LocalPorts.free(gateways + 2), folder.resolve("g"), clock::get);
    fleet.sendTo(List.of(settings(version)));
    for (int i = 0; i < gateways; i++) {
      fleet.startGateway(0, Duration.ofHours(24));
    }
  }

  private SenderSettings settings(Version version) throws Exception {
    return new SenderSettings(
        "store",
        URI.create("http://127.0.0.1:" + port + "/api/v1/write"),
        version,
        Map.of("X-Scope-OrgID", "t"),
        List.of(Parser.parseSelector("{__name__=~\"gpu_.*\"}")),
        false,
        true,
        Relabelling.NONE,
        Duration.ofMinutes(2),
        Duration.ofSeconds(10),
        50,
        8,
        1_000_000,
        AccessSettings.NONE);
  }

  @AfterEach
  void stop() {
    if (fleet != null) {
      fleet.close();
    }
    prometheus.close();
  }

  private static Labels labels(int host, int series) {
    return Labels.of(
        Labels.NAME, "gpu_value", "Hostname", "h" + host, "n", "" + series, "job", "a" + host);
  }

  private void write(int host, long time) {
    RemoteWriteBody body = RemoteWriteBody.v1();
    for (int series = 0; series < SERIES; series++) {
      body.series(labels(host, series), time, time % 1_000_003 + series);
    }
    body.series(labels(host, 0).with(Labels.NAME, "other"), time, 1);
    await()
        .atMost(SOON)
        .until(() -> fleet.gateways().stream().anyMatch(each -> isTaken(each, body)));
  }

  private static boolean isTaken(GatewayProcess gateway, RemoteWriteBody body) {
    HttpRequest request =
        HttpRequest.newBuilder(gateway.address().resolve("/api/v1/write"))
            .header("Content-Type", RemoteWriteBody.V1_TYPE)
            .header("Content-Encoding", "snappy")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body.compressed()))
            .build();
    try {
      return CLIENT.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 204;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Goes on by steps, at each of which some hosts send. */
  private void steps(int count, Set<Integer> silent) {
    for (int i = 0; i < count; i++) {
      clock.addAndGet(STEP);
      for (int host = 0; host < HOSTS; host++) {
        if (!silent.contains(host)) {
          write(host, clock.get());
        }
      }
    }
  }

  /** Numbers of samples of each series, and of different values, at the receiver. */
  private Map<String, String> counted(String function) throws Exception {
    String query = function + "({__name__=~\".+\"}[9h] @ " + (clock.get() / 1_000 + 1) + ")";
    JsonNode answer =
        new QueryClient(port)
            .json("/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8));
    Map<String, String> counted = new TreeMap<>();
    for (JsonNode each : answer.path("data").path("result")) {
      counted.put(each.path("metric").toString(), each.path("value").path(1).asText());
    }
    return counted;
  }

  private void awaitAll(long samples) {
    // Time goes on, so that the last samples are old enough.
    clock.addAndGet(11_000);
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              clock.addAndGet(1_000); // a request that failed is sent again after some time
              Map<String, String> counted = counted("count_over_time");
              assertThat(counted).hasSize(HOSTS * SERIES);
              assertThat(Set.copyOf(counted.values())).containsExactly("" + samples);
            });
  }

  @Test
  void allSamplesThatAreSelectedArriveOnce() throws Exception {
    start(2, Version.V1);
    steps(10, Set.of());
    awaitAll(10);
  }

  @Test
  void samplesThatComeLateArriveToo() throws Exception {
    start(1, Version.V2);
    steps(4, Set.of());
    long from = clock.get();
    steps(6, Set.of(1));
    clock.addAndGet(11_000);
    await()
        .atMost(SOON)
        .until(
            () -> {
              clock.addAndGet(1_000);
              return counted("count_over_time").containsValue("10");
            });
    for (long time = from + STEP; time <= from + 6 * STEP; time += STEP) {
      write(1, time);
    }
    awaitAll(10);
  }

  private String refused() throws Exception {
    HttpRequest metrics =
        HttpRequest.newBuilder(fleet.gateways().getFirst().address().resolve("/metrics")).build();
    return CLIENT
        .send(metrics, HttpResponse.BodyHandlers.ofString())
        .body()
        .lines()
        .filter(line -> line.startsWith("fleetgauge_gateway_sender_refused_samples_total{"))
        .map(line -> line.substring(line.indexOf(' ') + 1))
        .findFirst()
        .orElse("");
  }

  @ParameterizedTest
  @EnumSource
  void whatAPrometheusRefusesIsCountedAndKeepsNothingElseBack(Version version) throws Exception {
    start(1, version, "0s");
    steps(4, Set.of());
    long missing = clock.get() + STEP;
    steps(1, Set.of(1));
    steps(1, Set.of());
    clock.addAndGet(11_000);
    await()
        .atMost(SOON)
        .until(
            () -> {
              clock.addAndGet(1_000);
              return counted("count_over_time").values().stream().filter("5"::equals).count()
                  == SERIES;
            });
    write(1, missing); // older than what Prometheus has of these series
    steps(2, Set.of());
    await()
        .atMost(SOON)
        .until(
            () -> {
              clock.addAndGet(1_000);
              List<String> counted = List.copyOf(counted("count_over_time").values());
              return counted.stream().filter("7"::equals).count() == SERIES
                  && counted.stream().filter("8"::equals).count() == (HOSTS - 1) * SERIES
                  && refused().equals(SERIES + ".0");
            });
  }
}
