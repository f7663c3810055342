package io.fleetgauge.load.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.load.fleet.LocalFleet;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.query.QueryProcess;
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
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two tenants ask as much as they can, and a third one's light query is answered all the same; and
 * what a tenant learns of the others from explanations, headers and listings is nothing.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TenantsTest {
  private static final long NOW = 1_795_300_000_000L / 60_000 * 60_000;
  private static final long TICK = 15_000;
  private static final int TICKS = 720;
  private static final int CHUNK = 60;
  private static final int HOSTS = 6;
  private static final int HEAVY = 64;
  private static final int LIGHT = 16;
  private static final Duration SOON = Duration.ofMinutes(10);

  private static final Pattern HOSTS_OF_HEADER =
      Pattern.compile("hosts=(\\d+); answered=(\\d+); missing=; .*");

  private static final String TENANTS =
      """
      proxies: [127.0.0.1]
      tenants:
        red: {scope: '{team="red"}'}
        blue: {scope: '{team="blue"}'}
        green: {scope: '{team="green"}'}
        one: {scope: '{team="green", gpu="0"}'}
        all: {}
      """;

  private final HttpClient client = HttpClient.newHttpClient();
  private final ObjectMapper json = new ObjectMapper();
  private LocalFleet fleet;
  private URI query;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    Path tenants = Files.writeString(folder.resolve("tenants.yaml"), TENANTS);
    fleet = new LocalFleet("hostile-" + System.nanoTime(), LocalPorts.free(4), folder, () -> NOW);
    for (int i = 0; i < 3; i++) {
      fleet.startGateway(0, Duration.ofHours(24));
    }
    QueryProcess process = fleet.startQuery(base -> base.with(Optional.of(tenants), base.trust()));
    query = URI.create("http://127.0.0.1:" + process.port());
    for (int first = TICKS - CHUNK; first >= 0; first -= CHUNK) {
      write(first);
    }
    await()
        .atMost(SOON)
        .until(() -> get("all", "/api/v1/query?query=count(up)").body().contains("\"18\""));
    await()
        .atMost(SOON)
        .until(
            () ->
                get("all", "/api/v1/query?query=sum(count_over_time(up[3h]))")
                    .body()
                    .contains("\"" + 18 * TICKS + "\""));
  }

  @AfterAll
  void stop() {
    fleet.close();
    client.close();
  }

  /** Red has all hosts, blue all but one, green two; each has a metric of its own. */
  private static List<String> teams(int host) {
    return Stream.of("red", host > 0 ? "blue" : "", host < 2 ? "green" : "")
        .filter(team -> !team.isEmpty())
        .toList();
  }

  /**
   * @param newest how many ticks ago the newest sample is
   */
  private void write(int newest) throws Exception {
    RemoteWriteBody body = RemoteWriteBody.v1();
    long[] times = new long[CHUNK];
    for (int i = 0; i < CHUNK; i++) {
      times[i] = NOW - (newest + CHUNK - 1 - i) * TICK;
    }
    for (int host = 0; host < HOSTS; host++) {
      for (String team : List.of("red", "blue", "green")) {
        double[] up = new double[CHUNK];
        Arrays.fill(up, 1);
        body.series(Labels.of("__name__", "up", "Hostname", "n" + host, "team", team), times, up);
      }
      for (String team : teams(host)) {
        for (int gpu = 0; gpu < 16; gpu++) {
          for (String metric : List.of("shared", "only_" + team)) {
            double[] values = new double[CHUNK];
            for (int i = 0; i < CHUNK; i++) {
              values[i] = Math.sin(times[i] * (gpu + 1)) * host;
            }
            body.series(
                Labels.of(
                    "__name__", metric, "Hostname", "n" + host, "gpu", "" + gpu, "team", team),
                times,
                values);
          }
        }
      }
    }
    HttpRequest request =
        HttpRequest.newBuilder(fleet.gatewayAddresses().getFirst().resolve("/api/v1/write"))
            .header("Content-Encoding", "snappy")
            .header("Content-Type", RemoteWriteBody.V1_TYPE)
            .POST(HttpRequest.BodyPublishers.ofByteArray(body.compressed()))
            .build();
    await()
        .atMost(SOON)
        .until(
            () -> client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 204);
  }

  private HttpRequest request(String tenant, String path) {
    return HttpRequest.newBuilder(query.resolve(path)).header("X-Scope-OrgID", tenant).build();
  }

  private HttpResponse<String> get(String tenant, String path) throws Exception {
    return client.send(request(tenant, path), HttpResponse.BodyHandlers.ofString());
  }

  private JsonNode data(String tenant, String path) throws Exception {
    return json.readTree(get(tenant, path).body()).path("data");
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  // --- fairness ---

  /** Reads windows of three hours at a thousand steps; each asks something else. */
  private static String heavy(int number) {
    String text = "quantile_over_time(0." + (100 + number) + ", shared[3h])";
    return "/api/v1/query_range?query="
        + encoded(text)
        + "&start="
        + (NOW / 1000 - 9_990)
        + "&end="
        + NOW / 1000
        + "&step=10&nocache=1&timeout=100s";
  }

  private long heavyRunning() throws Exception {
    long running = 0;
    for (String tenant : List.of("red", "blue")) {
      for (JsonNode each : data(tenant, "/api/v1/status/queries")) {
        running += each.path("query").asText().startsWith("quantile_over_time") ? 1 : 0;
      }
    }
    return running;
  }

  private List<Double> light() throws Exception {
    List<Double> millis = new ArrayList<>();
    for (int i = 0; i < LIGHT; i++) {
      long begin = System.nanoTime();
      HttpResponse<String> answer = get("green", "/api/v1/query?query=up&nocache=1");
      millis.add((System.nanoTime() - begin) / 1e6);
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      assertThat(json.readTree(answer.body()).path("data").path("result")).hasSize(HOSTS);
    }
    millis.sort(null);
    return millis;
  }

  @Test
  void theLightQueriesOfATenantAreNeverRefusedWhileTwoOthersAskHeavyOnes() throws Exception {
    double alone = light().get(LIGHT / 2);
    List<CompletableFuture<HttpResponse<Void>>> theirs = new ArrayList<>();
    for (int i = 0; i < HEAVY; i++) {
      theirs.add(
          client.sendAsync(
              request(i % 2 == 0 ? "red" : "blue", heavy(i)),
              HttpResponse.BodyHandlers.discarding()));
    }
    try {
      await().atMost(SOON).until(() -> heavyRunning() >= HEAVY - 4);
      List<Double> beside = light();
      System.out.printf(
          "up: p50 %.1f ms alone; beside %d heavy queries p50 %.1f ms, slowest %.1f ms%n",
          alone, HEAVY, beside.get(LIGHT / 2), beside.getLast());
      assertThat(heavyRunning()).as("the heavy ones are still there").isGreaterThan(HEAVY / 2);
    } finally {
      theirs.forEach(each -> each.cancel(true));
    }
    await().atMost(SOON).until(() -> heavyRunning() == 0);
  }

  @Test
  void whatAQueryCostsGrowsWithItsStepsAndItsWindows() throws Exception {
    String path = heavy(0).replace("/query_range?", "/explain?") + "&format=json";
    assertThat(work(path))
        .as("96 series, 1,000 steps, 360 samples in a window")
        .isGreaterThan(30e6);
    assertThat(work(path.replace("step=10&", "step=1000&"))).isBetween(300e3, 600e3);
    assertThat(work(path.replace("3h", "5m"))).isBetween(1.5e6, 3e6);
  }

  private double work(String path) throws Exception {
    return data("red", path).path("estimated").path("work").asDouble();
  }

  // --- queries that grow ---

  @Test
  void aShortQueryCannotFillTheMemoryWithLabels() throws Exception {
    String query = "label_replace(up, \"a\", \"xxxxxxxx\", \"\", \"\")";
    for (int i = 0; i < 40; i++) {
      query = "label_join(" + query + ", \"a\", \"\", \"a\", \"a\")";
    }
    for (String text : List.of(query, "count(" + query + ")")) {
      HttpResponse<String> answer = get("red", "/api/v1/query?query=" + encoded(text));
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(422);
      assertThat(answer.body()).contains("65536 characters");
    }
    light();
  }

  // --- side channels ---

  @Test
  void anExplanationSaysNothingOfTheSeriesHostsAndGatewaysOfOthers() throws Exception {
    for (String text :
        List.of("only_red", "shared{Hostname=\"n5\"}", "sum(only_red)", "topk(1, only_red)")) {
      String path = "/api/v1/explain?query=" + encoded(text) + "&time=" + NOW / 1000;
      JsonNode explained = data("green", path);
      assertThat(explained.path("estimated").path("known").asBoolean()).as(text).isTrue();
      assertThat(explained.path("estimated").path("series").asLong()).as(text).isZero();
      assertThat(explained.path("estimated").path("samples").asLong()).as(text).isZero();
      assertThat(explained.path("estimated").path("work").asLong()).as(text).isEqualTo(1);
      assertThat(explained.path("shards")).isEmpty();
      for (URI gateway : fleet.gatewayAddresses()) {
        String as = get("green", path + "&format=text").body() + get("green", path).body();
        assertThat(as).doesNotContain("" + gateway.getPort());
      }
      assertThat(data("all", path).path("estimated").path("series").asLong()).isPositive();
      assertThat(data("all", path).path("shards")).hasSize(3);
    }
  }

  @Test
  void completenessCountsTheHostsInScopeOnly() throws Exception {
    assertThat(hosts("all", "/api/v1/query?query=count(shared)")).isEqualTo(HOSTS);
    for (String path :
        List.of(
            "/api/v1/query?query=count(shared)",
            "/api/v1/query?query=1",
            "/api/v1/labels?",
            "/api/v1/series?match%5B%5D=shared",
            "/federate?match%5B%5D=shared")) {
      assertThat(hosts("one", path)).as(path).isEqualTo(2);
    }
    JsonNode overview = json.readTree(get("one", "/api/v1/status/overview").body());
    assertThat(overview.path("data").path("hosts").path("expected").asInt()).isEqualTo(2);
  }

  private int hosts(String tenant, String path) throws Exception {
    String header =
        get(tenant, path).headers().firstValue("X-Fleetgauge-Completeness").orElseThrow();
    var fields = HOSTS_OF_HEADER.matcher(header + "; ");
    assertThat(fields.matches()).as(header).isTrue();
    assertThat(fields.group(1)).isEqualTo(fields.group(2));
    if (tenant.equals("all")) {
      assertThat(header).containsPattern("epoch=\\d");
    } else {
      assertThat(header).contains("epoch=unknown").doesNotContainPattern("watermark-age=\\d");
    }
    return Integer.parseInt(fields.group(1));
  }
}
