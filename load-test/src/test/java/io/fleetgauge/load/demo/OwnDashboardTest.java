package io.fleetgauge.load.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.gateway.config.GatewayConfig;
import io.fleetgauge.load.fleet.LocalFleet;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.QueryClient;
import io.fleetgauge.probe.ProbeProcess;
import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.query.QueryProcess;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Metrics of the processes about themselves, scraped by a probe: every panel of the dashboard about
 * Fleetgauge itself draws, and every metric that the alerts read exists. A gateway tells in the end
 * that its replicas are whole.
 */
class OwnDashboardTest {
  static final String NAME = "fleetgauge-itself";
  private static final Path MANIFESTS =
      Path.of(System.getProperty("fleetgauge.root"), "k8s/kustomize/components");
  private static final Map<String, String> INTERVALS =
      Map.of("__interval", "15s", "__rate_interval", "1m");
  private static final Duration SOON = Duration.ofMinutes(10);

  @TempDir Path folder;

  @Test
  void thePanelsDrawAndTheAlertsReadWhatTheProcessesSayOfThemselves() throws Exception {
    int port = LocalPorts.free(1).getFirst();
    try (LocalFleet processes =
        new LocalFleet("itself", LocalPorts.free(2), folder, System::currentTimeMillis)) {
      processes.sendTo(
          GatewayConfig.read("test", "remoteWrite: {store: {url: 'http://127.0.0.1:9/write'}}")
              .remoteWrite());
      processes.startGateway(0, Duration.ofHours(1));
      QueryProcess query = processes.startQuery("127.0.0.1", 0);
      String gateway = processes.gatewayAddresses().getFirst().toString();
      try (ProbeProcess probe =
          ProbeProcess.start(config(port, gateway, query.port()), System::currentTimeMillis)) {
        assertThat(probe.port()).isEqualTo(port);
        QueryClient client = new QueryClient(query.port());
        GrafanaDashboard dashboard =
            GrafanaDashboard.read(MANIFESTS.resolve("grafana/dashboards/" + NAME + ".json"));
        client.json("/api/v1/query?query=1"); // so that there is an average duration
        await().atMost(SOON).untilAsserted(() -> assertThat(empty(client, dashboard)).isEmpty());
        assertThat(metricsOf(client)).containsAll(metricsOfAlerts());
        QueryClient ready = new QueryClient(URI.create(gateway).getPort());
        await().atMost(SOON).until(() -> ready.get("/-/ready?replicas=whole").statusCode() == 200);
      }
    }
  }

  private static ProbeConfig config(int port, String gateway, int query) throws Exception {
    return ProbeConfig.read(
        "test",
        """
        hostname: node
        tick: 1s
        http: {host: 127.0.0.1, port: %1$d}
        gateways: ["%2$s"]
        gpu: {library: /nonexistent.so}
        host: {collectors: {defaults: false, on: [loadavg]}}
        spool: {enabled: false}
        recent: {enabled: false}
        scrape:
          fleetgauge-probe: {url: "http://127.0.0.1:%1$d/metrics"}
          fleetgauge-gateway: {url: "%2$s/metrics"}
          fleetgauge-query: {url: "http://127.0.0.1:%3$d/metrics"}
        """
            .formatted(port, gateway, query));
  }

  /** Titles of panels that draw nothing. */
  private static Set<String> empty(QueryClient client, GrafanaDashboard dashboard)
      throws Exception {
    Set<String> empty = new TreeSet<>();
    GrafanaVariables variables = new GrafanaVariables(client, 0, 0, INTERVALS);
    for (GrafanaDashboard.Panel panel : dashboard.panels()) {
      for (GrafanaDashboard.Target target : panel.targets()) {
        JsonNode answer =
            client.json(
                "/api/v1/query?query=" + GrafanaVariables.encode(variables.put(target.text())));
        if (answer.path("data").path("result").isEmpty()) {
          empty.add(panel.title() + ": " + target.text());
        }
      }
    }
    return empty;
  }

  private static Set<String> metricsOf(QueryClient client) throws Exception {
    Set<String> metrics = new TreeSet<>();
    client
        .json("/api/v1/label/__name__/values")
        .path("data")
        .forEach(name -> metrics.add(name.asText()));
    return metrics;
  }

  private static Set<String> metricsOfAlerts() throws Exception {
    Set<String> metrics = new TreeSet<>();
    String rules = Files.readString(MANIFESTS.resolve("prometheus-operator/prometheus-rule.yaml"));
    Matcher names = Pattern.compile("\\b(fleetgauge_[a-z_]+)\\b").matcher(rules);
    while (names.find()) {
      metrics.add(names.group(1));
    }
    assertThat(metrics).hasSizeGreaterThan(20);
    return metrics;
  }
}
