package io.fleetgauge.query.prometheus;

import static io.fleetgauge.query.ApiServer.NOW;
import static io.fleetgauge.query.ApiServer.TEMPERATURE;
import static io.fleetgauge.query.ApiServer.failure;
import static io.fleetgauge.query.ApiServer.texts;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.query.ApiServer;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.frame.PseudoHosts;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Targets, status, running queries and unsupported routes. */
@Tag("slow")
@ExtendWith(VertxExtension.class)
class StatusRoutesTest {
  private ApiServer api;

  @BeforeEach
  void start(Vertx vertx, @TempDir Path folder) throws Exception {
    api = new ApiServer(vertx, folder, "query: {features: [promql-experimental-functions]}");
  }

  @AfterEach
  void stop() throws Exception {
    api.close();
  }

  // --- targets ---

  @Test
  void everyHostIsATarget() throws Exception {
    JsonNode targets = api.data("root", "/api/v1/targets");
    assertThat(targets.path("activeTargets")).hasSize(3);
    JsonNode first = targets.path("activeTargets").get(0);
    assertThat(first.path("labels").toString())
        .isEqualTo("{\"instance\":\"n1\",\"job\":\"fleetgauge\"}");
    assertThat(first.path("health").asText()).isEqualTo("up");
    assertThat(first.path("lastError").asText()).isEmpty();
    assertThat(first.path("scrapeInterval").asText()).isEqualTo("1s");
    assertThat(targets.path("droppedTargets")).isEmpty();
  }

  @Test
  void whatSeriesWithoutAHostBelongToIsNoHostOfTheFleet() throws Exception {
    String none = PseudoHosts.of(Labels.of("__name__", "rack:power:sum"));
    api.fleet.host(none, "g1", "g2");
    api.fleet.with(
        new Series(
            Labels.of("__name__", "rack:power:sum", "Hostname", none),
            new long[] {NOW},
            new double[] {1}));
    assertThat(api.data("root", "/api/v1/targets").path("activeTargets")).hasSize(3);
    assertThat(api.data("root", "/api/v1/status/overview").path("hosts").path("up").asInt())
        .isEqualTo(3);
  }

  @Test
  void aHostThatIsSilentIsDown() throws Exception {
    api.clock.addAndGet(31_000);
    JsonNode first = api.data("root", "/api/v1/targets").path("activeTargets").get(0);
    assertThat(first.path("health").asText()).isEqualTo("down");
    assertThat(first.path("lastError").asText()).isEqualTo("the last tick arrived 31 s ago");
  }

  @Test
  void aTenantSeesTheHostsOfItsSeries() throws Exception {
    JsonNode targets = api.data("a", "/api/v1/targets").path("activeTargets");
    assertThat(targets.findValuesAsText("instance")).containsExactly("n1", "n2");
  }

  @ParameterizedTest
  @CsvSource({
    "state=active, 3",
    "state=any, 3",
    "state=dropped, 0",
    "scrapePool=fleetgauge, 3",
    "scrapePool=other, 0"
  })
  void targetsMayBeFiltered(String filter, int count) throws Exception {
    assertThat(api.data("root", "/api/v1/targets?" + filter).path("activeTargets")).hasSize(count);
  }

  @Test
  void thereIsOnePool() throws Exception {
    assertThat(api.data("a", "/api/v1/scrape_pools").toString())
        .isEqualTo("{\"scrapePools\":[\"fleetgauge\"]}");
  }

  // --- status ---

  @Test
  void theBuildIsThatOfAPrometheusWithoutFeaturesOfAnotherProduct() throws Exception {
    JsonNode build = api.data("a", "/api/v1/status/buildinfo");
    assertThat(build.path("version").asText()).startsWith("3.5.");
    assertThat(build.has("features")).isFalse();
    assertThat(api.http.postForm("a", "/api/v1/status/buildinfo", "").statusCode()).isEqualTo(200);
  }

