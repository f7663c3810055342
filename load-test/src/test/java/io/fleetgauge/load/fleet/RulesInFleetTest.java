package io.fleetgauge.load.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.query.QueryProcess;
import io.fleetgauge.query.config.RulesSettings;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules on a real fleet of one process of each kind, or of two query APIs. */
class RulesInFleetTest {
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String RULES =
      """
      groups:
        - name: one
          interval: 1s
          rules:
            - record: fleet:load:sum
              expr: sum(load)
            - record: fleet:load:double
              expr: 2 * fleet:load:sum
            - alert: Loaded
              expr: load > 5
              for: 2s
              labels: {severity: page}
              annotations: {summary: "{{ $labels.Hostname }} has {{ $value }}"}
        - name: two
          interval: 1s
          rules:
            - record: host:load:max
              expr: max by (Hostname) (load)
      """;

  @TempDir Path folder;

  private static JsonNode query(QueryProcess api, String text) throws Exception {
    String path = "/api/v1/query?query=" + URLEncoder.encode(text, StandardCharsets.UTF_8);
    return get(api, path).path("data").path("result");
  }

  private static JsonNode get(QueryProcess api, String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + api.port() + path)).build();
    String body = CLIENT.send(request, HttpResponse.BodyHandlers.ofString()).body();
    return path.equals("/metrics") ? JSON.getNodeFactory().textNode(body) : JSON.readTree(body);
  }

  private static void send(URI gateway, double value) throws Exception {
    long now = System.currentTimeMillis();
    byte[] body =
        RemoteWriteBody.v1()
            .series(Labels.of("__name__", "load", "Hostname", "n1"), now, value)
            .series(Labels.of("__name__", "load", "Hostname", "n2"), now, 1)
            .compressed();
    HttpRequest request =
        HttpRequest.newBuilder(gateway.resolve("/api/v1/write"))
            .header("Content-Type", RemoteWriteBody.V1_TYPE)
            .header("Content-Encoding", "snappy")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .build();
    HttpResponse<String> answer = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
  }

  private LocalFleet fleet(int processes) {
    return new LocalFleet(
        "rules-" + System.nanoTime(),
        LocalPorts.free(processes),
        folder,
        System::currentTimeMillis);
  }

  private QueryProcess startQuery(LocalFleet fleet, int number) throws Exception {
    Path rules = folder.resolve("rules.yaml");
    Files.writeString(rules, RULES);
    return fleet.startQuery(
        base ->
            base.with(
                RulesSettings.of(
                    List.of(rules.toString()), Optional.of(folder.resolve("rules-" + number)))));
  }

  @Test
  void whatRulesRecordIsThereForQueries() throws Exception {
    try (LocalFleet fleet = fleet(2)) {
      URI gateway = fleet.startGateway(0, Duration.ofHours(1)).address();
      QueryProcess api = startQuery(fleet, 1);
      await()
          .atMost(SOON)
          .untilAsserted(
              () -> {
                send(gateway, 7);
                assertThat(query(api, "fleet:load:double").path(0).path("value").path(1).asText())
                    .isEqualTo("16");
                assertThat(query(api, "host:load:max")).hasSize(2);
                JsonNode alerts = query(api, "ALERTS{alertstate=\"firing\"}");
                assertThat(alerts).hasSize(1);
                assertThat(alerts.path(0).path("metric").path("Hostname").asText()).isEqualTo("n1");
              });
      JsonNode alerts = get(api, "/api/v1/alerts").path("data").path("alerts");
      assertThat(alerts).hasSize(1);
      assertThat(alerts.path(0).path("annotations").path("summary").asText()).isEqualTo("n1 has 7");
      String metrics = get(api, "/metrics").asText();
      assertThat(metrics)
          .contains("fleetgauge_query_rule_groups_owned 2.0")
          .contains("fleetgauge_query_rule_group_iterations_missed_total 0.0")
          .contains("fleetgauge_query_hosts 2.0");
      // With one gateway no host has a replica; those of the rules' own results do not count
      // either.
      assertThat(metrics).contains("fleetgauge_query_hosts_on_two 0.0");
    }
  }

  @Test
  void seriesOfARemovedGroupEnd() throws Exception {
    try (LocalFleet fleet = fleet(2)) {
      URI gateway = fleet.startGateway(0, Duration.ofHours(1)).address();
      QueryProcess api = startQuery(fleet, 1);
      await()
          .atMost(SOON)
          .untilAsserted(
              () -> {
                send(gateway, 7);
                assertThat(query(api, "ALERTS{alertstate=\"firing\"}")).hasSize(1);
                assertThat(query(api, "fleet:load:sum")).hasSize(1);
              });
      String changed = RULES.replace("name: one", "name: three").replace("Loaded", "Busy");
      Files.writeString(folder.resolve("rules.yaml"), changed);
      await()
          .atMost(SOON)
          .untilAsserted(
              () -> {
                send(gateway, 7);
                assertThat(query(api, "ALERTS{alertname=\"Busy\"}")).hasSize(1);
                assertThat(query(api, "ALERTS{alertname=\"Loaded\"}")).isEmpty();
                assertThat(query(api, "ALERTS_FOR_STATE{alertname=\"Loaded\"}")).isEmpty();
                assertThat(query(api, "fleet:load:sum")).as("the new group writes it").hasSize(1);
              });
    }
  }

  @Test
  void twoQueryApisShareTheGroupsAndEachKnowsTheStatesOfAll() throws Exception {
    try (LocalFleet fleet = fleet(3)) {
      URI gateway = fleet.startGateway(0, Duration.ofHours(1)).address();
      QueryProcess one = startQuery(fleet, 1);
      QueryProcess two = startQuery(fleet, 2);
      List<QueryProcess> both = List.of(one, two);
      await()
          .atMost(SOON)
          .untilAsserted(
              () -> {
                send(gateway, 7);
                List<Double> owned = new ArrayList<>();
                for (QueryProcess each : both) {
                  String metrics = get(each, "/metrics").asText();
                  owned.add(metric(metrics, "fleetgauge_query_rule_groups_owned"));
                  assertThat(metric(metrics, "fleetgauge_query_rule_peers")).isEqualTo(1);
                  assertThat(get(each, "/api/v1/alerts").path("data").path("alerts")).hasSize(1);
                }
                assertThat(owned).containsExactly(1.0, 1.0);
              });
      two.close();
      await()
          .atMost(SOON)
          .untilAsserted(
              () -> {
                send(gateway, 7);
                assertThat(
                        metric(get(one, "/metrics").asText(), "fleetgauge_query_rule_groups_owned"))
                    .isEqualTo(2);
              });
    }
  }

  private static double metric(String metrics, String name) {
    return metrics
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElse(-1);
  }
}
