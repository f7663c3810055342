package io.fleetgauge.load.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.load.compare.PrometheusServer;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import java.io.ByteArrayInputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FederateTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TEMPERATURE = "DCGM_FI_DEV_GPU_TEMP";
  private static final String UTF8 =
      "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
          + "text/plain;version=0.0.4;q=0.3,*/*;q=0.2";

  private final long now = System.currentTimeMillis() / 1_000 * 1_000 - 20_000;
  private FleetAndPrometheus servers;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    servers = new FleetAndPrometheus(folder);
    RemoteWriteBody body = RemoteWriteBody.v1();
    for (int host = 0; host < 6; host++) {
      for (int gpu = 0; gpu < 8; gpu++) {
        double value = 30 + host * 1.25 + gpu / 3.0;
        body.series(
            FleetAndPrometheus.gpu(TEMPERATURE, host, gpu),
            new long[] {now - 15_000, now + host},
            new double[] {value - 1, value});
      }
    }
    double[] numbers = {
      0,
      -0.0,
      1,
      -1,
      999_999,
      1_000_000,
      1_234_567,
      123_456_789.125,
      1e15,
      12_300_000_000.0,
      0.0001,
      0.00001,
      -0.000123,
      1e21,
      5e-324,
      Double.MAX_VALUE,
      Double.POSITIVE_INFINITY,
      Double.NEGATIVE_INFINITY,
      Double.NaN,
      0.1,
      -2.5e7,
      1e6 + 0.5,
      9_007_199_254_740_993.0
    };
    for (int i = 0; i < numbers.length; i++) {
      body.series(Labels.of("__name__", "numbers", "Hostname", "n1", "i", "" + i), now, numbers[i]);
    }
    body.series(Labels.of("__name__", "bare"), now, 7);
    body.series(Labels.of("__name__", "own", "instance", "x:1", "Hostname", "n2"), now, 7);
    body.series(
        Labels.of("__name__", "dots.and é", "Hostname", "n3", "lbl é", "v\"\\\n<&", "1a", "x"),
        now,
        1.5);
    body.series(
        Labels.of("__name__", "ended", "Hostname", "n4"),
        new long[] {now - 15_000, now},
        new double[] {1, Staleness.MARKER});
    body.series(Labels.of("__name__", "old", "Hostname", "n4"), now - 400_000, 1);
    servers.write(body);
    await()
        .atMost(Duration.ofMinutes(10))
        .until(() -> servers.asker().values("count(" + TEMPERATURE + ")", "x").size() == 1);
  }

  @AfterAll
  void stop() {
    servers.close();
  }

  private void isAsOfPrometheus(String query, String... headers) throws Exception {
    HttpResponse<String> theirs =
        servers.get(servers.prometheus.address(), "/federate?" + query, headers);
    HttpResponse<String> ours = servers.get(servers.address(), "/federate?" + query, headers);
    assertThat(ours.statusCode()).isEqualTo(theirs.statusCode());
    assertThat(FleetAndPrometheus.lines(ours.body()))
        .isEqualTo(FleetAndPrometheus.lines(theirs.body()));
    if (!ours.body().isEmpty()) {
      assertThat(ours.headers().firstValue("X-Fleetgauge-Completeness").orElseThrow())
          .matches("hosts=(\\d+); answered=\\1; missing=; epoch=\\d+");
    }
    assertThat(ours.headers().firstValue("Content-Type"))
        .isEqualTo(theirs.headers().firstValue("Content-Type"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        TEMPERATURE,
        "{Hostname=\"n1\"}",
        "{__name__=~\"numbers|bare|own|ended|old\"}",
        "{__name__=~\".+\"}",
        TEMPERATURE + "{rack!=\"r1\",gpu=~\"[0-3]\"}",
        "nosuch",
        "{}"
      })
  void itIsThatOfPrometheus(String selector) throws Exception {
    isAsOfPrometheus(FleetAndPrometheus.matches(selector));
    isAsOfPrometheus(FleetAndPrometheus.matches(selector), "Accept", UTF8);
    isAsOfPrometheus(
        FleetAndPrometheus.matches(selector, "numbers", "{i=~\"1.\"}"), "Accept", UTF8);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "*/*",
        "text/plain;version=1.0.0",
        "text/plain;version=1.0.0;escaping=allow-utf-8",
        "text/plain;version=0.0.4;escaping=dots",
        "text/plain; version=0.0.4; escaping=values ; q=0.5",
        "text/plain;version=2.0.0;escaping=dots,*/*",
        "text/plain;escaping=DOTS",
        "text/plain;escaping=\"dots\"",
        "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
        "application/openmetrics-text;version=0.0.1;escaping=values",
        "application/openmetrics-text;escaping=values;q=0.1,text/plain;q=0.9",
        "text/plain;escaping=dots;q=0.1,text/plain;escaping=values;q=0.5",
        "*/*;escaping=dots,text/plain;escaping=values;q=0.1",
        "text/*;escaping=dots",
        "text/plain;escaping=dots;q=0",
        "text/plain;escaping=nonsense",
        "text/plain;Escaping=dots",
        "text/plain;escaping=dots;escaping=values",
        "TEXT/PLAIN;escaping=dots",
        "a,b;escaping=dots,c/d/e;escaping=dots",
        "*;escaping=dots",
        "text/plain;escaping=a=b",
        "text/plain; escaping=allow-utf-8,application/x;q=1;escaping=dots",
        ",;,=,/"
      })
  void namesAreEscapedAsTheScraperAsks(String accept) throws Exception {
    String odd = FleetAndPrometheus.matches("{__name__=~\"dots.*|U__.*|own\"}");
    isAsOfPrometheus(odd, "Accept", accept);
  }

  @Test
  void withoutAMatchItIsEmptyAndAWrongOneIsAnError() throws Exception {
    assertThat(servers.get(servers.address(), "/federate").body()).isEmpty();
    HttpResponse<String> wrong =
        servers.get(servers.address(), "/federate?" + FleetAndPrometheus.matches("a{"));
    assertThat(wrong.statusCode()).isEqualTo(400);
    assertThat(wrong.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/plain");
    assertThat(servers.asker().post("/federate", "").statusCode()).isEqualTo(405);
  }

  @Test
  void samplesAndOwnersOfLateAreSeenAtOnce() throws Exception {
    String query = FleetAndPrometheus.matches("{__name__=\"lately\"}");
    isAsOfPrometheus(query);
    Labels first = FleetAndPrometheus.gpu("lately", 1, 1);
    Labels second = first.with("tenant", "c");
    servers.write(RemoteWriteBody.v1().series(first, now, 1));
    isAsOfPrometheus(query);
    servers.write(
        RemoteWriteBody.v1()
            .series(first, now + 5_000, Staleness.MARKER)
            .series(second, now + 5_000, 2));
    isAsOfPrometheus(query);
    isAsOfPrometheus(FleetAndPrometheus.matches("{__name__=\"lately\",tenant!=\"c\"}"));
    servers.write(RemoteWriteBody.v1().series(second, now + 10_000, 3));
    isAsOfPrometheus(query);
    isAsOfPrometheus(FleetAndPrometheus.matches("{tenant=\"c\"}"));
  }

  private static Map<String, Double> values(String federated) {
    Map<String, Double> values = new TreeMap<>();
    for (String line : federated.lines().toList()) {
      if (!line.startsWith("#")) {
        String[] parts = line.split(" ");
        values.put(parts[0], Double.parseDouble(parts[1]));
      }
    }
    return values;
  }

  @Test
  void reductionsAreWhatQueriesSay() throws Exception {
    for (String by : List.of("rack", "tenant", "Hostname", "rack_tenant")) {
      for (String operator : List.of("avg", "sum", "min", "max", "count")) {
        String name = by + ":" + TEMPERATURE + ":" + operator;
        Map<String, Double> federated =
            values(
                servers
                    .get(servers.address(), "/federate?" + FleetAndPrometheus.matches(name))
                    .body());
        JsonNode result =
            servers
                .asker()
                .query(operator + " by (" + by.replace("_", ",") + ") (" + TEMPERATURE + ")")
                .path("data")
                .path("result");
        assertThat(federated).hasSize(result.size());
        for (JsonNode each : result) {
          StringBuilder key = new StringBuilder(name + "{");
          each.path("metric")
              .properties()
              .forEach(label -> key.append(label.getKey() + "=" + label.getValue() + ","));
          key.append("instance=\"\"}");
          double value = each.path("value").path(1).asDouble();
          assertThat(federated.get(key.toString())).isCloseTo(value, within(1e-9));
        }
      }
    }
    String one = "rack:" + TEMPERATURE + ":avg{rack=\"r1\"}";
    assertThat(
            values(
                servers
                    .get(servers.address(), "/federate?" + FleetAndPrometheus.matches(one))
                    .body()))
        .containsOnlyKeys("rack:" + TEMPERATURE + ":avg{rack=\"r1\",instance=\"\"}");
    assertThat(
            servers.get(servers.address(), "/federate?" + FleetAndPrometheus.matches(one)).body())
        .contains("# TYPE rack:" + TEMPERATURE + ":avg untyped\n")
        .contains(" " + (now + 3) + "\n");
  }

  @Test
  void packedItIsTheSame() throws Exception {
    for (String selector : List.of("{__name__=~\".+\"}", "{__name__=~\".+:.+\"}", "nosuch")) {
      String query = "/federate?" + FleetAndPrometheus.matches(selector, "{__name__=~\"rack:.+\"}");
      HttpResponse<byte[]> packed =
          servers.client.send(
              HttpRequest.newBuilder(servers.address().resolve(query))
                  .header("Accept-Encoding", "gzip")
                  .build(),
              HttpResponse.BodyHandlers.ofByteArray());
      assertThat(packed.headers().firstValue("Content-Encoding")).hasValue("gzip");
      assertThat(new GZIPInputStream(new ByteArrayInputStream(packed.body())).readAllBytes())
          .asString(StandardCharsets.UTF_8)
          .isNotEmpty()
          .isEqualTo(servers.get(servers.address(), query).body());
    }
  }

  @Test
  void partsMakeUpTheWholeAndNothingIsInTwo() throws Exception {
    String query = FleetAndPrometheus.matches("{__name__=~\".+\"}", "{__name__=~\".+:.+\"}");
    Set<String> whole =
        FleetAndPrometheus.lines(servers.get(servers.address(), "/federate?" + query).body());
    assertThat(whole).hasSizeGreaterThan(100);
    List<String> all = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      servers
          .get(servers.address(), "/federate?" + query + "&shard=" + i + "/3")
          .body()
          .lines()
          .filter(line -> !line.startsWith("#"))
          .forEach(all::add);
    }
    assertThat(all).doesNotHaveDuplicates();
    whole.removeIf(line -> line.startsWith("#"));
    assertThat(all).containsExactlyInAnyOrderElementsOf(whole);
    assertThat(servers.get(servers.address(), "/federate?" + query + "&shard=3/3").statusCode())
        .isEqualTo(400);
  }

  @Test
  void aGlobalPrometheusFederatesAndItsAnswersAreOurs(@TempDir Path folder) throws Exception {
    String target = "127.0.0.1:" + servers.query.port();
    Files.writeString(
        folder.resolve("prometheus.yml"),
        """
        scrape_configs:
          - job_name: fleetgauge
            honor_labels: true
            metrics_path: /federate
            scrape_interval: 1s
            params: {"match[]": ['{__name__=~"rack:.*"}', '{__name__="%s"}']}
            static_configs: [{targets: ["%s"]}]
        """
            .formatted(TEMPERATURE, target));
    try (PrometheusServer global = PrometheusServer.of(folder, LocalPorts.free(1).getFirst())) {
      for (String query :
          List.of(
              "sum by (rack) (" + TEMPERATURE + ")",
              TEMPERATURE,
              "max by (tenant) (" + TEMPERATURE + ")")) {
        await()
            .atMost(Duration.ofMinutes(10))
            .untilAsserted(
                () ->
                    assertThat(result(global.address().toString(), query))
                        .isEqualTo(result(servers.address().toString(), query))
                        .isNotEmpty());
      }
      assertThat(result(global.address().toString(), "rack:" + TEMPERATURE + ":max").values())
          .containsExactlyInAnyOrderElementsOf(
              result(servers.address().toString(), "max by (rack) (" + TEMPERATURE + ")").values());
    }
  }

  private Map<String, String> result(String server, String query) throws Exception {
    JsonNode body =
        JSON.readTree(
            servers
                .get(
                    java.net.URI.create(server),
                    "/api/v1/query?query=" + FleetAndPrometheus.encoded(query))
                .body());
    Map<String, String> values = new TreeMap<>();
    body.path("data")
        .path("result")
        .forEach(
            each -> {
              Map<String, String> labels = new TreeMap<>();
              each.path("metric")
                  .properties()
                  .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
              // The scraper names itself where the sample named nobody.
              labels.remove("job");
              values.put(labels.toString(), each.path("value").path(1).asText());
            });
    return values;
  }
}
