package io.fleetgauge.load.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.fleetgauge.load.compare.PrometheusServer;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.sample.Labels;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real Prometheus, which scrapes the probes that {@code /api/v1/sd} tells of. */
class HttpDiscoveryTest {
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path folder;

  @Test
  void prometheusScrapesTheProbesOfTheFleet() throws Exception {
    HttpServer probe =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    byte[] page = "gpu_power_watts 300\n".getBytes(UTF_8);
    probe.createContext(
        "/metrics",
        http -> {
          http.getResponseHeaders().add("Content-Type", "text/plain; version=0.0.4");
          http.sendResponseHeaders(200, page.length);
          http.getResponseBody().write(page);
          http.close();
        });
    probe.start();
    String address = "127.0.0.1:" + probe.getAddress().getPort();
    try (FleetAndPrometheus servers = new FleetAndPrometheus(folder)) {
      long now = System.currentTimeMillis() / 1_000 * 1_000;
      RemoteWriteBody body = RemoteWriteBody.v1();
      body.series(
          Labels.of(
              "__name__",
              "up",
              "Hostname",
              "n1",
              "instance",
              address,
              "job",
              "fleetgauge-probe",
              "rack",
              "r7"),
          new long[] {now - 1_000},
          new double[] {1});
      servers.write(body);
      await().atMost(SOON).until(() -> get(servers, "/api/v1/sd").contains(address));
      int port = LocalPorts.free(1).getFirst();
      Path scraping = Files.createDirectory(folder.resolve("scraping"));
      Files.writeString(
          scraping.resolve("prometheus.yml"),
          """
          scrape_configs:
            - job_name: fleetgauge
              scrape_interval: 1s
              scrape_timeout: 1s
              http_sd_configs:
                - {url: '%s/api/v1/sd', refresh_interval: 1s}
              relabel_configs:
                - {source_labels: [__meta_fleetgauge_rack], target_label: rack}
                - {source_labels: [__meta_fleetgauge_host], target_label: Hostname}
          """
              .formatted(servers.address()));
      try (PrometheusServer prometheus = PrometheusServer.of(scraping, port)) {
        await()
            .atMost(SOON)
            .until(
                () ->
                    servers
                        .get(prometheus.address(), "/api/v1/query?query=gpu_power_watts")
                        .body()
                        .contains("\"300\""));
        JsonNode targets =
            JSON.readTree(servers.get(prometheus.address(), "/api/v1/targets").body())
                .path("data")
                .path("activeTargets");
        assertThat(targets).hasSize(1);
        assertThat(targets.get(0).path("health").asText()).isEqualTo("up");
        assertThat(targets.get(0).path("labels"))
            .isEqualTo(
                JSON.readTree(
                    """
                    {"Hostname": "n1", "instance": "%s", "job": "fleetgauge", "rack": "r7"}
                    """
                        .formatted(address)));
      }
    } finally {
      probe.stop(0);
    }
  }

  private static String get(FleetAndPrometheus servers, String path) throws Exception {
    return servers.get(servers.address(), path).body();
  }
}
