package io.fleetgauge.load.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.fleetgauge.cluster.config.QueryConfig;
import io.fleetgauge.load.fleet.LocalFleet;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.query.QueryProcess;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.Slots;
import io.fleetgauge.sample.Labels;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
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

  @TempDir private Path folder;
  private final HttpClient client = HttpClient.newHttpClient();

  /** Takes what is sent to an Alertmanager. */
  private static final class Receiver implements AutoCloseable {
    private final HttpServer server;
    private final Map<String, String> alerts = new ConcurrentHashMap<>();

    private Receiver() throws IOException {
      server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
      server.createContext(
          "/api/v2/alerts",
          exchange -> {
            JsonNode body = JSON.readTree(exchange.getRequestBody());
            for (JsonNode each : body) {
              String link = each.path("generatorURL").asText();
              alerts.put(
                  each.path("labels")
                      + " "
                      + (each.has("annotations") ? each.path("annotations") : "{}")
                      + " "
                      + each.path("startsAt").asText()
                      + " "
                      + each.path("endsAt").asText()
                      + " "
                      + link.substring(link.indexOf("/graph")),
                  each.path("startsAt").asText());
            }
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
          });
      server.start();
    }

    private String address() {
      return "127.0.0.1:" + server.getAddress().getPort();
    }

    /** Those of alerts that began after both were there. */
    private TreeSet<String> since(long time) {
      TreeSet<String> since = new TreeSet<>();
      alerts.forEach(
          (alert, startsAt) -> {
            if (Instant.parse(startsAt).toEpochMilli() > time) {
              since.add(alert);
            }
          });
      return since;
    }

    @Override
    public void close() {
      server.stop(0);
    }
  }

  @Test
  void recordedSeriesAlertsAndNotificationsAreThoseOfPrometheus() throws Exception {
    Path file = Files.writeString(folder.resolve("rules.yml"), RULES);
    Path p = Files.createDirectory(folder.resolve("p"));
    try (Receiver theirs = new Receiver();
        Receiver ours = new Receiver()) {
      Files.writeString(
          p.resolve("prometheus.yml"),
          """
          global: {evaluation_interval: 2s, external_labels: {site: s1}}
          rule_files: [%s]
          alerting: {alertmanagers: [{static_configs: [{targets: ["%s"]}]}]}
          """
              .formatted(file, theirs.address()));
      try (LocalFleet fleet =
              new LocalFleet(
                  "rules-" + System.nanoTime(),
                  LocalPorts.free(3),
                  folder.resolve("g"),
                  System::currentTimeMillis);
          PrometheusServer prometheus = PrometheusServer.of(p, LocalPorts.free(1).getFirst())) {
        fleet.startGateway(0, Duration.ofHours(24));
        fleet.startGateway(0, Duration.ofHours(24));
        QueryConfig wanted =
            QueryConfig.read(
                "rules",
                """
                rules:
                  files: [%s]
                  evaluationInterval: 2s
                  externalLabels: {site: s1}
                  folder: %s
                  alertmanagers: {here: {urls: ["http://%s"]}}
                """
                    .formatted(file, folder.resolve("states"), ours.address()));
        QueryProcess query =
            fleet.startQuery(config -> config.with(wanted.rules(), wanted.notifications()));
        URI address = URI.create("http://127.0.0.1:" + query.port());
        long begun = System.currentTimeMillis();
        play(file, List.of(prometheus.address(), fleet.gatewayAddresses().getFirst()));
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
              .atMost(Duration.ofSeconds(20))
              .untilAsserted(
                  () ->
                      assertThat(samples(address, each, from, to))
                          .isEqualTo(samples(prometheus.address(), each, from, to)));
        }
        assertThat(samples(address, "ALERTS", from, to)).contains("firing").contains("pending");
        await("notifications")
            .atMost(Duration.ofSeconds(10))
            .untilAsserted(() -> assertThat(ours.since(from)).isEqualTo(theirs.since(from)));
        assertThat(ours.since(from).size()).isGreaterThan(5);
        assertThat(rules(address)).isEqualTo(rules(prometheus.address()));
      }
    }
  }

  /** Sends a sample of each series each second, as far from the times of evaluation as possible. */
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
      while (System.currentTimeMillis() < time) {
        LockSupport.parkNanos(1_000_000);
      }
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
  }

  private static Labels labels(String metric, int host) {
    return Labels.of(
        "__name__", metric, "Hostname", "h" + host, "host", "h" + host, "rack", "r" + host / 2);
  }

  private void write(URI server, RemoteWriteBody body) {
    await()
        .atMost(Duration.ofSeconds(10))
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
