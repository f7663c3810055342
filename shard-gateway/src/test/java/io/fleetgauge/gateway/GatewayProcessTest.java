package io.fleetgauge.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.gateway.config.GatewayConfig;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.prometheus.RemoteWriteWriter;
import java.net.ServerSocket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xerial.snappy.Snappy;

/** A gateway by itself; several are tested in load-test. */
@Tag("slow")
class GatewayProcessTest {
  private static final Pattern ROW = Pattern.compile("(?m)^\\| `(fleetgauge_gateway_\\w+)`");

  @TempDir private Path folder;
  private final HttpClient http = HttpClient.newHttpClient();

  private GatewayConfig config() throws Exception {
    int port = freePort();
    return GatewayConfig.read(
        "the test",
        """
        id: g1
        http: {host: 127.0.0.1, port: 0}
        store: {folder: '%s', maxSeriesPerHost: 4, maxSeriesPerTenant: 6, maxSeries: 9}
        cluster: {name: gateway-%d, host: 127.0.0.1, port: %d, members: ["127.0.0.1:%d"]}
        drainTimeout: 0s
        """
            .formatted(folder.resolve("store"), System.nanoTime(), port, port));
  }

  /** What is removed or renamed here breaks dashboards. */
  @Test
  void aProcessThatDoesAllShowsEveryMetricOfTheDocumentation() throws Exception {
    Path page = Path.of(System.getProperty("fleetgauge.root"), "docs/metrics/processes.md");
    Path members = Files.writeString(folder.resolve("members"), "['127.0.0.1:1']");
    GatewayConfig config =
        GatewayConfig.read(
            "the test",
            """
            id: g1
            http: {host: 127.0.0.1, port: 0}
            store: {folder: '%s'}
            cluster:
              {name: gateway-%d, host: 127.0.0.1, port: %d, discovery: {method: file, file: {path: '%s'}}}
            tracing: {endpoint: 'http://127.0.0.1:1'}
            remoteWrite: {archive: {url: 'http://127.0.0.1:1/api/v1/write'}}
            drainTimeout: 0s
            """
                .formatted(folder.resolve("store"), System.nanoTime(), freePort(), members));
    Set<String> documented = new TreeSet<>();
    Matcher rows = ROW.matcher(Files.readString(page));
    while (rows.find()) {
      documented.add(rows.group(1));
    }
    assertThat(documented).hasSizeGreaterThan(60);
    try (GatewayProcess gateway = GatewayProcess.start(config, System::currentTimeMillis)) {
      Set<String> shown = new TreeSet<>();
      get(gateway, "/metrics")
          .body()
          .lines()
          .filter(line -> line.startsWith("# TYPE "))
          .forEach(line -> shown.add(line.split(" ")[2]));
      assertThat(shown).containsAll(documented);
    }
  }

  private static int freePort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private HttpResponse<String> get(GatewayProcess gateway, String path) throws Exception {
    return http.send(
        HttpRequest.newBuilder(gateway.address().resolve(path)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** Writes a sample of so many series of a host. */
  private HttpResponse<String> write(GatewayProcess gateway, String host, String tenant, int count)
      throws Exception {
    RemoteWriteWriter all = new RemoteWriteWriter(Version.V1);
    for (int i = 0; i < count; i++) {
      Labels labels = Labels.of(Labels.NAME, "m" + i, "Hostname", host, "tenant", tenant);
      all.series(labels).sample(System.currentTimeMillis(), 1);
    }
    return http.send(
        HttpRequest.newBuilder(gateway.address().resolve("/api/v1/write"))
            .header("Content-Encoding", "snappy")
            .POST(HttpRequest.BodyPublishers.ofByteArray(Snappy.compress(all.toBytes())))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void itTakesHostsUpToTheLimitsOfItsConfiguration() throws Exception {
    try (GatewayProcess gateway = GatewayProcess.start(config(), System::currentTimeMillis)) {
      for (String host : List.of("n1", "n2", "n3")) {
        await().until(() -> write(gateway, host, host, 1).statusCode() == 204);
      }
      HttpResponse<String> ofHost = write(gateway, "n1", "n1", 5);
      assertThat(ofHost.statusCode()).isEqualTo(400);
      assertThat(ofHost.body())
          .contains("the host n1 has the 4 series that store.maxSeriesPerHost allows");
      HttpResponse<String> ofTenant = write(gateway, "n2", "n1", 3);
      assertThat(ofTenant.body())
          .contains("the tenant n1 has the 6 series that store.maxSeriesPerTenant allows");
      assertThat(write(gateway, "n3", "n3", 4).body()).contains("store.maxSeries allows");
    }
  }

  @Test
  void itIsNotReadyWhileItsDiskFailsAndSaysWhy() throws Exception {
    try (GatewayProcess gateway = GatewayProcess.start(config(), System::currentTimeMillis)) {
      await().until(() -> get(gateway, "/-/ready").statusCode() == 200);
      Path store = folder.resolve("store");
      Path away = folder.resolve("away");
      Files.move(store, away);
      await().until(() -> get(gateway, "/-/ready").statusCode() == 503);
      assertThat(get(gateway, "/-/ready").body()).contains(store + " was removed");
      Files.move(away, store);
      await().until(() -> get(gateway, "/-/ready").statusCode() == 200);
    }
  }
}
