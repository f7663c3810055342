package io.fleetgauge.load.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.load.fleet.AlertmanagerServer;
import io.fleetgauge.load.fleet.LocalFleet;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.query.QueryProcess;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.Slots;
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
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The real Prometheus and a fleet evaluate the same rule file over the same samples, each at its
 * own clock, which is one.
 */
class RulesComparisonTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long SECONDS = Integer.getInteger("fleetgauge.rules.seconds", 40);

  private static final String RULES =
      """
      groups:
        - name: recorded
          interval: 2s
          labels: {origin: rules}
          rules:
            - record: rack:load:sum
              expr: sum by (rack) (load)
            - record: rack:load:double
              expr: 2 * rack:load:sum
              labels: {kind: double}
            - record: load:rate
              expr: sum without (host) (rate(ticks_total[10s]))
            - record: dup
              expr: label_replace(load, "host", "", "host", ".*")
        - name: alerts
          interval: 2s
          limit: 5
          rules:
            - alert: High
              expr: load > 10
              for: 6s
              labels: {severity: page, short: '{{ $labels.host | toUpper }}'}
              annotations:
                summary: '{{ $labels.host }} in {{ $labels.rack }}: {{ $value | humanize }}'
                total: '{{ with query "sum(load)" }}{{ . | first | value | printf "%.1f" }}{{ end }}'
            - alert: Now
              expr: sum by (rack) (load) > 15
              keep_firing_for: 4s
              annotations: {broken: '{{ $labels.rack }}{{ template "absent" }}'}
            - alert: TooMany
              expr: count_values without () ("v", load) >= 0 or load >= 0 or ticks_total >= 0
            - alert: Gone
              expr: absent(load{host="h0"})
              for: 4s
      """;

  /** Rules that vmalert evaluates, too. It has slots of its own, so alerts begin at other times. */
  private static final String BOTH =
      """
      groups:
        - name: both
          interval: 2s
          rules:
            - record: host:load:double
              expr: 2 * load
            - record: both:load:max
              expr: max by (rack) (load)
              labels: {kind: most}
            - alert: Busy
              expr: load{host!="h0"} > 10
              for: 2s
              labels: {severity: page, short: '{{ $labels.host | toUpper }}'}
              annotations: {summary: '{{ $labels.host }} in {{ $labels.rack }}: {{ $value | humanize }}'}
            - alert: Away
              expr: absent(load{host="h0"})
              for: 2s
              annotations: {summary: 'h0 is away'}
      """;

  private static final String ALERTMANAGER =
      """
      route: {receiver: hook, group_by: ['...'], group_wait: 0s, group_interval: 1s, repeat_interval: 1h}
      receivers: [{name: hook, webhook_configs: [{url: 'http://%s/hook', send_resolved: true}]}]
      """;

  @TempDir private Path folder;
  private final HttpClient client = HttpClient.newHttpClient();

  @Test
  void recordedSeriesAlertsAndNotificationsAreThoseOfPrometheus() throws Exception {
    Path file = Files.writeString(folder.resolve("rules.yml"), RULES);
    Path both = Files.writeString(folder.resolve("both.yml"), BOTH);
    Path p = Files.createDirectory(folder.resolve("p"));
    try (NotificationReceiver theirs = new NotificationReceiver();
        NotificationReceiver ours = new NotificationReceiver();
        NotificationReceiver ofVmalert = new NotificationReceiver();
        AlertmanagerServer theirManager = alertmanager("a1", theirs);
        AlertmanagerServer ourManager = alertmanager("a2", ours)) {
      Files.writeString(
          p.resolve("prometheus.yml"),
          """
          global: {evaluation_interval: 2s, external_labels: {site: s1}}
          rule_files: [%s, %s]
          alerting: {alertmanagers: [{static_configs: [{targets: ["%s", "%s"]}]}]}
          """
              .formatted(file, both, theirs.address(), theirManager.address().getAuthority()));
      try (LocalFleet fleet =
              new LocalFleet(
                  "rules-" + System.nanoTime(),
                  LocalPorts.free(3),
                  folder.resolve("g"),
                  System::currentTimeMillis);
          PrometheusServer prometheus = PrometheusServer.of(p, LocalPorts.free(1).getFirst());
          PrometheusServer ofVmalertWritten =
              new PrometheusServer(Files.createDirectory(folder.resolve("v")), Set.of())) {
        fleet.startGateway(0, Duration.ofHours(24));
        fleet.startGateway(0, Duration.ofHours(24));
        QueryConfig wanted =
            QueryConfig.read(
                "rules",
                """
                rules:
                  bundled: false
                  files: [%s, %s]
                  evaluationInterval: 2s
                  externalLabels: {site: s1}
                  folder: %s
                  alertmanagers: {here: {urls: ["http://%s"]}, real: {urls: ["%s"]}}
                """
                    .formatted(
                        file,
                        both,
                        folder.resolve("states"),
                        ours.address(),
                        ourManager.address()));
        QueryProcess query =
            fleet.startQuery(config -> config.with(wanted.rules(), wanted.notifications()));
        URI address = URI.create("http://127.0.0.1:" + query.port());
        try (VmalertServer vmalert =
            new VmalertServer(
                folder,
                LocalPorts.free(1).getFirst(),
                both,
                address,
                ofVmalert.address(),
                ofVmalertWritten.address())) {
          long begun = System.currentTimeMillis();
          play(file, List.of(prometheus.address(), fleet.gatewayAddresses().getFirst()));
          agreesWithPrometheus(address, prometheus.address(), begun, ours, theirs);
          assertThat(ours.forwarded(begun))
              .as("what the Alertmanagers forward")
              .isNotEmpty()
              .anyMatch(each -> each.startsWith("resolved"));
          await("what the Alertmanagers forward")
              .atMost(Duration.ofMinutes(10))
              .untilAsserted(
                  () ->
                      assertThat(ours.forwarded(begun + 8_000))
                          .isEqualTo(theirs.forwarded(begun + 8_000)));
          agreesWithVmalert(address, vmalert, ofVmalertWritten.address(), ours, ofVmalert);
        }
      }
    }
  }

  private AlertmanagerServer alertmanager(String name, NotificationReceiver receiver)
      throws Exception {
    Path of = Files.createDirectory(folder.resolve(name));
    Path config =
        Files.writeString(of.resolve("config.yml"), ALERTMANAGER.formatted(receiver.address()));
    return new AlertmanagerServer(config, of, "127.0.0.1", LocalPorts.free(1).getFirst());
  }

  private void agreesWithPrometheus(
      URI ours,
      URI theirs,
      long begun,
      NotificationReceiver ourAlerts,
      NotificationReceiver theirAlerts)
      throws Exception {
    long from = (begun / 1_000 + 8) * 1_000;
    long to = from + (SECONDS - 10) * 1_000;
    for (String each :
        List.of(
            "rack:load:sum",
            "rack:load:double",
            "load:rate",
            "dup",
            "ALERTS",
            "ALERTS_FOR_STATE")) {
      await(each)
          .atMost(Duration.ofMinutes(10))
          .untilAsserted(
              () ->
                  assertThat(samples(ours, each, from, to))
                      .isEqualTo(samples(theirs, each, from, to)));
    }
    assertThat(samples(ours, "ALERTS", from, to)).contains("firing").contains("pending");
    await("notifications")
        .atMost(Duration.ofMinutes(10))
        .untilAsserted(() -> assertThat(ourAlerts.since(from)).isEqualTo(theirAlerts.since(from)));
    assertThat(ourAlerts.since(from).size()).isGreaterThan(5);
    assertThat(rules(ours)).isEqualTo(rules(theirs));
  }

  /** vmalert, which asks the query API, records and tells the same. */
  private void agreesWithVmalert(
      URI ours,
      VmalertServer vmalert,
      URI written,
      NotificationReceiver ourAlerts,
      NotificationReceiver theirAlerts)
      throws Exception {
    for (String each : List.of("host:load:double", "both:load:max")) {
      // The samples are constant now, so that the times of slots make no difference.
      assertThat(newest(written, each)).as(each).isNotEmpty().isEqualTo(newest(ours, each));
    }
    assertThat(theirAlerts.told("Busy")).hasSize(3).isEqualTo(ourAlerts.told("Busy"));
    assertThat(theirAlerts.told("Away")).hasSize(1).isEqualTo(ourAlerts.told("Away"));
    assertThat(firing(vmalert.address()))
        .isNotEmpty()
        .isEqualTo(firing(ours))
        .doesNotContain("Away");
  }

  private TreeSet<String> newest(URI server, String metric) throws Exception {
    TreeSet<String> values = new TreeSet<>();
    JsonNode answer = JSON.readTree(get(server, "/api/v1/query?query=" + metric));
    for (JsonNode each : answer.at("/data/result")) {
      TreeSet<String> labels = new TreeSet<>();
      each.path("metric").properties().forEach(label -> labels.add(label.toString()));
      labels.remove("site=\"s1\"");
      values.add(labels + " " + each.at("/value/1").asText());
    }
    return values;
  }

  private TreeSet<String> firing(URI server) throws Exception {
    TreeSet<String> firing = new TreeSet<>();
    for (JsonNode each : JSON.readTree(get(server, "/api/v1/alerts")).at("/data/alerts")) {
      String name =
          each.has("name") ? each.path("name").asText() : each.at("/labels/alertname").asText();
      if (each.path("state").asText().equals("firing")
          && (name.equals("Busy") || name.equals("Away"))) {
        firing.add(
            name + " " + each.at("/labels/host").asText() + " " + each.path("value").asDouble());
      }
    }
    return firing;
  }

  /**
   * Sends a sample of each series for each second, as far from the times of evaluation as possible,
   * and waits until that second has come. They are sent ahead of their time, so that no evaluation
   * depends on how soon one arrives.
   */
  private void play(Path file, List<URI> servers) throws Exception {
    long first = Slots.offset(new RuleGroup.Id("", file.toString(), "recorded"), 2_000) % 1_000;
    long second = Slots.offset(new RuleGroup.Id("", file.toString(), "alerts"), 2_000) % 1_000;
    long apart = Math.floorMod(second - first, 1_000L);
    long phase = (apart >= 500 ? first + apart / 2 : first + apart + (1_000 - apart) / 2) % 1_000;
    // The first samples of a host wait until the cluster knows it.
    RemoteWriteBody hosts = RemoteWriteBody.v1();
    for (int host = 0; host < 4; host++) {
      hosts.series(labels("up", host), System.currentTimeMillis(), 1);
    }
    for (URI server : servers) {
      write(server, hosts);
    }
    long start = (System.currentTimeMillis() / 1_000 + 1) * 1_000 + phase;
    for (int at = 0; at < SECONDS; at++) {
      long time = start + at * 1_000L;
      RemoteWriteBody body = RemoteWriteBody.v1();
      for (int host = 0; host < 4; host++) {
        if (host == 0 && at > 14 && at < 24) {
          // h0 is gone: its series ends.
          if (at == 15) {
            body.series(labels("load", host), time, io.fleetgauge.sample.Staleness.MARKER);
          }
          continue;
        }
        boolean isHigh = at >= 10 && at < 22 - host || at >= 28;
        body.series(labels("load", host), time, isHigh ? 11 + host : 2 + host);
        body.series(labels("ticks_total", host), time, at * (host + 1));
      }
      for (URI server : servers) {
        write(server, body);
      }
    }
    await("the last sample").until(() -> System.currentTimeMillis() > start + SECONDS * 1_000L);
  }

  private static Labels labels(String metric, int host) {
    return Labels.of(
        "__name__", metric, "Hostname", "h" + host, "host", "h" + host, "rack", "r" + host / 2);
  }

  private void write(URI server, RemoteWriteBody body) {
    await()
        .atMost(Duration.ofMinutes(10))
        .until(
            () ->
                client
                        .send(
                            HttpRequest.newBuilder(server.resolve("/api/v1/write"))
                                .header("Content-Encoding", "snappy")
                                .header("Content-Type", RemoteWriteBody.V1_TYPE)
                                .POST(HttpRequest.BodyPublishers.ofByteArray(body.compressed()))
                                .build(),
                            HttpResponse.BodyHandlers.discarding())
                        .statusCode()
                    == 204);
  }

  /** All samples of a metric, and what an instant query sees in each half second. */
  private String samples(URI server, String metric, long from, long to) throws Exception {
    long seconds = (to - from) / 1_000;
    String raw =
        get(
            server,
            "/api/v1/query?query="
                + encoded(metric + "[" + seconds + "s]")
                + "&time="
                + to / 1_000);
    String seen =
        get(
            server,
            "/api/v1/query_range?query="
                + encoded(metric)
                + "&start="
                + from / 1_000
                + "&end="
                + to / 1_000
                + "&step=0.5");
    return lines(raw) + "\n" + lines(seen);
  }

  private static String lines(String body) throws IOException {
    TreeSet<String> lines = new TreeSet<>();
    JsonNode answer = JSON.readTree(body);
    for (JsonNode each : answer.at("/data/result")) {
      TreeSet<String> labels = new TreeSet<>();
      each.path("metric").properties().forEach(label -> labels.add(label.toString()));
      lines.add(labels + " " + each.path("values"));
    }
    return String.join("\n", lines);
  }

  /** The rules as both show them, without times. */
  private List<String> rules(URI server) throws Exception {
    List<String> rules = new ArrayList<>();
    for (JsonNode group : JSON.readTree(get(server, "/api/v1/rules")).at("/data/groups")) {
      for (JsonNode rule : group.path("rules")) {
        rules.add(
            group.path("name").asText()
                + " "
                + rule.path("name").asText()
                + " "
                + rule.path("query").asText()
                + " "
                + rule.path("labels")
                + rule.path("annotations")
                + rule.path("health").asText()
                + rule.path("type").asText()
                + rule.path("duration")
                + rule.path("keepFiringFor")
                + rule.path("lastError").asText());
      }
    }
    return rules;
  }

  private String get(URI server, String path) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(server.resolve(path)).build();
    return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
