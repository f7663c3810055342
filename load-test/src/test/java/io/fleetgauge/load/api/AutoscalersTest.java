package io.fleetgauge.load.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fleetgauge.load.fleet.LocalFleet;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Requests of prometheus-adapter and KEDA when they are configured as in {@code k8s/autoscaling},
 * and what they need of the answers: both replayed from their sources, against gateways that store
 * pods as owners.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AutoscalersTest {
  private static final Path EXAMPLES =
      Path.of(System.getProperty("fleetgauge.root")).resolve("k8s/autoscaling");
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long NOW = 1_795_300_000_000L;
  private static final long TICK = 15_000;
  private static final String UTIL = "DCGM_FI_DEV_GPU_UTIL";
  private static final String ENGINE = "DCGM_FI_PROF_GR_ENGINE_ACTIVE";
  private static final String SHARE = "gpu_container_utilization_ratio";
  private static final String MEMORY = "gpu_container_memory_bytes";
  private static final String TOKEN = "token-of-inference";

  private final HttpClient client = HttpClient.newHttpClient();
  private LocalFleet fleet;
  private URI query;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    fleet =
        new LocalFleet("autoscalers-" + System.nanoTime(), LocalPorts.free(3), folder, () -> NOW);
    Path secret = Files.writeString(folder.resolve("secret"), "a-secret-of-the-cluster");
    Path tenants =
        Files.writeString(
            folder.resolve("tenants.yaml"),
            """
            tenants:
              inference: {scope: '{tenant="inference"}', tokens: {t: {sha256: %s}}}
              all: {tokens: {t: {sha256: %s, rights: [read, write]}}}
            """
                .formatted(hash(TOKEN), hash("token-of-all")));
    fleet.secure(
        Optional.of(tenants), TrustSettings.ofSecret(Optional.of(secret)), Optional.empty());
    fleet.startGateway(0, Duration.ofHours(24));
    fleet.startGateway(0, Duration.ofHours(24));
    query = URI.create("http://127.0.0.1:" + fleet.startQuery("127.0.0.1", 0).port());
    write(samples());
    await()
        .atMost(Duration.ofMinutes(10))
        .until(
            () ->
                get("token-of-all", "/api/v1/query?query=count(" + UTIL + ")")
                    .body()
                    .contains("\"5\""));
  }

  @AfterAll
  void stop() {
    fleet.close();
    client.close();
  }

  private static String hash(String token) throws Exception {
    return HexFormat.of()
        .formatHex(
            MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
  }

  private static Labels gpu(String metric, int gpu) {
    return Labels.of(Labels.NAME, metric, "Hostname", "n1", "UUID", "GPU-" + gpu, "gpu", "" + gpu);
  }

  private static Labels owner(String pod) {
    return Labels.of(
        "pod", pod, "namespace", "inference", "container", "main", "tenant", "inference");
  }

  /**
   * llm-0 has GPU 0, llm-1 had GPU 1 until ten ticks ago, when llm-2 got it, llm-3 has two GPUs;
   * GPU 4 belongs to nobody, embeddings-0 and -1 share GPU 5, and a pod of another tenant GPU 6.
   */
  private static RemoteWriteBody samples() {
    RemoteWriteBody body = RemoteWriteBody.v1();
    series(body, gpu(UTIL, 0).with(owner("llm-0")), 40, 0, 80);
    series(body, gpu(UTIL, 1).with(owner("llm-1")), 40, 11, 99);
    body.series(gpu(UTIL, 1).with(owner("llm-1")), NOW - 10 * TICK, Staleness.MARKER);
    series(body, gpu(UTIL, 1).with(owner("llm-2")), 10, 0, 10);
    series(body, gpu(UTIL, 2).with(owner("llm-3")), 40, 0, 20);
    series(body, gpu(UTIL, 3).with(owner("llm-3")), 40, 0, 60);
    series(body, gpu(UTIL, 4), 40, 0, 0);
    series(body, gpu(ENGINE, 0).with("GPU_I_ID", "1").with(owner("mig-0")), 40, 0, 0.5);
    for (int pod = 0; pod < 2; pod++) {
      Labels container = owner("embeddings-" + pod).with("container_id", "id" + pod);
      series(body, gpu(SHARE, 5).with(container), 40, 0, 0.25 + pod / 8.0);
      series(body, gpu(MEMORY, 5).with(container), 40, 0, 1e9 + pod);
    }
    return body;
  }

  private static void series(
      RemoteWriteBody body, Labels labels, int firstAgo, int lastAgo, double value) {
    int count = firstAgo - lastAgo + 1;
    long[] times = new long[count];
    double[] values = new double[count];
    for (int i = 0; i < count; i++) {
      times[i] = NOW - (firstAgo - i) * TICK;
      values[i] = value;
    }
    body.series(labels, times, values);
  }

  private void write(RemoteWriteBody body) throws Exception {
    HttpResponse<String> answer =
        client.send(
            HttpRequest.newBuilder(fleet.gatewayAddresses().getFirst().resolve("/api/v1/write"))
                .header("Authorization", "Bearer token-of-all")
                .header("Content-Encoding", "snappy")
                .header("Content-Type", RemoteWriteBody.V1_TYPE)
                .POST(HttpRequest.BodyPublishers.ofByteArray(body.compressed()))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
  }

  private HttpResponse<String> get(String token, String path) throws Exception {
    return client.send(
        HttpRequest.newBuilder(query.resolve(path))
            .header("Authorization", "Bearer " + token)
            .timeout(Duration.ofMinutes(1))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private JsonNode data(String path) throws Exception {
    HttpResponse<String> answer = get(TOKEN, path);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    JsonNode envelope = JSON.readTree(answer.body());
    assertThat(envelope.path("status").asText()).isEqualTo("success");
    return envelope.path("data");
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /** The documents of an example. */
  private static List<JsonNode> example(String name) throws Exception {
    List<JsonNode> documents = new ArrayList<>();
    try (var all =
        new YAMLMapper().readerFor(JsonNode.class).readValues(EXAMPLES.resolve(name).toFile())) {
      while (all.hasNext()) {
        documents.add((JsonNode) all.next());
      }
    }
    return documents;
  }

  // --- prometheus-adapter ---

  private static List<JsonNode> rules() throws Exception {
    List<JsonNode> rules = new ArrayList<>();
    example("prometheus-adapter.yaml").getFirst().path("rules").path("custom").forEach(rules::add);
    return rules;
  }

  private static JsonNode rule(String metric) throws Exception {
    return rules().stream()
        .filter(rule -> rule.path("name").path("as").asText().equals(metric))
        .findFirst()
        .orElseThrow();
  }

  /** As the adapter writes times: seconds with milliseconds. */
  private static String seconds(long millis) {
    return "%d.%03d".formatted(millis / 1_000, millis % 1_000);
  }

  /** Request of the adapter every time it looks for new series. */
  private List<Map<String, String>> discovered(JsonNode rule) throws Exception {
    long start = NOW - Duration.ofMinutes(1).toMillis();
    List<Map<String, String>> found = new ArrayList<>();
    for (JsonNode labels :
        data(
            "/api/v1/series?match%5B%5D="
                + encoded(rule.path("seriesQuery").asText())
                + "&start="
                + seconds(start))) {
      Map<String, String> texts = new TreeMap<>();
      labels
          .properties()
          .forEach(
              label -> {
                assertThat(label.getValue().isTextual()).isTrue();
                texts.put(label.getKey(), label.getValue().asText());
              });
      found.add(texts);
    }
    return found;
  }

  private static TreeSet<String> pods(List<Map<String, String>> series) {
    TreeSet<String> pods = new TreeSet<>();
    series.forEach(each -> pods.add(each.get("pod")));
    return pods;
  }

  @Test
  void theAdapterDiscoversThePodsThatHaveGpusNow() throws Exception {
    Map<String, List<String>> expected =
        Map.of(
            "gpu_utilization", List.of("llm-0", "llm-2", "llm-3"),
            "gpu_engine_active", List.of("mig-0"),
            "gpu_container_utilization", List.of("embeddings-0", "embeddings-1"),
            "gpu_container_memory", List.of("embeddings-0", "embeddings-1"));
    assertThat(rules()).hasSize(expected.size());
    for (JsonNode rule : rules()) {
      List<Map<String, String>> series = discovered(rule);
      String metric = rule.path("name").path("as").asText();
      assertThat(pods(series)).as(metric).containsExactlyElementsOf(expected.get(metric));
      for (Map<String, String> each : series) {
        assertThat(each.get("namespace")).isEqualTo("inference");
        assertThat(each.get(Labels.NAME)).matches(rule.path("name").path("matches").asText());
        // Each of these labels is a resource for the adapter.
        rule.path("resources")
            .path("overrides")
            .fieldNames()
            .forEachRemaining(label -> assertThat(each.get(label)).isNotEmpty());
      }
    }
  }

  /** Request of the adapter when an autoscaler asks for the metric of pods. */
  private Map<String, Double> values(String metric, String... pods) throws Exception {
    JsonNode rule = rule(metric);
    String series = discovered(rule).getFirst().get(Labels.NAME);
    String matchers =
        "namespace=\"inference\",pod"
            + (pods.length == 1 ? "=\"" : "=~\"")
            + String.join("|", pods)
            + "\"";
    String text =
        rule.path("metricsQuery")
            .asText()
            .replace("<<.Series>>", series)
            .replace("<<.LabelMatchers>>", matchers)
            .replace("<<.GroupBy>>", "pod");
    assertThat(text).doesNotContain("<<");
    JsonNode data =
        data("/api/v1/query?query=" + encoded(text) + "&time=" + seconds(NOW) + "&timeout=1m");
    assertThat(data.path("resultType").asText()).isEqualTo("vector");
    Map<String, Double> values = new TreeMap<>();
    for (JsonNode sample : data.path("result")) {
      assertThat(sample.path("metric").size()).as("the adapter finds the pod by it").isEqualTo(1);
      assertThat(sample.path("value").get(1).isTextual()).isTrue();
      assertThat(
              values.put(
                  sample.path("metric").path("pod").asText(),
                  Double.valueOf(sample.path("value").get(1).asText())))
          .as("one value for each pod")
          .isNull();
    }
    return values;
  }

  @Test
  void theAdapterGetsOneValueForEachPod() throws Exception {
    assertThat(values("gpu_utilization", "llm-0", "llm-2", "llm-3", "web-0"))
        .isEqualTo(Map.of("llm-0", 80.0, "llm-2", 10.0, "llm-3", 40.0));
    assertThat(values("gpu_utilization", "llm-0")).isEqualTo(Map.of("llm-0", 80.0));
    assertThat(values("gpu_engine_active", "mig-0")).isEqualTo(Map.of("mig-0", 0.5));
    assertThat(values("gpu_container_utilization", "embeddings-0", "embeddings-1"))
        .isEqualTo(Map.of("embeddings-0", 0.25, "embeddings-1", 0.375));
    assertThat(values("gpu_container_memory", "embeddings-1"))
        .isEqualTo(Map.of("embeddings-1", 1e9 + 1));
  }

  @Test
  void aPodThatHasLostItsGpuHasNoValueFromThatTickOn() throws Exception {
    assertThat(values("gpu_utilization", "llm-1")).isEmpty();
    String before = "/api/v1/query?query=" + encoded("sum(" + UTIL + ") by (pod)") + "&time=";
    for (Map.Entry<Integer, String> each : Map.of(11, "llm-1", 10, "llm-2").entrySet()) {
      JsonNode result = data(before + seconds(NOW - each.getKey() * TICK)).path("result");
      assertThat(result.findValuesAsText("pod"))
          .containsExactlyInAnyOrder("llm-0", each.getValue(), "llm-3");
    }
  }

  @Test
  void theAdapterIsToldOfErrorsInJson() throws Exception {
    HttpResponse<String> wrong = get(TOKEN, "/api/v1/query?query=sum(&time=" + seconds(NOW));
    assertThat(wrong.statusCode()).isEqualTo(400);
    assertThat(JSON.readTree(wrong.body()).path("errorType").asText()).isEqualTo("bad_data");
    assertThat(get("nobody", "/api/v1/series?match%5B%5D=" + UTIL).statusCode()).isEqualTo(401);
  }

  @Test
  void theAutoscalersAskForMetricsOfTheAdapter() throws Exception {
    TreeSet<String> offered = new TreeSet<>();
    rules().forEach(rule -> offered.add(rule.path("name").path("as").asText()));
    List<JsonNode> autoscalers = example("hpa.yaml");
    assertThat(autoscalers).hasSize(2);
    for (JsonNode autoscaler : autoscalers) {
      assertThat(autoscaler.path("apiVersion").asText()).isEqualTo("autoscaling/v2");
      assertThat(autoscaler.path("kind").asText()).isEqualTo("HorizontalPodAutoscaler");
      for (JsonNode metric : autoscaler.path("spec").path("metrics")) {
        assertThat(offered).contains(metric.path("pods").path("metric").path("name").asText());
      }
    }
  }

  // --- KEDA ---

  private List<String> kedaQueries() throws Exception {
    List<String> queries = new ArrayList<>();
    for (JsonNode document : example("keda.yaml")) {
      for (JsonNode trigger : document.path("spec").path("triggers")) {
        assertThat(trigger.path("type").asText()).isEqualTo("prometheus");
        queries.add(trigger.path("metadata").path("query").asText());
      }
    }
    return queries;
  }

  /** Request of KEDA at each poll. */
  private JsonNode keda(String text) throws Exception {
    String time = Instant.ofEpochMilli(NOW).truncatedTo(ChronoUnit.SECONDS).toString();
    return data("/api/v1/query?query=" + encoded(text) + "&time=" + time).path("result");
  }

  @Test
  void kedaGetsExactlyOneElementWithATextForAValue() throws Exception {
    List<String> values = new ArrayList<>();
    for (String text : kedaQueries()) {
      JsonNode result = keda(text);
      assertThat(result).as(text).hasSize(1);
      assertThat(result.get(0).path("metric").isObject()).isTrue();
      assertThat(result.get(0).path("value").get(1).isTextual()).isTrue();
      values.add(result.get(0).path("value").get(1).asText());
    }
    assertThat(values).containsExactly("42.5", "0.625");
  }

  @Test
  void kedaGetsNoElementWhenNoPodHasAGpu() throws Exception {
    assertThat(keda("avg(" + UTIL + "{namespace=\"inference\",pod=~\"none-.*\"})").toString())
        .isEqualTo("[]");
  }
}
