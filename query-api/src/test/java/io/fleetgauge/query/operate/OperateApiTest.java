package io.fleetgauge.query.operate;

import static io.fleetgauge.query.ApiServer.NOW;
import static io.fleetgauge.query.ApiServer.TEMPERATURE;
import static io.fleetgauge.query.ApiServer.encoded;
import static io.fleetgauge.query.ApiServer.failure;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.cluster.status.AllGateways;
import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.query.ApiServer;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
@ExtendWith(VertxExtension.class)
class OperateApiTest {
  private static final long DAY = 86_400_000;

  private ApiServer api;

  @BeforeEach
  void start(Vertx vertx, @TempDir Path folder) throws Exception {
    api = new ApiServer(vertx, folder);
  }

  @AfterEach
  void stop() throws Exception {
    api.close();
  }

  // --- rights ---

  @ParameterizedTest
  @ValueSource(strings = {"cluster", "storage"})
  void theStateOfTheClusterNeedsTheRightToOperate(String route) throws Exception {
    assertThat(failure(api.http.get("a", "/api/v1/status/" + route)))
        .isEqualTo(
            "403 forbidden: the state of the cluster needs a token with the operate permission");
    assertThat(api.http.get("", "/api/v1/status/" + route).statusCode()).isEqualTo(401);
    assertThat(api.http.get("root", "/api/v1/status/" + route).statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"slow-queries?min=0", "cardinality"})
  void whatTenantsSeeOfThemselvesNeedsTheRightToRead(String route) throws Exception {
    assertThat(api.http.get("", "/api/v1/status/" + route).statusCode()).isEqualTo(401);
    assertThat(api.http.get("writer", "/api/v1/status/" + route).statusCode()).isEqualTo(403);
    assertThat(api.http.get("a", "/api/v1/status/" + route).statusCode()).isEqualTo(200);
  }

  // --- cluster ---

  @Test
  void theClusterIsShownWithTheTenantsOfThisQueryApi() throws Exception {
    api.data("a", "/api/v1/query?query=" + TEMPERATURE + "&time=" + NOW / 1_000);
    JsonNode status = api.data("root", "/api/v1/status/cluster");
    assertThat(status.path("problems").findValuesAsText("text"))
        .contains("no gateway can be reached");
    JsonNode tenant = status.path("tenants").get(0);
    assertThat(tenant.path("tenant").asText()).isEqualTo("a");
    assertThat(tenant.path("queries").asInt()).isEqualTo(1);
    assertThat(tenant.path("refused").asInt()).isZero();
    assertThat(status.path("queryApi").path("heapMax").asLong()).isPositive();
  }

  // --- storage ---

  @Test
  void storageIsTheSumOfAllGateways() throws Exception {
    JsonObject gateway =
        new JsonObject(
            """
            {"disk": {"blockBytes": 100, "journalBytes": 7, "bytesPerDay": 50,
                      "bytesAtRetention": 350, "maxBytes": 1000, "retentionMillis": 604800000},
             "headBytes": 3, "rollupBytes": 10, "bytesPerSample": 1.5,
             "hosts": {"n1": {"series": 4, "diskBytes": 90, "rollupBytes": 9, "memoryBytes": 2,
                              "blocks": 1, "oldestAt": 5}},
             "groups": {"host": {"series": 4, "diskBytes": 80}},
             "metrics": [{"metric": "node_load1", "series": 4, "diskBytes": 80}]}
            """);
    api.gateways =
        path -> {
          assertThat(path).isEqualTo("/v1/storage");
          return new AllGateways.Answers(
              ClusterView.EMPTY, Map.of("g1", gateway, "g2", gateway), Map.of("g3", "no answer"));
        };
    JsonNode storage = api.data("root", "/api/v1/status/storage");
    assertThat(storage.path("total").path("diskBytes").asLong()).isEqualTo(200);
    assertThat(storage.path("total").path("bytesPerDay").asLong()).isEqualTo(100);
    assertThat(storage.path("total").path("bytesPerSample").asDouble()).isEqualTo(1.5);
    assertThat(storage.path("gateways").findValuesAsText("error")).containsExactly("no answer");
    assertThat(storage.path("hosts").get(0).path("copies").asInt()).isEqualTo(2);
    assertThat(storage.path("hosts").get(0).path("diskBytes").asLong()).isEqualTo(180);
    assertThat(storage.path("metrics").get(0).path("series").asLong()).isEqualTo(8);
    assertThat(storage.path("groups").get(0).path("group").asText()).isEqualTo("host");
  }

  // --- slow queries ---

