package io.fleetgauge.load.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.fleetgauge.gateway.GatewayProcess;
import io.fleetgauge.query.QueryProcess;
import io.fleetgauge.query.config.AlertmanagerSettings;
import io.fleetgauge.query.config.FaultsSettings;
import io.fleetgauge.query.config.NotificationSettings;
import io.fleetgauge.query.config.RulesSettings;
import io.fleetgauge.sample.Labels;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The alert about a GPU that does nothing, from its samples to what an Alertmanager is sent. */
class IdleAlertTest {
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long STEP = 15_000;
  private static final Path RULES =
      Path.of(System.getProperty("fleetgauge.root"))
          .resolve("distribution/src/main/rules/fleetgauge/faults.yaml");

  private final AtomicLong clock = new AtomicLong(1_795_300_200_000L);
  private final BlockingQueue<JsonNode> alerts = new LinkedBlockingQueue<>();
  private final HttpClient client = HttpClient.newHttpClient();
  private HttpServer alertmanager;
  private LocalFleet fleet;

  @TempDir private Path folder;

  @AfterEach
  void stop() {
    fleet.close();
    alertmanager.stop(0);
    client.close();
  }

  private URI startAlertmanager() throws Exception {
    alertmanager = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    alertmanager.createContext(
        "/api/v2/alerts",
        exchange -> {
          JSON.readTree(exchange.getRequestBody()).forEach(alerts::add);
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    alertmanager.start();
    return URI.create("http://127.0.0.1:" + alertmanager.getAddress().getPort());
  }

  /** Goes on by a step: a GPU of ann's job 4711 does nothing, and one of bob's works. */
  private void step(URI gateway) throws Exception {
    long time = clock.addAndGet(STEP);
    RemoteWriteBody body = RemoteWriteBody.v1();
    for (int gpu = 0; gpu < 2; gpu++) {
      Labels of =
          Labels.of("Hostname", "n1", "UUID", "GPU-" + gpu, "gpu", "" + gpu, "tenant", "atlas")
              .with("hpc_job", gpu == 0 ? "4711" : "4712")
              .with("user", gpu == 0 ? "ann" : "bob");
      body.series(of.with(Labels.NAME, "gpu_allocated"), time, 1)
          .series(of.with(Labels.NAME, "DCGM_FI_DEV_GPU_UTIL"), time, gpu * 90)
          .series(of.with(Labels.NAME, "DCGM_FI_DEV_POWER_USAGE"), time, 70 + gpu * 500);
    }
    await().atMost(SOON).until(() -> HungJob.isTaken(gateway, body));
  }

  private String get(QueryProcess api, String path) throws Exception {
    URI address = URI.create("http://127.0.0.1:" + api.port() + path);
    return client
        .send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString())
        .body();
  }

  /** Waits until a step before the last one has been looked at. */
  private void evaluated(QueryProcess api) {
    String last =
        "/api/v1/query?query=gpu_fault_evaluated_timestamp_seconds&time=" + clock.get() / 1_000;
    await()
        .atMost(SOON)
        .until(
            () -> {
              JsonNode value = JSON.readTree(get(api, last)).at("/data/result/0/value/1");
              return value.asDouble() * 1e3 >= clock.get() - 2 * STEP;
            });
  }

  private static boolean isOfIdle(JsonNode alert) {
    return alert.at("/labels/alertname").asText().equals("GpuAllocatedIdle");
  }

  @Test
  void itNamesTheUserTheJobAndTheAddressOfTheMappingFile() throws Exception {
    Path thresholds =
        Files.writeString(folder.resolve("thresholds.yaml"), "idle_allocation: {after: 60}\n");
    Path contacts =
        Files.writeString(
            folder.resolve("contacts.yaml"),
            "user: {ann: ann@example.org}\ntenant: {atlas: atlas@example.org}\n");
    Path rules =
        Files.writeString(
            folder.resolve("rules.yaml"), Files.readString(RULES).replace("for: 15m", "for: 0s"));
    URI receiver = startAlertmanager();
    fleet = new LocalFleet("idle-" + System.nanoTime(), LocalPorts.free(2), folder, clock::get);
    GatewayProcess gateway = fleet.startGateway(0, Duration.ofHours(24));
    QueryProcess api =
        fleet.startQuery(
            base ->
                base.with(
                        new FaultsSettings(
                            true,
                            Duration.ofMillis(STEP),
                            Optional.of(thresholds),
                            Optional.of(contacts),
                            List.of(),
                            List.of()))
                    .with(
                        RulesSettings.of(
                            List.of(rules.toString()), Optional.of(folder.resolve("rules"))),
                        NotificationSettings.to(
                            List.of(AlertmanagerSettings.at("test", receiver)))));
    await()
        .atMost(SOON)
        .until(() -> get(api, "/metrics").contains("fleetgauge_query_fault_owner 1.0"));
    for (int i = 0; i < 20; i++) {
      step(gateway.address());
    }
    await()
        .atMost(SOON)
        .until(
            () -> {
              step(gateway.address());
              evaluated(api);
              return alerts.stream().anyMatch(IdleAlertTest::isOfIdle);
            });
    JsonNode alert = alerts.stream().filter(IdleAlertTest::isOfIdle).findFirst().orElseThrow();
    assertThat(alert.at("/labels/contact").asText()).isEqualTo("ann@example.org");
    assertThat(alert.at("/annotations/user").asText()).isEqualTo("ann");
    assertThat(alert.at("/annotations/job").asText()).isEqualTo("4711");
    assertThat(alert.at("/annotations/contact").asText()).isEqualTo("ann@example.org");
    assertThat(alert.at("/annotations/summary").asText())
        .isEqualTo("GPU 0 of n1 is allocated and does nothing.");
  }
}
