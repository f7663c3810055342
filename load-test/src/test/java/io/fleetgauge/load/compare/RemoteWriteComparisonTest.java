package io.fleetgauge.load.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.load.fleet.LocalFleet;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.query.QueryProcess;
import io.fleetgauge.sample.Staleness;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.xerial.snappy.Snappy;

/**
 * The same remote writes, good and bad, to a gateway and to the real Prometheus: the same statuses,
 * the same counts, the same samples afterwards. And Prometheus itself as the sender.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RemoteWriteComparisonTest {
  private static final String WRITE = "/api/v1/write";

  /** Prometheus 3.5 drops a part of these in silence, which is a bug of it; both keep the rest. */
  private static final Set<String> TOLD_HERE =
      Set.of("one_no name", "one_label twice", "one_two values", "two_two values");

  private final HttpClient client = HttpClient.newHttpClient();
  private final long now = System.currentTimeMillis() / 1_000 * 1_000 - 60_000;
  private Path folder;
  private PrometheusServer prometheus;
  private LocalFleet fleet;
  private QueryProcess query;

  @BeforeAll
  void start(@TempDir Path temporary) throws Exception {
    folder = temporary;
    prometheus = new PrometheusServer(Files.createDirectory(folder.resolve("p")), Set.of());
    fleet =
        new LocalFleet(
            "remote-write", LocalPorts.free(3), folder.resolve("g"), System::currentTimeMillis);
    fleet.startGateway(0, Duration.ofHours(24));
    fleet.startGateway(0, Duration.ofHours(24));
    query = fleet.startQuery("127.0.0.1", 0);
  }

  @AfterAll
  void stop() {
    if (fleet != null) {
      fleet.close();
    }
    prometheus.close();
  }

  private record Answer(int status, Map<String, String> written) {}

  private Answer post(URI server, byte[] body, Map<String, String> headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.resolve(WRITE))
            .timeout(Duration.ofMinutes(2))
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    headers.forEach(request::header);
    HttpResponse<String> response =
        client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    Map<String, String> written = new TreeMap<>();
    response
        .headers()
        .map()
        .forEach(
            (name, values) -> {
              if (name.toLowerCase().startsWith("x-prometheus-remote-write-")) {
                written.put(name.toLowerCase(), values.getFirst());
              }
            });
    return new Answer(response.statusCode(), written);
  }

  private static Map<String, String> headers(String type) {
    return Map.of("Content-Encoding", "snappy", "Content-Type", type);
  }

  private static String[] pairs(String name, String... more) {
    List<String> pairs = new ArrayList<>(List.of("Hostname", "h1", "__name__", name));
    pairs.addAll(List.of(more));
    return pairs.toArray(String[]::new);
  }

  private static RemoteWriteBody one(RemoteWriteBody body, String[] pairs, long time, double v) {
    return body.series(pairs, new long[] {time}, new double[] {v});
  }

  @Test
  void everyBadInputIsAnsweredAsPrometheusDoes() throws Exception {
    Map<String, Map.Entry<byte[], Map<String, String>>> cases = new java.util.LinkedHashMap<>();
    String v1 = RemoteWriteBody.V1_TYPE;
    String v2 = RemoteWriteBody.V2_TYPE;
    byte[] good = one(RemoteWriteBody.v1(), pairs("a"), now, 1).compressed();
    cases.put("empty 1", Map.entry(RemoteWriteBody.v1().compressed(), headers(v1)));
    cases.put("empty 2", Map.entry(RemoteWriteBody.v2().compressed(), headers(v2)));
    cases.put("no headers", Map.entry(good, Map.of()));
    cases.put("other media type", Map.entry(good, headers("application/json")));
    cases.put("unknown message", Map.entry(good, headers("application/x-protobuf;proto=io.foo")));
    cases.put("gzip", Map.entry(good, Map.of("Content-Encoding", "gzip", "Content-Type", v1)));
    cases.put("corrupt snappy", Map.entry(new byte[] {-1, -1, -1, -1, -1}, headers(v1)));
    cases.put("corrupt protobuf", Map.entry(Snappy.compress(new byte[] {10, -1, 1}), headers(v1)));
    cases.put("too large", Map.entry(Snappy.compress(new byte[(32 << 20) + 1]), headers(v1)));
    for (String type : List.of(v1, v2)) {
      boolean second = type.equals(v2);
      String s = second ? "two_" : "one_";
      cases.put(s + "new", Map.entry(body(second, s + "b", now, 1), headers(type)));
      cases.put(s + "same", Map.entry(body(second, s + "b", now, 1), headers(type)));
      cases.put(s + "other", Map.entry(body(second, s + "b", now, 2), headers(type)));
      cases.put(
          s + "ancient", Map.entry(body(second, s + "b", now - 86_400_000, 2), headers(type)));
      cases.put(s + "future", Map.entry(body(second, s + "b", now + 3_600_000, 2), headers(type)));
      cases.put(
          s + "no name",
          Map.entry(
              many(second, new String[] {"x", "y"}, pairs(s + "c")).compressed(), headers(type)));
      cases.put(
          s + "label twice",
          Map.entry(
              many(second, pairs(s + "d", "Hostname", "h1"), pairs(s + "e")).compressed(),
              headers(type)));
      cases.put(
          s + "two values",
          Map.entry(
              one(many(second, pairs(s + "k"), pairs(s + "l")), pairs(s + "k"), now, 2)
                  .compressed(),
              headers(type)));
      cases.put(
          s + "unsorted",
          Map.entry(
              many(second, new String[] {"z", "1", "a", "2", "__name__", s + "f"}).compressed(),
              headers(type)));
      cases.put(
          s + "empty value",
          Map.entry(many(second, pairs(s + "g", "x", "")).compressed(), headers(type)));
      cases.put(
          s + "UTF-8",
          Map.entry(many(second, pairs(s + "h.é", "ö", "1")).compressed(), headers(type)));
      cases.put(
          s + "good and bad",
          Map.entry(
              one(one(start(second), pairs(s + "i"), now, 1), pairs(s + "b"), now, 7).compressed(),
              headers(type)));
    }
    cases.put("1 as 2", Map.entry(good, headers(v2)));
    cases.put("2 as 1", Map.entry(body(true, "j", now, 1), headers(v1)));
    int number = 0;
    for (var each : cases.entrySet()) {
      // By turns at one gateway and at the other: any of them takes remote writes.
      URI gateway = fleet.gatewayAddresses().get(number++ % 2);
      byte[] body = each.getValue().getKey();
      Answer theirs = post(prometheus.address(), body, each.getValue().getValue());
      if (TOLD_HERE.contains(each.getKey())) {
        assertThat(theirs.status()).as(each.getKey()).isEqualTo(204);
        Map<String, String> written = new TreeMap<>(theirs.written());
        // Prometheus counts what it drops there as written.
        written.computeIfPresent("x-prometheus-remote-write-samples-written", (name, count) -> "2");
        theirs = new Answer(400, written);
      }
      assertThat(post(gateway, body, each.getValue().getValue()))
          .as(each.getKey())
          .isEqualTo(theirs);
    }
    assertSameAnswers("{__name__=~\"(one|two)_.*|a|j\"}[10m]");
    assertThat(series("one_i")).as("of a message of version 1 nothing is kept").isZero();
    assertThat(series("two_i")).as("of version 2 the good part").isOne();
  }

  private static RemoteWriteBody start(boolean second) {
    return second ? RemoteWriteBody.v2() : RemoteWriteBody.v1();
  }

  private byte[] body(boolean second, String name, long time, double value) {
    return one(start(second), pairs(name), time, value).compressed();
  }

  private RemoteWriteBody many(boolean second, String[]... series) {
    RemoteWriteBody body = start(second);
    for (String[] pairs : series) {
      one(body, pairs, now, 1);
    }
    return body;
  }

  private int series(String name) throws Exception {
    return new AnswerComparison(prometheus.address(), queryAddress())
        .tested("/api/v1/query", Map.of("query", name, "time", "" + (now / 1000 + 1)))
        .path("data")
        .path("result")
        .size();
  }

  private URI queryAddress() {
    return URI.create("http://127.0.0.1:" + query.port());
  }

  private void assertSameAnswers(String selector) throws Exception {
    AnswerComparison comparison = new AnswerComparison(prometheus.address(), queryAddress());
    Map<String, String> parameters = Map.of("query", selector, "time", "" + (now / 1000 + 60));
    await()
        .atMost(Duration.ofMinutes(10))
        .untilAsserted(
            () ->
                assertThat(comparison.difference("/api/v1/query", parameters))
                    .isEqualTo(Optional.empty()));
    assertThat(
            comparison.reference("/api/v1/query", parameters).path("data").path("result").isEmpty())
        .isFalse();
  }

  @Test
  void aReferenceOutsideTheTableIsRefusedAndNotACrash() throws Exception {
    byte[] message = {34, 0, 42, 4, 10, 2, 1, 99};
    Answer answer =
        post(
            fleet.gatewayAddresses().getFirst(),
            Snappy.compress(message),
            headers(RemoteWriteBody.V2_TYPE));
    assertThat(answer.status()).isEqualTo(400);
  }

  @Test
  void lateSamplesOfTheLastHourAreTaken() throws Exception {
    URI gateway = fleet.gatewayAddresses().getFirst();
    Map<String, String> v1 = headers(RemoteWriteBody.V1_TYPE);
    assertThat(post(gateway, body(false, "late", now, 1), v1).status()).isEqualTo(204);
    assertThat(post(gateway, body(false, "late", now - 3_000_000, 2), v1).status()).isEqualTo(204);
    assertThat(post(gateway, body(false, "late", now - 3_000_000, 3), v1).status()).isEqualTo(400);
  }

  @Test
  void prometheusWritesHereAndBothAnswerTheSame() throws Exception {
    for (String message : List.of("prometheus.WriteRequest", "io.prometheus.write.v2.Request")) {
      Path own = Files.createTempDirectory(folder, "sender");
      int port = LocalPorts.free(1).getFirst();
      String config =
          """
          global: {scrape_interval: 1s}
          scrape_configs:
            - job_name: self
              static_configs: [{targets: ["127.0.0.1:%d"]}]
              relabel_configs: [{target_label: sender, replacement: "%s"}]
          remote_write:
            - url: "%s"
              protobuf_message: %s
              queue_config: {batch_send_deadline: 200ms, max_shards: 2}
          """
              .formatted(
                  port, message, fleet.gatewayAddresses().getFirst().resolve(WRITE), message);
      Files.writeString(own.resolve("prometheus.yml"), config, StandardCharsets.UTF_8);
      try (PrometheusServer sender = PrometheusServer.of(own, port)) {
        AnswerComparison comparison = new AnswerComparison(sender.address(), queryAddress());
        String selector = "{sender=\"" + message + "\"}";
        Map<String, String> count =
            new HashMap<>(Map.of("query", "count_over_time(up" + selector + "[1m]) >= 4"));
        await()
            .atMost(Duration.ofMinutes(10))
            .until(
                () ->
                    !comparison
                        .reference("/api/v1/query", count)
                        .path("data")
                        .path("result")
                        .isEmpty());
        double then = System.currentTimeMillis() / 1000.0;
        for (String question :
            List.of(
                selector + "[1m]",
                "count by (__name__) (" + selector + ")",
                "sum by (job) (rate(prometheus_http_requests_total" + selector + "[1m]))")) {
          Map<String, String> parameters = Map.of("query", question, "time", "" + then);
          await()
              .atMost(Duration.ofMinutes(10))
              .untilAsserted(
                  () ->
                      assertThat(comparison.difference("/api/v1/query", parameters))
                          .isEqualTo(Optional.empty()));
        }
      }
    }
  }

  @Test
  void ownersOfGpusAreLabelsAsInAPrometheusWithChurnAndAddNoSeries() throws Exception {
    // 50 hosts of 2 GPUs; each host changes its job 20 times in the hour: 1,000 changes.
    long start = now - 3_600_000;
    List<RemoteWriteBody> bodies = new ArrayList<>();
    for (int tick = 0; tick < 60; tick++) {
      RemoteWriteBody body = RemoteWriteBody.v1();
      for (int host = 0; host < 50; host++) {
        int job = (tick + host) / 3;
        boolean changes = tick > 0 && (tick + host) % 3 == 0;
        for (int gpu = 0; gpu < 2; gpu++) {
          for (String metric : List.of("churn_util", "churn_joules_total")) {
            double value = metric.equals("churn_util") ? (tick * 7 + host) % 101 : tick * 500.0;
            if (changes) {
              one(
                  body,
                  owned(metric, host, gpu, job - 1),
                  start + tick * 60_000L,
                  Staleness.MARKER);
            }
            one(body, owned(metric, host, gpu, job), start + tick * 60_000L, value);
          }
        }
      }
      bodies.add(body);
    }
    for (int i = 0; i < bodies.size(); i++) {
      byte[] compressed = bodies.get(i).compressed();
      Map<String, String> v1 = headers(RemoteWriteBody.V1_TYPE);
      assertThat(post(prometheus.address(), compressed, v1).status()).isEqualTo(204);
      assertThat(post(fleet.gatewayAddresses().get(i % 2), compressed, v1).status()).isEqualTo(204);
      if (i == 2 || i == bodies.size() - 1) {
        // Each on two gateways; a replica acknowledges what is in its journal, and stores it later.
        await()
            .atMost(Duration.ofMinutes(10))
            .untilAsserted(() -> assertThat(storedSeries("churn-")).isEqualTo(2 * 50 * 2 * 2));
      }
    }
    AnswerComparison comparison = new AnswerComparison(prometheus.address(), queryAddress());
    Map<String, String> range =
        Map.of("start", "" + start / 1000, "end", "" + now / 1000, "step", "37");
    List<String> different = new ArrayList<>();
    for (String question :
        List.of(
            "churn_util",
            "churn_util{job=\"job-7\"}",
            "count by (job) (churn_util)",
            "sum by (tenant) (churn_util)",
            "avg by (job, tenant) (churn_util{tenant!=\"tenant-1\"})",
            "sum without (UUID) (rate(churn_joules_total[5m]))",
            "max_over_time(churn_util{job=~\"job-1.*\"}[3m])",
            "count(churn_util{job=\"\"}) or vector(0)",
            "churn_util offset 10m and on (UUID) churn_util{tenant=\"tenant-2\"}")) {
      Map<String, String> parameters = new HashMap<>(range);
      parameters.put("query", question);
      comparison
          .difference("/api/v1/query_range", parameters)
          .ifPresent(what -> different.add(question + ": " + what));
    }
    for (String path :
        List.of("/api/v1/label/job/values", "/api/v1/label/tenant/values", "/api/v1/series")) {
      Map<String, String> parameters =
          Map.of(
              "match[]", "churn_util{tenant!=\"tenant-0\"}",
              "start", "" + (start / 1000 + 600),
              "end", "" + (start / 1000 + 660));
      // Prometheus lists by whole chunks of two hours here, so ours are among its.
      Set<String> ours = new java.util.TreeSet<>();
      comparison.tested(path, parameters).path("data").forEach(each -> ours.add(each.toString()));
      Set<String> theirs = new java.util.TreeSet<>();
      comparison
          .reference(path, parameters)
          .path("data")
          .forEach(each -> theirs.add(each.toString()));
      assertThat(theirs).as(path).containsAll(ours);
      assertThat(ours).as(path).isNotEmpty();
    }
    assertThat(different).isEmpty();
  }

  private static String[] owned(String metric, int host, int gpu, int job) {
    return new String[] {
      "Hostname", "churn-" + host,
      "UUID", "GPU-" + host + "-" + gpu,
      "__name__", metric,
      "gpu", "" + gpu,
      "job", "job-" + job,
      "tenant", "tenant-" + job % 4
    };
  }

  /** Series of some hosts, from the gateways' own count of what they store. */
  private long storedSeries(String hosts) {
    return fleet.gateways().stream().mapToLong(gateway -> gateway.seriesOf(hosts)).sum();
  }
}