  @Test
  void flagsAndConfigurationShowTheSettings() throws Exception {
    JsonNode flags = api.data("a", "/api/v1/status/flags");
    assertThat(flags.path("enable-feature").asText()).isEqualTo("promql-experimental-functions");
    assertThat(flags.path("query.lookback-delta").asText()).isEqualTo("5m");
    assertThat(flags.path("query.timeout").asText()).isEqualTo("2m");
    assertThat(api.data("a", "/api/v1/status/config").path("yaml").asText())
        .contains("scrape_interval: 15s")
        .contains("fleetgauge_cluster: fleetgauge");
    assertThat(api.data("a", "/api/v1/status/runtimeinfo").path("serverTime").asText())
        .isEqualTo("2026-11-21T22:26:40Z");
    assertThat(api.data("a", "/api/v1/status/walreplay").toString())
        .isEqualTo("{\"min\":0,\"max\":0,\"current\":0}");
  }

  @Test
  void statisticsCountTheSeriesThatTheCallerSees() throws Exception {
    JsonNode all = api.data("root", "/api/v1/status/tsdb");
    assertThat(all.path("headStats").path("numSeries").asInt()).isEqualTo(6);
    assertThat(all.path("headStats").path("maxTime").asLong()).isEqualTo(NOW);
    assertThat(all.path("seriesCountByMetricName").toString())
        .isEqualTo("[{\"name\":\"" + TEMPERATURE + "\",\"value\":6}]");
    assertThat(all.path("labelValueCountByLabelName").get(0).toString())
        .isEqualTo("{\"name\":\"Hostname\",\"value\":3}");
    JsonNode mine = api.data("a", "/api/v1/status/tsdb?limit=1");
    assertThat(mine.path("headStats").path("numSeries").asInt()).isEqualTo(3);
    assertThat(mine.path("labelValueCountByLabelName")).hasSize(1);
    for (String wrong : new String[] {"0", "10001"}) {
      assertThat(failure(api.http.get("a", "/api/v1/status/tsdb?limit=" + wrong)))
          .isEqualTo("400 bad_data: invalid parameter \"limit\": limit must be from 1 to 10000");
    }
  }

  @Test
  void theOverviewShowsTheClusterOnlyToTokensThatSeeAllHosts() throws Exception {
    JsonNode all = api.data("root", "/api/v1/status/overview");
    assertThat(all.path("hosts").toString()).isEqualTo("{\"expected\":3,\"up\":3}");
    assertThat(all.path("cluster").path("minority").asBoolean()).isFalse();
    assertThat(all.path("cluster").path("gateways").toString())
        .isEqualTo(
            "[{\"name\":\"g1\",\"address\":\"memory:g1\",\"hosts\":1},"
                + "{\"name\":\"g2\",\"address\":\"memory:g2\",\"hosts\":2}]");
    JsonNode mine = api.data("a", "/api/v1/status/overview");
    assertThat(mine.path("hosts").toString()).isEqualTo("{\"expected\":2,\"up\":2}");
    assertThat(mine.has("cluster")).isFalse();
    assertThat(mine.path("tenants").findValuesAsText("name")).containsExactly("a");
    api.clock.addAndGet(60_000);
    assertThat(api.data("root", "/api/v1/status/overview").path("hosts").path("up").asInt())
        .isZero();
  }

  // --- running queries ---

  private CompletableFuture<HttpResponse<String>> held(String tenant) {
    api.shards.hold("samples", "parts");
    CompletableFuture<HttpResponse<String>> answer =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return api.http.get(tenant, "/api/v1/query?query=" + TEMPERATURE);
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    Awaitility.await().until(() -> api.shards.waiting() > 0);
    return answer;
  }

  @Test
  void aRunningQueryIsSeenByItsTenantAndByOperators() throws Exception {
    CompletableFuture<HttpResponse<String>> answer = held("a");
    for (String tenant : new String[] {"a", "root"}) {
      JsonNode queries = api.data(tenant, "/api/v1/status/queries");
      assertThat(queries).hasSize(1);
      assertThat(queries.get(0).path("tenant").asText()).isEqualTo("a");
      assertThat(queries.get(0).path("query").asText()).isEqualTo(TEMPERATURE);
      assertThat(queries.get(0).path("state").asText()).isEqualTo("running");
      assertThat(queries.get(0).path("series").asInt()).isEqualTo(3);
    }
    assertThat(api.data("b", "/api/v1/status/queries")).isEmpty();
    api.shards.release();
    assertThat(answer.get().statusCode()).isEqualTo(200);
    assertThat(api.data("root", "/api/v1/status/queries")).isEmpty();
  }