  @Test
  void aTenantSeesItsOwnQueriesAndAnOperatorAll() throws Exception {
    String query = encoded("sum(" + TEMPERATURE + "{Hostname=\"n1\"})");
    api.data("a", "/api/v1/query?query=" + query + "&time=" + NOW / 1_000);
    api.data("b", "/api/v1/query?query=" + query + "&time=" + NOW / 1_000);
    JsonNode own = api.data("a", "/api/v1/status/slow-queries?min=0").path("queries");
    assertThat(own.findValuesAsText("tenant")).containsExactly("a");
    assertThat(own.get(0).path("fingerprint").asText())
        .isEqualTo("sum(" + TEMPERATURE + "{Hostname=\"?\"})");
    assertThat(own.get(0).path("slowest").path("query").asText()).contains("\"n1\"");
    assertThat(
            api.data("root", "/api/v1/status/slow-queries?min=0")
                .path("queries")
                .findValuesAsText("tenant"))
        .containsExactlyInAnyOrder("a", "b");
  }

  @Test
  void onlySlowOnesAreListedUnlessMoreAreAskedFor() throws Exception {
    api.data("a", "/api/v1/query?query=up&time=" + NOW / 1_000);
    JsonNode slow = api.data("a", "/api/v1/status/slow-queries");
    assertThat(slow.path("queries")).isEmpty();
    assertThat(slow.path("warnMillis").asLong()).isEqualTo(3_000);
    assertThat(slow.path("errorMillis").asLong()).isEqualTo(5_000);
    assertThat(failure(api.http.get("a", "/api/v1/status/slow-queries?limit=2001")))
        .contains("limit must be from 1 to 2000");
  }

  // --- cardinality ---

  @Test
  void seriesAreCountedByMetricLabelHostAndTenantWithinTheScope() throws Exception {
    JsonNode all = api.data("root", "/api/v1/status/cardinality");
    assertThat(all.path("series").asLong()).isEqualTo(6);
    assertThat(all.path("cut").asBoolean()).isFalse();
    assertThat(all.path("metrics").get(0).toString())
        .isEqualTo("{\"metric\":\"" + TEMPERATURE + "\",\"series\":6,\"before\":0}");
    assertThat(all.path("hosts").findValuesAsText("host")).containsExactly("n1", "n2", "n3");
    assertThat(all.path("tenants").findValuesAsText("tenant")).containsExactly("a", "b");
    assertThat(all.path("labels").findValuesAsText("label"))
        .containsExactly("Hostname", "job", "gpu", "rack", "tenant");
    JsonNode own = api.data("a", "/api/v1/status/cardinality");
    assertThat(own.path("series").asLong()).isEqualTo(3);
    assertThat(own.path("tenants").findValuesAsText("tenant")).containsExactly("a");
    assertThat(own.path("pairs").toString()).doesNotContain("\"b\"");
  }

  @Test
  void growthWithinADayIsShown() throws Exception {
    api.fleet.with(
        new Series(
            Labels.of("__name__", "old", "Hostname", "n1", "tenant", "a"),
            new long[] {NOW - DAY - 60_000},
            new double[] {1}));
    api.fleet.with(
        new Series(
            Labels.of("__name__", "both", "Hostname", "n1", "tenant", "a"),
            new long[] {NOW - DAY - 60_000, NOW - 60_000},
            new double[] {1, 1}));
    JsonNode all =
        api.data(
            "root", "/api/v1/status/cardinality?match[]=" + encoded("{__name__=~\"old|both\"}"));
    assertThat(all.path("series").asLong()).isEqualTo(1);
    assertThat(all.path("seriesBefore").asLong()).isEqualTo(2);
    assertThat(all.path("metrics").get(0).toString())
        .isEqualTo("{\"metric\":\"both\",\"series\":1,\"before\":1}");
  }

  @Test
  void moreMetricsThanAreReadAtOnceAreAllCounted() throws Exception {
    for (int i = 0; i < 50; i++) {
      api.fleet.with(
          new Series(
              Labels.of("__name__", "metric_" + i, "Hostname", "n1", "tenant", "a"),
              new long[] {NOW},
              new double[] {i}));
    }
    JsonNode all = api.data("root", "/api/v1/status/cardinality?limit=100");
    assertThat(all.path("series").asLong()).isEqualTo(56);
    assertThat(all.path("metrics")).hasSize(51);
    assertThat(failure(api.http.get("root", "/api/v1/status/cardinality?limit=0")))
        .contains("limit must be from 1 to 10000");
  }

  @Test
  void whatIsMissingIsAWarning() throws Exception {
    api.fleet.damage("n3");
    assertThat(api.envelope("root", "/api/v1/status/cardinality").path("warnings").toString())
        .contains("1 of 3 hosts are missing: n3");
  }
}
