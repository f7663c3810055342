package io.fleetgauge.query.prometheus;

import static io.fleetgauge.query.ApiServer.NOW;
import static io.fleetgauge.query.ApiServer.encoded;
import static io.fleetgauge.query.ApiServer.failure;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.query.ApiServer;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("slow")
@ExtendWith(VertxExtension.class)
class HttpDiscoveryRouteTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private ApiServer api;

  @BeforeEach
  void start(Vertx vertx, @TempDir Path folder) throws Exception {
    api = new ApiServer(vertx, folder);
    api.fleet.with(up("n1", "10.0.0.1", "fleetgauge-probe", "r1"));
    api.fleet.with(up("n2", "fd00::2", "fleetgauge-probe", "r2"));
    api.fleet.with(up("n2", "exporter:9100", "node", "r2"));
    api.fleet.with(up("n3", "10.0.0.3:9401", "fleetgauge-probe", "r2"));
  }

  @AfterEach
  void stop() throws Exception {
    api.close();
  }

  private static Series up(String host, String instance, String job, String rack) {
    Labels labels =
        Labels.of(
            "__name__", "up", "Hostname", host, "instance", instance, "job", job, "rack", rack);
    return new Series(labels, new long[] {NOW - 1_000}, new double[] {1});
  }

  private JsonNode groups(String tenant, String query) throws Exception {
    HttpResponse<String> answer = api.http.get(tenant, "/api/v1/sd" + query);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type").orElseThrow())
        .startsWith("application/json");
    return JSON.readTree(answer.body());
  }

  private List<String> targets(String tenant, String query) throws Exception {
    return groups(tenant, query).findValues("targets").stream()
        .map(targets -> targets.get(0).asText())
        .toList();
  }

  @Test
  void theProbeOfEachHostIsATargetWithTheLabelsOfTheHost() throws Exception {
    JsonNode groups = groups("root", "");
    assertThat(groups).hasSize(3);
    assertThat(groups.get(0))
        .isEqualTo(
            JSON.readTree(
                """
                {"targets": ["10.0.0.1:9400"], "labels": {
                 "__meta_fleetgauge_host": "n1", "__meta_fleetgauge_health": "up",
                 "__meta_fleetgauge_Hostname": "n1", "__meta_fleetgauge_instance": "10.0.0.1",
                 "__meta_fleetgauge_job": "fleetgauge-probe", "__meta_fleetgauge_rack": "r1"}}
                """));
    assertThat(targets("root", ""))
        .containsExactly("10.0.0.1:9400", "[fd00::2]:9400", "10.0.0.3:9401");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "?port=9999|10.0.0.1:9999, [fd00::2]:9999, 10.0.0.3:9401",
        "?limit=1|10.0.0.1:9400",
        "?job=node|n1:9400, exporter:9100, n3:9400",
      })
  void parametersChooseThePortTheSeriesAndHowMany(String query, String targets) throws Exception {
    assertThat(targets("root", query)).isEqualTo(List.of(targets.split(", ")));
  }

  @Test
  void aSelectorChoosesHosts() throws Exception {
    String match = "?match%5B%5D=" + encoded("{rack=\"r2\"}");
    assertThat(targets("root", match)).containsExactly("[fd00::2]:9400", "10.0.0.3:9401");
    assertThat(targets("root", "?match%5B%5D=" + encoded("{rack=\"none\"}"))).isEmpty();
  }

  @Test
  void aTenantSeesTheHostsOfItsSeriesOnly() throws Exception {
    assertThat(targets("a", "")).containsExactly("n1:9400", "n2:9400");
    assertThat(groups("a", "").get(0).path("labels").toString())
        .isEqualTo("{\"__meta_fleetgauge_host\":\"n1\",\"__meta_fleetgauge_health\":\"up\"}");
    assertThat(api.http.get("nobody", "/api/v1/sd").statusCode()).isEqualTo(401);
  }

  @Test
  void aHostThatIsSilentIsDownAndLaterLeftOut() throws Exception {
    api.clock.addAndGet(60_000);
    assertThat(groups("root", "").get(0).path("labels").path("__meta_fleetgauge_health").asText())
        .isEqualTo("down");
    api.clock.addAndGet(3_600_000);
    assertThat(groups("root", "")).isEmpty();
    assertThat(groups("root", "?max_age=1d")).hasSize(3);
  }

  @Test
  void anAnswerThatLacksHostsIsAnError() throws Exception {
    api.fleet.stop("g1");
    api.fleet.stop("g2");
    HttpResponse<String> answer = api.http.get("root", "/api/v1/sd");
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(failure(answer)).contains("n2");
  }

  @ParameterizedTest
  @CsvSource({"port=0", "port=a", "port=70000", "limit=-1", "max_age=x", "match%5B%5D=%7B"})
  void wrongParametersAreRefused(String query) throws Exception {
    HttpResponse<String> answer = api.http.get("root", "/api/v1/sd?" + query);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
  }
}
