package io.fleetgauge.load.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.load.fleet.LocalFleet;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeProtocol;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A tenant with one write token makes up names of hosts, and takes no places of others. */
class HostLimitsTest {
  private static final long NOW = 1_795_300_000_000L;
  private static final Duration SOON = Duration.ofMinutes(10);

  @TempDir private Path folder;
  private final HttpClient client = HttpClient.newHttpClient();
  private LocalFleet fleet;

  @AfterEach
  void stop() {
    fleet.close();
    client.close();
  }

  private void start() throws Exception {
    Path tenants =
        Files.writeString(
            folder.resolve("tenants.yaml"),
            """
            tenants:
              red:
                limits: {hosts: 20, newHosts: 6}
                tokens: {w: {sha256: %s, rights: [write, operate]}}
              full:
                limits: {hosts: 2}
                tokens: {w: {sha256: %s, rights: [write]}}
              blue: {tokens: {w: {sha256: %s, rights: [write]}}}
            """
                .formatted(hash("red"), hash("full"), hash("blue")));
    Path secret = Files.writeString(folder.resolve("secret"), "0123456789abcdef");
    fleet = new LocalFleet("limits-" + System.nanoTime(), LocalPorts.free(2), folder, () -> NOW);
    fleet.secure(
        Optional.of(tenants), TrustSettings.ofSecret(Optional.of(secret)), Optional.empty());
    fleet.startGateway(0, Duration.ofDays(1));
    fleet.startGateway(0, Duration.ofDays(1));
  }

  @Test
  void newHostsAreRefusedAtAllGatewaysWhileKnownOnesAndThoseOfOthersAreKept() throws Exception {
    start();
    for (int i = 0; i < 6; i++) {
      accepted(i % 2, "red", "red-" + i);
    }
    for (int gateway = 0; gateway < 2; gateway++) {
      for (boolean second : new boolean[] {false, true}) {
        long before = written(gateway);
        HttpResponse<String> answer =
            write(gateway, "red", second, "made-up-" + gateway, "red-0", "red-1");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(429);
        assertThat(answer.headers().firstValue("Retry-After")).isPresent();
        assertThat(answer.body())
            .contains("tenants.red.limits.newHosts is 6")
            .contains("made-up-" + gateway);
        assertThat(written(gateway) - before).as("samples of known hosts are kept").isEqualTo(2);
      }
    }
    HttpRequest probe =
        HttpRequest.newBuilder(address(0).resolve(IntakeProtocol.path("probe")))
            .header("Authorization", "Bearer red")
            .POST(
                HttpRequest.BodyPublishers.ofByteArray(
                    new FrameEncoder("probe", 7)
                        .encode(
                            new Tick(NOW, List.of(Labels.of("__name__", "up")), new double[] {1}))))
            .build();
    HttpResponse<String> frames = client.send(probe, HttpResponse.BodyHandlers.ofString());
    assertThat(frames.statusCode()).isEqualTo(429);
    assertThat(frames.body()).startsWith("over-limit ");
    assertThat(frames.headers().firstValue("Retry-After")).isPresent();
    accepted(0, "blue", "blue-0");
    accepted(0, "full", "full-0");
    accepted(1, "full", "full-1");
    HttpResponse<String> full = write(0, "full", true, "full-2");
    assertThat(full.statusCode()).as(full.body()).isEqualTo(400);
    assertThat(full.body()).contains("tenants.full.limits.hosts is 2");
    assertThat(metrics(0) + metrics(1))
        .contains("fleetgauge_gateway_hosts_refused_total{limit=\"newHosts\"}");
    // All restart: the table has kept whose hosts they are.
    fleet.close();
    start();
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                assertThat(write(0, "red", true, "after-restart").body())
                    .contains("tenants.red.limits.newHosts is 6"));
    accepted(1, "blue", "blue-1");
  }

  private long time = NOW - 100_000;

  private void accepted(int gateway, String tenant, String host) {
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              HttpResponse<String> answer = write(gateway, tenant, true, host);
              assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
            });
  }

  private HttpResponse<String> write(int gateway, String tenant, boolean second, String... hosts)
      throws Exception {
    RemoteWriteBody body = second ? RemoteWriteBody.v2() : RemoteWriteBody.v1();
    time++;
    for (String host : hosts) {
      body.series(Labels.of("__name__", "up", "instance", host + ":9100"), time, 1);
    }
    HttpRequest request =
        HttpRequest.newBuilder(address(gateway).resolve("/api/v1/write"))
            .header("Authorization", "Bearer " + tenant)
            .header("Content-Encoding", "snappy")
            .header("Content-Type", second ? RemoteWriteBody.V2_TYPE : RemoteWriteBody.V1_TYPE)
            .POST(HttpRequest.BodyPublishers.ofByteArray(body.compressed()))
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  private long written(int gateway) throws Exception {
    String name = "fleetgauge_gateway_remote_write_samples_total ";
    return metrics(gateway)
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(name.length())))
        .findFirst()
        .orElseThrow();
  }

  private String metrics(int gateway) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(address(gateway).resolve("/metrics"))
            .header("Authorization", "Bearer red")
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  private URI address(int gateway) {
    return fleet.gateways().get(gateway).address();
  }

  private static String hash(String token) throws Exception {
    byte[] bytes = token.getBytes(StandardCharsets.UTF_8);
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }
}
