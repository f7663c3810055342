package io.fleetgauge.load.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.sample.Labels;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests of clients, and the answers that break them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ContractTest {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);
  private static final String FORM = "application/x-www-form-urlencoded";

  private final long now = System.currentTimeMillis() / 1_000 * 1_000 - 30_000;
  private FleetAndPrometheus servers;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    servers = new FleetAndPrometheus(folder);
    RemoteWriteBody body = RemoteWriteBody.v1();
    for (int host = 0; host < 4; host++) {
      long[] times = new long[40];
      double[] values = new double[40];
      for (int i = 0; i < 40; i++) {
        times[i] = now - (39 - i) * 15_000L;
        values[i] = host + i / 4.0;
      }
      body.series(FleetAndPrometheus.gpu("gpu_utilization_ratio", host, 0), times, values);
      body.series(FleetAndPrometheus.gpu("DCGM_FI_DEV_GPU_TEMP", host, 0), times, values);
    }
    body.series(
        Labels.of("__name__", "odd é", "Hostname", "n0", "lbl é", "<&>\u2028\u0001/\"\\"), now, 1);
    servers.write(body);
    await()
        .atMost(Duration.ofMinutes(10))
        .until(
            () ->
                servers.asker().query("count(gpu_utilization_ratio)").toString().contains("\"4\""));
  }

  @AfterAll
  void stop() {
    servers.close();
  }

  // --- recorded requests ---

  @TestFactory
  List<DynamicTest> everyRecordedRequestGetsTheStatusThatItGotFromPrometheus() throws Exception {
    List<DynamicTest> tests = new ArrayList<>();
    try (var in = ContractTest.class.getResourceAsStream("/api/client-captures.jsonl")) {
      for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
        JsonNode capture = JSON.readTree(line);
        tests.add(DynamicTest.dynamicTest(capture.path("name").asText(), () -> replay(capture)));
      }
    }
    assertThat(tests).hasSizeGreaterThan(20);
    return tests;
  }

  private void replay(JsonNode capture) throws Exception {
    String path = capture.path("path").asText();
    URI server =
        path.startsWith("/api/v1/write")
            ? servers.fleet.gatewayAddresses().getLast()
            : servers.address();
    byte[] body =
        capture.has("body_base64")
            ? Base64.getDecoder().decode(capture.path("body_base64").asText())
            : capture.path("body").asText("").getBytes(StandardCharsets.UTF_8);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.resolve(path))
            .method(capture.path("method").asText(), HttpRequest.BodyPublishers.ofByteArray(body));
    capture
        .path("headers")
        .forEach(
            header -> {
              if (!header.get(0).asText().equalsIgnoreCase("connection")) {
                request.header(header.get(0).asText(), header.get(1).asText());
              }
            });
    HttpResponse<byte[]> answer =
        servers.client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    int wanted = capture.path("answer_status").asInt();
    if (path.startsWith("/api/v1/write") && wanted == 204) {
      // Recorded some days ago: what is too old by now is refused for good.
      assertThat(answer.statusCode()).isIn(204, 400);
    } else {
      assertThat(answer.statusCode()).as(new String(answer.body())).isEqualTo(wanted);
    }
    for (JsonNode header : capture.path("answer_headers")) {
      String name = header.get(0).asText();
      String value = header.get(1).asText();
      // Histograms apart, lines of text are an answer to every scrape.
      if (name.equals("Content-Type") && !value.contains("MetricFamily")) {
        assertThat(answer.headers().firstValue(name)).contains(value);
      }
    }
  }

  // --- the list of what breaks clients ---

  private HttpResponse<String> post(String path, String type, String body) throws Exception {
    return servers.client.send(
        HttpRequest.newBuilder(servers.address().resolve(path))
            .header("Content-Type", type)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private HttpResponse<String> get(String path, String... headers) throws Exception {
    return servers.get(servers.address(), path, headers);
  }

  @Test
  void wholeSecondsAreWrittenWhole() throws Exception {
    assertThat(get("/api/v1/query?query=vector(1)&time=1700000000").body())
        .contains("\"value\":[1700000000,\"1\"]");
    assertThat(get("/api/v1/query?query=vector(1)&time=1700000000.5").body())
        .contains("[1700000000.500,\"1\"]");
  }

  @Test
  void parametersComeFromTheUrlAndTheFormWhateverTheTypeOfAnEmptyBody() throws Exception {
    String path = "/api/v1/query?query=1%2B1&time=5";
    assertThat(post(path, "application/json", "").body()).contains("[5,\"2\"]");
    assertThat(post("/api/v1/query?time=5", FORM + ";charset=UTF-8", "query=1%2B1").body())
        .contains("[5,\"2\"]");
    assertThat(post("/api/v1/query?query=3&unknown=7&time=5", FORM, "query=4").body())
        .contains("[5,\"4\"]");
  }

  @ParameterizedTest
  @CsvSource({
    "/api/v1/query?query=sum(, 400, bad_data",
    "/api/v1/query, 400, bad_data",
    "/api/v1/query_range?query=1&start=1&end=0&step=1, 400, bad_data",
    "/api/v1/query_range?query=1&start=0&end=11001&step=1, 400, bad_data",
    "/api/v1/query?query=label_replace(up%2C\"a\"%2C\"\"%2C\"b\"%2C\"(\"), 400, bad_data",
    "/api/v1/query?query=1&timeout=0, 503, timeout",
    "/api/v1/series, 400, bad_data",
    "/api/v1/labels?limit=-1, 400, bad_data",
    "/api/v1/rules?type=x, 400, bad_data",
    "/api/v1/query_exemplars?query=up(, 400, bad_data"
  })
  void errorsHaveTheirTextAndNoData(String path, int status, String type) throws Exception {
    HttpResponse<String> answer = get(path.replace("\"", "%22"));
    JsonNode body = JSON.readTree(answer.body());
    assertThat(body.path("status").asText()).isEqualTo("error");
    assertThat(body.has("data")).isFalse();
    assertThat(body.path("error").asText()).isNotBlank();
    if (!path.contains("label_replace")) {
      assertThat(answer.statusCode()).isEqualTo(status);
      assertThat(body.path("errorType").asText()).isEqualTo(type);
    }
  }

  @Test
  void valuesAreTextsAndNothingIsNull() throws Exception {
    assertThat(get("/api/v1/query?query=0/0&time=1").body()).contains("[1,\"NaN\"]");
    assertThat(get("/api/v1/query?query=-1/0&time=1").body()).contains("[1,\"-Inf\"]");
    assertThat(get("/api/v1/query?query=vector(1)&time=1").body()).contains("\"metric\":{}");
    for (String path :
        List.of(
            "/api/v1/query?query=nosuch",
            "/api/v1/query_range?query=nosuch&start=0&end=10&step=1",
            "/api/v1/label/nosuch/values",
            "/api/v1/series?match%5B%5D=nosuch",
            "/api/v1/query_exemplars?query=test&start=1600000000000&end=1700000000000")) {
      assertThat(get(path).body()).contains("[]").doesNotContain("null");
    }
  }

  @Test
  void stepsAreNotAligned() throws Exception {
    long start = now / 1_000 - 101;
    String path =
        "/api/v1/query_range?query=sum(gpu_utilization_ratio)&start=%d.7&end=%d.7&step=7"
            .formatted(start, start + 70);
    JsonNode values =
        JSON.readTree(get(path).body()).path("data").path("result").get(0).path("values");
    assertThat(values).hasSize(11);
    for (int i = 0; i < 11; i++) {
      assertThat(values.get(i).get(0).decimalValue().toPlainString())
          .isEqualTo(start + 7 * i + ".7");
    }
  }

  @Test
  void whatGrafanaTakesForAnotherProductIsNotThere() throws Exception {
    JsonNode info = JSON.readTree(get("/api/v1/status/buildinfo").body()).path("data");
    assertThat(info.path("version").asText()).startsWith("3.5.");
    assertThat(info.has("features")).isFalse();
    assertThat(post("/api/v1/status/buildinfo", FORM, "").statusCode()).isEqualTo(200);
    assertThat(get("/rules/test/test").statusCode()).isEqualTo(404);
    assertThat(get("/api/v1/search/metric_names").statusCode()).isEqualTo(404);
    assertThat(get("/api/v1/features").statusCode()).isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "start=-9223372036854775&end=9223372036854775",
        "start=1600000000000&end=1700000000000",
        "start=-292273086-05-16T16:47:06Z&end=2030-01-01T00:00:00Z",
        "start=0&end=4102444800"
      })
  void rangesFarOutsideTheDataAreNotRefused(String range) throws Exception {
    for (String path :
        List.of(
            "/api/v1/labels?",
            "/api/v1/label/rack/values?",
            "/api/v1/query_exemplars?query=a&",
            "/api/v1/series?match%5B%5D=gpu_utilization_ratio&")) {
      HttpResponse<String> ours = get(path + range);
      HttpResponse<String> theirs = servers.get(servers.prometheus.address(), path + range);
      assertThat(ours.statusCode()).as(path).isEqualTo(theirs.statusCode());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gzip, deflate, br, zstd | gzip",
        "gzip | gzip",
        "zstd | ''",
        "'' | ''",
        "deflate | deflate",
        "identity | ''",
        "br;q=1.0, gzip;q=0.5 | gzip"
      })
  void answersAreCompressedAsAskedForAndNeverOtherwise(String asked, String wanted)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
            servers
                .address()
                .resolve(
                    "/api/v1/query_range?query=gpu_utilization_ratio&step=15&start="
                        + (now / 1_000 - 600)
                        + "&end="
                        + now / 1_000));
    if (!asked.isEmpty()) {
      request.header("Accept-Encoding", asked);
    }
    HttpResponse<byte[]> answer =
        servers.client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    assertThat(answer.headers().firstValue("Content-Encoding").orElse("")).isEqualTo(wanted);
    if (wanted.equals("gzip")) {
      byte[] body = new GZIPInputStream(new ByteArrayInputStream(answer.body())).readAllBytes();
      assertThat(JSON.readTree(body).path("status").asText()).isEqualTo("success");
    }
  }

  @Test
  void limitsCutOffAndSaySo() throws Exception {
    for (String path :
        List.of(
            "/api/v1/labels?",
            "/api/v1/label/Hostname/values?",
            "/api/v1/series?match%5B%5D=gpu_utilization_ratio&",
            "/api/v1/query?query=gpu_utilization_ratio&")) {
      JsonNode all = JSON.readTree(get(path + "limit=0").body());
      JsonNode two = JSON.readTree(get(path + "limit=2").body());
      assertThat(all.has("warnings")).isFalse();
      assertThat(two.path("warnings").get(0).asText()).isEqualTo("results truncated due to limit");
      JsonNode items = path.contains("query") ? two.path("data").path("result") : two.path("data");
      assertThat(items).hasSize(2);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/v1/labels",
        "/api/v1/labels?match%5B%5D=odd",
        "/api/v1/label/rack/values",
        "/api/v1/label/U__lbl_20__e9_/values",
        "/api/v1/label/__name__/values",
        "/api/v1/label/nosuch/values",
        "/api/v1/series?match%5B%5D=%7B__name__=~%22.%2B%22%7D",
        "/api/v1/query_exemplars?query=gpu_utilization_ratio&start=1&end=2",
        "/api/v1/rules",
        "/api/v1/alerts",
        "/api/v1/alertmanagers",
        "/api/v1/format_query?query=sum(a)by(b)",
        "/api/v1/targets/metadata",
        "/api/v1/query?query=%7B%22odd+%C3%A9%22%7D"
      })
  void whatPrometheusAnswersWeAnswer(String path) throws Exception {
    String timed = path.contains("query=%7B") ? path + "&time=" + now / 1_000 : path;
    HttpResponse<String> theirs = servers.get(servers.prometheus.address(), timed);
    HttpResponse<String> ours = get(timed);
    if (path.contains("series")) {
      // Theirs come in an order of their own.
      assertThat(JSON.readTree(ours.body()).path("data"))
          .containsExactlyInAnyOrderElementsOf(JSON.readTree(theirs.body()).path("data"));
    } else {
      assertThat(ours.body()).isEqualTo(theirs.body());
    }
    assertThat(ours.statusCode()).isEqualTo(theirs.statusCode());
    assertThat(ours.headers().firstValue("Content-Type"))
        .isEqualTo(theirs.headers().firstValue("Content-Type"));
  }

  @ParameterizedTest
  @CsvSource({
    "/api/v1/status/buildinfo",
    "/api/v1/status/config",
    "/api/v1/status/flags",
    "/api/v1/status/runtimeinfo",
    "/api/v1/status/tsdb",
    "/api/v1/targets",
    "/api/v1/scrape_pools"
  })
  void statusHasTheShapeThatItHasInPrometheus(String path) throws Exception {
    JsonNode ours = JSON.readTree(get(path).body()).path("data");
    JsonNode theirs =
        JSON.readTree(servers.get(servers.prometheus.address(), path).body()).path("data");
    Set<String> names = new java.util.TreeSet<>();
    theirs.fieldNames().forEachRemaining(names::add);
    for (String name : names) {
      if (path.endsWith("flags")) {
        continue; // theirs are of their command line
      }
      assertThat(ours.has(name)).as("%s of %s", name, path).isTrue();
      assertThat(ours.path(name).getNodeType()).as(name).isEqualTo(theirs.path(name).getNodeType());
    }
    assertThat(ours.isObject()).isTrue();
  }

  @Test
  void metadataIsOfTheTableAndOfSenders() throws Exception {
    JsonNode all = JSON.readTree(get("/api/v1/metadata").body()).path("data");
    JsonNode temperature = all.path("DCGM_FI_DEV_GPU_TEMP").get(0);
    assertThat(temperature.path("type").asText()).isEqualTo("gauge");
    assertThat(temperature.path("unit").asText()).isEqualTo("celsius");
    assertThat(temperature.path("help").asText()).contains("Temperature");
    assertThat(JSON.readTree(get("/api/v1/metadata?metric=nosuch").body()).path("data")).isEmpty();
    assertThat(JSON.readTree(get("/api/v1/metadata?limit=1").body()).path("data")).hasSize(1);
  }

  @Test
  void targetsAreOurHosts() throws Exception {
    JsonNode targets =
        JSON.readTree(get("/api/v1/targets?state=active").body())
            .path("data")
            .path("activeTargets");
    List<String> names = new ArrayList<>();
    targets.forEach(target -> names.add(target.path("labels").path("instance").asText()));
    assertThat(names).contains("n0", "n1", "n2", "n3");
    assertThat(targets.get(0).path("health").asText()).isIn("up", "down");
    assertThat(targets.get(0).path("lastScrape").asText()).matches("\\d{4}-.*Z");
    assertThat(
            JSON.readTree(get("/api/v1/targets?state=dropped").body())
                .path("data")
                .path("activeTargets"))
        .isEmpty();
  }

  @Test
  void pagesOfOtherOriginsMayNotReadAndWrongMethodsAreTold() throws Exception {
    HttpResponse<String> answer = get("/api/v1/labels", "Origin", "http://example.org");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().map()).doesNotContainKey("access-control-allow-origin");
    for (Map.Entry<String, Integer> each :
        Map.of("OPTIONS", 204, "DELETE", 405, "HEAD", 405, "PUT", 405).entrySet()) {
      HttpResponse<Void> other =
          servers.client.send(
              HttpRequest.newBuilder(servers.address().resolve("/api/v1/query"))
                  .method(each.getKey(), HttpRequest.BodyPublishers.noBody())
                  .build(),
              HttpResponse.BodyHandlers.discarding());
      assertThat(other.statusCode()).as(each.getKey()).isEqualTo(each.getValue());
      if (each.getValue() == 405) {
        assertThat(other.headers().firstValue("Allow")).contains("GET, OPTIONS, POST");
      }
    }
  }
}
