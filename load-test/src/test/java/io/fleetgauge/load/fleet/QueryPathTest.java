package io.fleetgauge.load.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.probe.uplink.Uplink;
import io.fleetgauge.probe.uplink.UplinkSettings;
import io.fleetgauge.query.QueryProcess;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.vertx.core.Vertx;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The door and the way of a query, on a real fleet. */
class QueryPathTest {
  private static final long NOW = 1_760_003_600_000L / 60_000 * 60_000;
  private static final int TICKS = 240;
  private static final int HOSTS = 9;
  private static final Duration SOON = Duration.ofMinutes(10);

  /** SHA-256 of "sesame". */
  private static final String SESAME =
      "d0c04f4b1951e4aeaaec8223ed2039e542f3aae805a6fa7f6d794e5afff5d272";

  private static final Vertx VERTX = Vertx.vertx();
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final ObjectMapper JSON = new ObjectMapper();
  private static LocalFleet fleet;
  private static QueryProcess query;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    fleet = new LocalFleet("way-" + System.nanoTime(), LocalPorts.free(3), folder, () -> NOW);
    fleet.startGateway(0, Duration.ofHours(24));
    fleet.startGateway(0, Duration.ofHours(24));
    Files.writeString(folder.resolve("tenants.yaml"), TENANTS);
    query = fleet.startQuery(base -> configured(base, folder));
    List<Uplink> uplinks = new ArrayList<>();
    UplinkSettings everything =
        new UplinkSettings(Duration.ofDays(400), 1 << 30, Duration.ofDays(400), 0);
    for (int host = 0; host < HOSTS; host++) {
      Uplink uplink =
          new Uplink(
              VERTX, "n" + host, fleet.gatewayAddresses(), everything, Optional.empty(), host);
      uplinks.add(uplink);
      for (int i = TICKS; i >= 0; i--) {
        uplink.offer(tick(host, NOW - i * 15_000L));
      }
    }
    await()
        .atMost(SOON)
        .until(() -> uplinks.stream().allMatch(each -> each.unacknowledgedTicks() == 0));
    uplinks.forEach(Uplink::close);
    await().atMost(SOON).until(() -> query.view().table().hosts().size() == HOSTS);
    // Rollups of what has come are made within the next second.
    await()
        .atMost(SOON)
        .until(
            () ->
                explained("sum by (rack) (DCGM_FI_DEV_GPU_TEMP)")
                        .path("true")
                        .path("rollupCells")
                        .asLong()
                    >= 3 * 200);
  }

  private static final String[] ANONYMOUS = {"X-Scope-OrgID", "anonymous"};
  private static final String[] OPERATOR = {"Authorization", "Bearer sesame"};

  /** Who asks without a token comes from a proxy here, and says who it is. */
  private static final String TENANTS =
      """
      proxies: [127.0.0.1]
      tenants:
        anonymous: {}
        small: {limits: {samples: 100, series: 1000, range: 30m}}
        few: {limits: {samples: 1000000, series: 20, range: 1d, points: 100}}
        red: {scope: '{rack="r1"}'}
        boss: {tokens: {sesame: {sha256: %s, rights: [read, operate]}}}
      """
          .formatted(SESAME);

  private static QueryConfig configured(QueryConfig base, Path folder) {
    return new QueryConfig(
        base.http(),
        base.cluster(),
        base.clusters(),
        base.allowedOrigins(),
        base.timeout(),
        base.lookback(),
        base.maxConcurrent(),
        base.maxParallel(),
        base.maxHeavy(),
        base.cacheBytes(),
        50,
        100,
        base.federateBytes(),
        base.report(),
        base.slowWarn(),
        base.slowError(),
        base.limits(),
        Optional.of(folder.resolve("tenants.yaml")),
        base.trust(),
        base.aliases(),
        base.features(),
        base.inventory(),
        base.rules(),
        base.notifications(),
        base.faults(),
        base.sources(),
        base.log(),
        base.tracing());
  }

  private static Tick tick(int host, long time) {
    Tick.Builder tick = new Tick.Builder();
    for (int gpu = 0; gpu < 8; gpu++) {
      Labels labels =
          Labels.of(
              "Hostname",
              "n" + host,
              "rack",
              "r" + host / 3,
              "gpu",
              "" + gpu,
              "UUID",
              "GPU-" + host + "-" + gpu);
      double value = (host * 31 + gpu * 7 + time / 15_000 % 40) / 4.0;
      tick.add(labels.with(Labels.NAME, "DCGM_FI_DEV_GPU_TEMP"), value);
      tick.add(labels.with(Labels.NAME, "other"), value);
    }
    return tick.at(time);
  }

  @AfterAll
  static void stop() throws Exception {
    fleet.close();
    VERTX.close().await(120, TimeUnit.SECONDS);
    CLIENT.close();
  }

  private static String range(String text) {
    return "?query="
        + URLEncoder.encode(text, StandardCharsets.UTF_8)
        + "&start="
        + (NOW / 1000 - 3_000)
        + "&end="
        + NOW / 1000
        + "&step=15";
  }

  private static HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + query.port() + path));
  }

  private static HttpResponse<String> get(String path, String... headers) throws Exception {
    HttpRequest.Builder request = request(path);
    request.headers(headers.length > 0 ? headers : ANONYMOUS);
    return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static JsonNode explained(String text) throws Exception {
    String body = get("/api/v1/explain" + range(text) + "&nocache=1").body();
    return JSON.readTree(body).path("data");
  }

  private static double counted(int port, String name) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
            .headers(OPERATOR)
            .build();
    return CLIENT
        .send(request, HttpResponse.BodyHandlers.ofString())
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' ') + 1)))
        .sum();
  }

  @Test
  void explainShowsThePlanWhatItCostAndWhyNotOtherwise() throws Exception {
    JsonNode kept = explained("sum by (rack) (DCGM_FI_DEV_GPU_TEMP)");
    assertThat(kept.path("plan").get(0).asText())
        .isEqualTo("merge, rollups allowed: sum by (rack) (DCGM_FI_DEV_GPU_TEMP)");
    assertThat(kept.path("reasons").toString()).contains("computed from rollups");
    assertThat(kept.path("estimated").path("series").asLong()).isEqualTo(72);
    assertThat(kept.path("true").path("samples").asLong()).isLessThan(10_000);
    assertThat(kept.path("shards")).hasSize(2);
    JsonNode notKept = explained("sum by (gpu) (DCGM_FI_DEV_GPU_TEMP)");
    assertThat(notKept.path("reasons").toString())
        .contains("not computed from rollups: the label gpu is not a label of the rollup rule");
    assertThat(notKept.path("true").path("samples").asLong()).isEqualTo(72 * 201);
    HttpResponse<String> text =
        get("/api/v1/explain" + range("topk(2, other{gpu=\"0\"})") + "&format=text");
    assertThat(text.headers().firstValue("Content-Type"))
        .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain"));
    assertThat(text.body())
        .contains("plan\n  here topk(2, other{gpu=\"0\"})\n    shards other{gpu=\"0\"}\n")
        .contains("topk needs all values in one process")
        .contains("shards\n  http://127.0.0.1:");
  }

  @Test
  void everyAnswerSaysWhatItCovers() throws Exception {
    HttpResponse<String> answer = get("/api/v1/query_range" + range("count(other{gpu=\"0\"})"));
    assertThat(answer.headers().firstValue("X-Fleetgauge-Completeness").orElseThrow())
        .matches("hosts=9; answered=9; missing=; watermark-age=\\w+; epoch=\\d+");
    assertThat(
            get("/api/v1/query_range" + range("count(other{gpu=\"0\"})") + "&strict=1")
                .statusCode())
        .isEqualTo(200);
  }

  @Test
  void whatIsOverALimitIsRefusedWithLimitFigureAndTenant() throws Exception {
    HttpResponse<String> range =
        get("/api/v1/query_range" + range("other{gpu=\"0\"}"), "X-Scope-OrgID", "small");
    assertThat(range.statusCode()).isEqualTo(422);
    assertThat(range.headers().firstValue("Retry-After")).isEmpty();
    assertThat(JSON.readTree(range.body()).path("errorType").asText()).isEqualTo("execution");
    assertThat(JSON.readTree(range.body()).path("error").asText())
        .isEqualTo(
            "the query of tenant small is over its limit range: 3000 s of at most 1800 s; reduce"
                + " the query");
    assertThat(
            get("/api/v1/query_range" + range("other{gpu=\"0\"}"), "X-Scope-OrgID", "few").body())
        .contains("tenant few is over its limit points: 201 of at most 100");
    String instant = "/api/v1/query?query=other";
    assertThat(get(instant, "X-Scope-OrgID", "few").body())
        .contains("tenant few is over its limit series: 72 of at most 20");
    assertThat(
            get("/api/v1/query?query=" + "max_over_time(other%5B20m%5D)", "X-Scope-OrgID", "small")
                .body())
        .contains("tenant small is over its limit samples:");
  }

  @Test
  void aSumOverTheWholeFleetSeriesBySeriesIsRefusedAndOneOfRollupsIsNot() throws Exception {
    HttpResponse<String> wide = get("/api/v1/query_range" + range("sum(other * 1)"));
    assertThat(wide.statusCode()).isEqualTo(422);
    assertThat(wide.body()).contains("72 of at most query.wideSeries 50").contains("rollups");
    assertThat(get("/api/v1/query_range" + range("sum(DCGM_FI_DEV_GPU_TEMP)")).statusCode())
        .isEqualTo(200);
    assertThat(get("/api/v1/query_range" + range("sum(other{rack=\"r0\"} * 1)")).statusCode())
        .isEqualTo(200);
  }

  @Test
  void aScrapeThatIsTooLargeFailsWithItsFigure() throws Exception {
    String path = "/federate?match%5B%5D=%7B__name__%3D~%22.%2B%22%7D";
    HttpResponse<String> whole = get(path);
    assertThat(whole.statusCode()).isEqualTo(422);
    assertThat(whole.body()).contains("144").contains("100");
    assertThat(get(path + "&shard=0/4").statusCode()).isEqualTo(200);
  }

  @Test
  void aTenantSeesItsScopeByEveryWayOfAsking() throws Exception {
    String[] red = {"X-Scope-OrgID", "red"};
    assertThat(get("/api/v1/query?query=count(other)", red).body()).contains(",\"24\"]");
    assertThat(get("/api/v1/query_range" + range("count by (rack) (other)"), red).body())
        .contains("r1")
        .doesNotContain("r0")
        .doesNotContain("r2");
    assertThat(get("/api/v1/label/rack/values", red).body()).contains("[\"r1\"]");
    assertThat(
            get("/api/v1/series?match[]=other".replace("[", "%5B").replace("]", "%5D"), red).body())
        .contains("r1")
        .doesNotContain("r0");
    // Answers to another tenant are not given to this one.
    get("/api/v1/query_range" + range("count(other{gpu=\"1\"})"));
    assertThat(get("/api/v1/query_range" + range("count(other{gpu=\"1\"})"), red).body())
        .contains(",\"3\"]");
  }

  @Test
  void whoAsksTheSameAtTheSameTimeIsAnsweredByOneRun() throws Exception {
    double before = counted(query.port(), "fleetgauge_query_rewritten_total");
    List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      all.add(
          CLIENT.sendAsync(
              request("/api/v1/query_range" + range("avg by (rack) (other{gpu=\"2\"} / 7)"))
                  .headers(ANONYMOUS)
                  .build(),
              HttpResponse.BodyHandlers.ofString()));
    }
    for (CompletableFuture<HttpResponse<String>> each : all) {
      assertThat(each.get().body()).isEqualTo(all.getFirst().get().body());
    }
    assertThat(counted(query.port(), "fleetgauge_query_rewritten_total") - before).isEqualTo(1);
  }

  @Test
  void whatCachesHoldAndHowOftenTheyHelpIsCounted() throws Exception {
    String path = "/api/v1/query_range" + range("sum by (rack) (other)") + "&nocache=1";
    assertThat(get(path, ANONYMOUS).statusCode()).isEqualTo(200);
    double before = cached("hits_total", "expressions");
    assertThat(get(path, ANONYMOUS).statusCode()).isEqualTo(200);
    assertThat(cached("hits_total", "expressions")).isGreaterThan(before);
    for (String cache : List.of("block_pages", "combined_pages", "expressions", "newest_lines")) {
      assertThat(cached("used_ratio", cache))
          .as(cache)
          .isBetween(0.0, (double) fleet.gateways().size());
    }
  }

  private static double cached(String what, String cache) throws Exception {
    double sum = 0;
    for (var gateway : fleet.gateways()) {
      sum +=
          counted(
              gateway.address().getPort(),
              "fleetgauge_gateway_cache_" + what + "{cache=\"" + cache + "\"}");
    }
    return sum;
  }

  @Test
  void aCancelledQueryStopsOnAllShardsSoon() throws Exception {
    // Some seconds of work for each gateway.
    String text =
        "max_over_time(quantile_over_time(0.5,"
            + " stddev_over_time(other{rack=~\".+\"}[50m:1s])[50m:1s])[50m:1s])";
    CompletableFuture<HttpResponse<String>> answer =
        CLIENT.sendAsync(
            request("/api/v1/query_range" + range(text) + "&nocache=1").headers(ANONYMOUS).build(),
            HttpResponse.BodyHandlers.ofString());
    await()
        .atMost(SOON)
        .pollInterval(Duration.ofMillis(10))
        .until(
            () -> {
              JsonNode running = JSON.readTree(get("/api/v1/status/queries", OPERATOR).body());
              return running.path("data").size() > 0
                  && running.path("data").get(0).path("state").asText().equals("running");
            });
    JsonNode running =
        JSON.readTree(get("/api/v1/status/queries", OPERATOR).body()).path("data").get(0);
    assertThat(running.path("query").asText()).isEqualTo(text);
    assertThat(running.path("tenant").asText()).isEqualTo("anonymous");
    long before = stopped();
    String path = "/api/v1/status/queries/" + running.path("id").asLong() + "/cancel";
    HttpRequest.Builder cancel =
        request(path).POST(HttpRequest.BodyPublishers.noBody()).headers(ANONYMOUS);
    assertThat(CLIENT.send(cancel.build(), HttpResponse.BodyHandlers.ofString()).statusCode())
        .isEqualTo(403);
    cancel = request(path).POST(HttpRequest.BodyPublishers.noBody()).headers(OPERATOR);
    assertThat(CLIENT.send(cancel.build(), HttpResponse.BodyHandlers.ofString()).statusCode())
        .isEqualTo(200);
    long cancelled = System.nanoTime();
    await().atMost(SOON).pollInterval(Duration.ofMillis(5)).until(() -> stopped() >= before + 2);
    System.out.printf(
        "stopped on all shards after %.1f ms%n", (System.nanoTime() - cancelled) / 1e6);
    assertThat(answer.get().statusCode()).isEqualTo(499);
    assertThat(JSON.readTree(get("/api/v1/status/queries", OPERATOR).body()).path("data"))
        .isEmpty();
  }

  private static long stopped() throws Exception {
    double sum = 0;
    for (var gateway : fleet.gateways()) {
      sum += counted(gateway.address().getPort(), "fleetgauge_gateway_fragments_stopped_total");
    }
    return (long) sum;
  }
}
