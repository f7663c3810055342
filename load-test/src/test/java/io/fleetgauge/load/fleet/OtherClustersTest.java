package io.fleetgauge.load.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.load.api.Certificates;
import io.fleetgauge.query.QueryProcess;
import io.fleetgauge.query.config.ClustersSettings;
import io.fleetgauge.query.config.OtherClusterSettings;
import io.fleetgauge.query.config.RulesSettings;
import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.runtime.config.TlsSettings;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.sample.Labels;
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
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real cluster that is asked over TLS by a token, and the cluster whose query API asks it: rules,
 * federation and lookups over both.
 */
class OtherClustersTest {
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final String RULES =
      """
      groups:
        - name: one
          interval: 1s
          rules:
            - record: cluster:load:sum
              expr: sum by (cluster) (load)
      """;

  @TempDir private Path folder;
  private LocalFleet other;
  private LocalFleet own;
  private QueryProcess remote;
  private QueryClient client;

  private LocalFleet fleet(String name) {
    return new LocalFleet(
        name, LocalPorts.free(3), folder.resolve("of-" + name), System::currentTimeMillis);
  }

  @BeforeEach
  void start() throws Exception {
    Certificates.Pair server = Certificates.make(folder, "server");
    Path tenants =
        Files.writeString(
            folder.resolve("tenants.yaml"),
            "tenants: {all: {tokens: {t: {sha256: %s, rights: [read, write]}}}}"
                .formatted(hash("sesame")));
    other = fleet("oslo" + System.nanoTime());
    URI there = other.startGateway(0, Duration.ofHours(1)).address();
    send(there, "n1", 7);
    other.secure(
        Optional.of(tenants),
        TrustSettings.NONE,
        Optional.of(new TlsSettings(server.certificate(), server.key(), Optional.empty())));
    remote = other.startQuery(base -> base);
    own = fleet("berlin");
    URI here = own.startGateway(0, Duration.ofHours(1)).address();
    send(here, "n2", 5);
    Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
    ClustersSettings clusters =
        new ClustersSettings(
            true, OtherClusterSettings.Label.ADDED, List.of(settings(server, "sesame")));
    QueryProcess query =
        own.startQuery(
            base ->
                base.with(clusters)
                    .with(
                        RulesSettings.of(
                            List.of(rules.toString()), Optional.of(folder.resolve("rules")))));
    client = new QueryClient(query.port());
  }

  @AfterEach
  void stop() {
    own.close();
    other.close();
  }

  private OtherClusterSettings settings(Certificates.Pair server, String token) throws Exception {
    Path file = Files.writeString(folder.resolve("token"), token);
    return OtherClusterSettings.at("oslo", URI.create("https://127.0.0.1:" + remote.port()))
        .with(
            new AccessSettings(
                Optional.of(file),
                Optional.empty(),
                Optional.of(server.certificate()),
                Optional.empty(),
                Optional.empty(),
                false));
  }

  private static String hash(String token) throws Exception {
    return HexFormat.of()
        .formatHex(
            MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
  }

  private static void send(URI gateway, String host, double value) throws Exception {
    byte[] body =
        RemoteWriteBody.v1()
            .series(
                Labels.of("__name__", "load", "Hostname", host), System.currentTimeMillis(), value)
            .compressed();
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(gateway.resolve("/api/v1/write"))
                  .header("Content-Type", RemoteWriteBody.V1_TYPE)
                  .header("Content-Encoding", "snappy")
                  .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
    }
  }

  private Map<String, Double> loads(String metric) throws Exception {
    return client.values(metric, "cluster");
  }

  @Test
  void rulesFederationAndLookupsAreOverAllClusters() throws Exception {
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> assertThat(loads("load")).isEqualTo(Map.of("berlin", 5.0, "oslo", 7.0)));
    // The result for oslo is stored here, and so is a series of this cluster like any other.
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                assertThat(client.values("count(cluster:load:sum)", ""))
                    .isEqualTo(Map.of("", 2.0)));
    String federated = client.get("/federate?match%5B%5D=load").body();
    assertThat(federated)
        .contains("cluster=\"berlin\"")
        .contains("cluster=\"oslo\"")
        .contains("Hostname=\"n1\"");
    JsonNode hosts = client.json("/api/v1/label/Hostname/values?match%5B%5D=load");
    assertThat(hosts.path("data").toString()).isEqualTo("[\"n1\",\"n2\"]");
    String completeness =
        client
            .get("/api/v1/query?query=load")
            .headers()
            .firstValue("X-Fleetgauge-Completeness")
            .orElseThrow();
    assertThat(completeness).startsWith("hosts=2; answered=2; missing=;");
    String metrics = client.get("/metrics").body();
    assertThat(metrics).contains("fleetgauge_query_cluster_up{cluster=\"oslo\"} 1.0");

    remote.close();
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                assertThat(
                        client
                            .get("/api/v1/query?query=load")
                            .headers()
                            .firstValue("X-Fleetgauge-Completeness")
                            .orElseThrow())
                    .startsWith("hosts=2; answered=1; missing=n1;")
                    .endsWith("; missing-clusters=oslo"));
    assertThat(loads("load")).isEqualTo(Map.of("berlin", 5.0));
    HttpResponse<String> strict = client.get("/api/v1/query?query=load&strict=1");
    assertThat(strict.statusCode()).isEqualTo(503);
    assertThat(strict.body()).contains("cluster oslo is missing");
  }
}
