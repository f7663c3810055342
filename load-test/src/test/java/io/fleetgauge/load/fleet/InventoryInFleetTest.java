package io.fleetgauge.load.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.query.QueryProcess;
import io.fleetgauge.query.config.FaultsSettings;
import io.fleetgauge.query.config.InventorySettings;
import io.fleetgauge.sample.Labels;
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
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The inventory of a real fleet, whose time the test turns. */
class InventoryInFleetTest {
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long MINUTE = 60_000;

  private final AtomicLong clock = new AtomicLong(1_795_300_200_000L);

  @TempDir Path folder;

  @Test
  void aDomainShowsTheGpusOfAHostThatFellSilentAndTheFileIsReadAgain() throws Exception {
    Path file = Files.writeString(folder.resolve("inventory.yaml"), "hosts: []");
    try (LocalFleet fleet = new LocalFleet("inventory", LocalPorts.free(5), folder, clock::get)) {
      fleet.startGateway(0, Duration.ofHours(24));
      fleet.startGateway(0, Duration.ofHours(24));
      QueryProcess api =
          fleet.startQuery(
              base ->
                  base.with(new InventorySettings(Optional.of(file), Duration.ofHours(12)))
                      .with(FaultsSettings.every(Duration.ofSeconds(15), List.of())));
      send(fleet, "h1");
      send(fleet, "h2");
      await()
          .atMost(SOON)
          .until(() -> hosts(api, "").equals(List.of("h1 present 4 4", "h2 present 4 4")));
      for (int i = 0; i < 20; i++) {
        clock.addAndGet(MINUTE);
        send(fleet, "h1");
      }
      await()
          .atMost(SOON)
          .until(() -> hosts(api, "").equals(List.of("h1 present 4 4", "h2 silent 4 0")));
      JsonNode domain = inventory(api, "?host=h1").path("domains").path(0);
      assertThat(domain.path("domain").asText()).isEqualTo("c/2");
      assertThat(domain.path("hosts").asInt()).isEqualTo(2);
      assertThat(domain.path("gpus"))
          .isEqualTo(JSON.readTree("{\"expected\": 8, \"present\": 4, \"healthy\": 4}"));
      await()
          .atMost(SOON)
          .until(
              () -> {
                clock.addAndGet(MINUTE);
                send(fleet, "h1");
                return query(api, "gpu_domain_gpus{domain=\"c/2\",state=\"expected\"}") == 8;
              });
      assertThat(query(api, "gpu_domain_gpus{domain=\"c/2\",state=\"present\"}")).isEqualTo(4);
      assertThat(query(api, "gpu_inventory_gpus{Hostname=\"h2\",state=\"expected\"}")).isEqualTo(4);
      assertThat(hosts(api, "?host=h2")).as("it was not heard").containsExactly("h2 silent 4 0");
      Files.writeString(file, "hosts: [{host: h3, gpus: 4}]");
      await()
          .atMost(SOON)
          .until(() -> hosts(api, "?state=missing").equals(List.of("h3 missing 4 0")));
    }
  }

  private static List<String> hosts(QueryProcess api, String query) throws Exception {
    List<String> hosts = new ArrayList<>();
    for (JsonNode host : inventory(api, query).path("hosts")) {
      hosts.add(
          "%s %s %d %d"
              .formatted(
                  host.path("host").asText(),
                  host.path("state").asText(),
                  host.path("gpus").path("expected").asInt(),
                  host.path("gpus").path("present").asInt()));
    }
    return hosts;
  }

  /** The value of the only series of a query; -1 without one. */
  private double query(QueryProcess api, String text) throws Exception {
    String query =
        "/api/v1/query?time="
            + clock.get() / 1_000
            + "&query="
            + URLEncoder.encode(text, StandardCharsets.UTF_8);
    URI address = URI.create("http://127.0.0.1:" + api.port() + query);
    HttpResponse<String> answer =
        CLIENT.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString());
    return JSON.readTree(answer.body())
        .path("data")
        .path("result")
        .path(0)
        .path("value")
        .path(1)
        .asDouble(-1);
  }

  private static JsonNode inventory(QueryProcess api, String query) throws Exception {
    URI address = URI.create("http://127.0.0.1:" + api.port() + "/api/v1/inventory" + query);
    HttpResponse<String> answer =
        CLIENT.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString());
    return JSON.readTree(answer.body()).path("data");
  }

  private void send(LocalFleet fleet, String host) {
    long time = clock.get();
    RemoteWriteBody body = RemoteWriteBody.v1();
    Labels of = Labels.of("Hostname", host, "rack", "r1");
    body.series(of.with(Labels.NAME, "gpu_expected"), time, 4);
    for (int i = 0; i < 4; i++) {
      Labels gpu = of.with(Labels.of("UUID", "GPU-" + host + "-" + i, "gpu", "" + i));
      body.series(gpu.with(Labels.NAME, "gpu_info"), time, 1)
          .series(
              gpu.with(
                  Labels.of(Labels.NAME, "gpu_fabric_info", "cluster_uuid", "c", "clique_id", "2")),
              time,
              1);
    }
    URI gateway = fleet.gatewayAddresses().getFirst().resolve("/api/v1/write");
    HttpRequest request =
        HttpRequest.newBuilder(gateway)
            .header("Content-Type", RemoteWriteBody.V1_TYPE)
            .header("Content-Encoding", "snappy")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body.compressed()))
            .build();
    await()
        .atMost(SOON)
        .until(
            () -> CLIENT.send(request, HttpResponse.BodyHandlers.ofString()).statusCode() == 204);
  }
}