  @Test
  void theOverviewCountsQueriesOfOtherTenantsForOperatorsOnly() throws Exception {
    CompletableFuture<HttpResponse<String>> answer = held("b");
    JsonNode mine = api.data("a", "/api/v1/status/overview").path("tenants");
    assertThat(mine.findValuesAsText("name")).containsExactly("a");
    assertThat(mine.findValuesAsText("running")).containsExactly("0");
    JsonNode all = api.data("root", "/api/v1/status/overview").path("tenants");
    assertThat(all.findValuesAsText("name")).containsExactly("b", "root");
    assertThat(all.get(0).path("running").asInt()).isEqualTo(1);
    api.shards.release();
    assertThat(answer.get().statusCode()).isEqualTo(200);
  }

  @Test
  void anOperatorCancelsAQuery() throws Exception {
    CompletableFuture<HttpResponse<String>> answer = held("a");
    String id = api.data("root", "/api/v1/status/queries").get(0).path("id").asText();
    String path = "/api/v1/status/queries/" + id + "/cancel";
    assertThat(failure(api.http.postForm("a", path, "")))
        .isEqualTo("403 forbidden: canceling a query needs a token with the operate permission");
    assertThat(answer.isDone()).isFalse();
    assertThat(ApiServer.success(api.http.postForm("root", path, "")).path("data").asText())
        .isEqualTo("canceled");
    assertThat(failure(answer.get())).startsWith("499 canceled: query was canceled");
    for (String gone : new String[] {id, "x", "1234567890123456789012"}) {
      assertThat(
              failure(api.http.postForm("root", "/api/v1/status/queries/" + gone + "/cancel", "")))
          .isEqualTo("400 bad_data: no query with the id " + gone + " is running");
    }
  }

  @Test
  void aClientThatLeavesCancelsItsQuery() throws Exception {
    api.shards.hold("samples", "parts");
    URI address = api.http.address("/");
    try (Socket socket = new Socket(address.getHost(), address.getPort())) {
      socket
          .getOutputStream()
          .write(
              ("GET /api/v1/query?query="
                      + TEMPERATURE
                      + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\n\r\n")
                  .getBytes(StandardCharsets.US_ASCII));
      Awaitility.await().until(() -> api.shards.waiting() > 0);
      assertThat(api.querier.running().all()).hasSize(1);
    }
    Awaitility.await().until(() -> api.querier.running().all().isEmpty());
  }

  // --- unsupported routes ---

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/api/v1/notifications | []",
        "/api/v1/targets/metadata | []",
        "/api/v1/query_exemplars?query=up&start=1&end=2 | []"
      })
  void unsupportedRoutesReturnEmptyData(String path, String data) throws Exception {
    assertThat(api.data("a", path).toString()).isEqualTo(data);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/api/v1/query_exemplars?query=( | invalid parameter \"query\": ",
        "/api/v1/query_exemplars?query=1&start=2&end=1 | invalid parameter \"end\": "
      })
  void unsupportedRoutesCheckTheirParameters(String path, String error) throws Exception {
    assertThat(failure(api.http.get("a", path))).startsWith("400 bad_data: " + error);
  }

  @Test
  void noRouteAnswersWithoutARightToRead() throws Exception {
    for (String path :
        new String[] {"/api/v1/targets", "/api/v1/status/overview", "/api/v1/status/queries"}) {
      assertThat(api.http.get("", path).statusCode()).isEqualTo(401);
      assertThat(api.http.get("writer", path).statusCode()).isEqualTo(403);
    }
    assertThat(texts(api.data("a", "/api/v1/notifications"))).isEmpty();
  }
}
