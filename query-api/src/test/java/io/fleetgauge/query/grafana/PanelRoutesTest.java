package io.fleetgauge.query.grafana;

import static io.fleetgauge.query.ApiServer.NOW;
import static io.fleetgauge.query.ApiServer.TEMPERATURE;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.query.ApiServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
@ExtendWith(VertxExtension.class)
class PanelRoutesTest {
  private ApiServer api;

  @BeforeEach
  void start(Vertx vertx, @TempDir Path folder) throws Exception {
    api = new ApiServer(vertx, folder);
  }

  @AfterEach
  void stop() throws Exception {
    api.close();
  }

  /** A request of a panel for the last five minutes, by 15 s. */
  private static String panel(String more) {
    return "{\"range\": {\"from\": \"2026-11-21T22:21:40Z\", \"to\": \"2026-11-21T22:26:40Z\"},"
        + " \"intervalMs\": 15000, "
        + more
        + "}";
  }

  private JsonNode query(String tenant, String targets) throws Exception {
    return api.post(tenant, "/grafana/query", panel("\"targets\": [" + targets + "]"));
  }

  private static String target(String text, String more) {
    return "{\"target\": \"" + text + "\", \"refId\": \"A\"" + more + "}";
  }

  private static long newest(JsonNode series) {
    JsonNode points = series.path("datapoints");
    return points.get(points.size() - 1).get(1).asLong();
  }

  // --- targets ---

  @Test
  void aTargetIsASeriesOfPointsForEachSeries() throws Exception {
    JsonNode series = query("root", target("sum by (rack) (" + TEMPERATURE + ")", ""));
    assertThat(series.findValuesAsText("target")).containsExactly("{rack=\"r0\"}", "{rack=\"r1\"}");
    assertThat(series.findValuesAsText("refId")).containsExactly("A", "A");
    JsonNode points = series.get(0).path("datapoints");
    assertThat(points).hasSize(21);
    assertThat(points.get(0).toString()).isEqualTo("[21.0," + (NOW - 300_000 - NOW % 15_000) + "]");
    assertThat(newest(series.get(0))).isEqualTo(NOW - NOW % 15_000);
  }

  @Test
  void aTableHasTheNewestSampleOfEachSeries() throws Exception {
    for (String more :
        new String[] {", \"type\": \"table\"", ", \"payload\": {\"format\": \"table\"}"}) {
      JsonNode table = query("root", target(TEMPERATURE, more)).get(0);
      assertThat(table.path("type").asText()).isEqualTo("table");
      assertThat(table.path("refId").asText()).isEqualTo("A");
      assertThat(table.path("columns").findValuesAsText("text"))
          .containsExactly("Time", "Hostname", "__name__", "gpu", "job", "rack", "tenant", "Value");
      assertThat(table.path("rows")).hasSize(6);
      assertThat(table.path("rows").get(0).get(7).asDouble()).isEqualTo(10);
    }
  }

  @Test
  void severalTargetsAreAnsweredInOrderWithoutHiddenAndEmptyOnes() throws Exception {
    JsonNode answers =
        query(
            "root",
            target("scalar(count(" + TEMPERATURE + "))", "")
                + ","
                + target(TEMPERATURE, ", \"hide\": true")
                + ","
                + target(" ", "")
                + ",{\"target\": \"max("
                + TEMPERATURE
                + ")\"}");
    assertThat(answers).hasSize(2);
    assertThat(answers.get(0).path("datapoints").get(0).get(0).asDouble()).isEqualTo(6);
    assertThat(answers.get(1).path("datapoints").get(0).get(0).asDouble()).isEqualTo(31);
    assertThat(answers.get(1).has("refId")).isFalse();
  }

  @Test
  void everyTargetIsAnsweredWithinTheScopeAndTheFiltersOfTheDashboard() throws Exception {
    assertThat(query("a", target(TEMPERATURE, ""))).hasSize(3);
    for (String filters : new String[] {"filters", "adhocFilters"}) {
      String body =
          panel(
              "\""
                  + filters
                  + "\": [{\"key\": \"Hostname\", \"operator\": \"=~\", \"value\": \"n[12]\"},"
                  + "{\"key\": \"gpu\", \"value\": \"0\"}], \"targets\": ["
                  + target(TEMPERATURE, "")
                  + "]");
      assertThat(api.post("root", "/grafana/query", body)).hasSize(2);
      assertThat(api.post("b", "/grafana/query", body)).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1_000, 10_000})
  void theStepIsAtLeastTheIntervalAndKeepsToTheMostPoints(long interval) throws Exception {
    String body =
        "{\"range\": {\"from\": 1795299000000, \"to\": 1795300000000}, \"intervalMs\": "
            + interval
            + ", \"maxDataPoints\": 50, \"targets\": [{\"target\": \"1\"}]}";
    JsonNode points = api.post("a", "/grafana/query", body).get(0).path("datapoints");
    assertThat(points.get(1).get(1).asLong() - points.get(0).get(1).asLong()).isEqualTo(20_000);
  }

  @Test
  void withoutARangeItIsTheLastHour() throws Exception {
    JsonNode points =
        api.post("a", "/grafana/query", "{\"targets\": [{\"target\": \"1\"}]}")
            .get(0)
            .path("datapoints");
    assertThat(points).hasSize(241);
    assertThat(points.get(240).get(1).asLong()).isEqualTo(NOW - NOW % 15_000);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"targets\": [{\"target\": \"sum(\"}]} | invalid parameter \"query\": ",
        "{\"range\": {\"from\": \"yesterday\"}} | the time yesterday is not of the form"
            + " 2026-11-22T10:00:00Z",
        "{\"range\": {\"from\": \"+999999999-01-01T00:00:00Z\"}} | the time"
            + " +999999999-01-01T00:00:00Z is not",
        "{\"range\": {\"from\": 2, \"to\": 1}} | range.to is before range.from",
        "{\"filters\": [{\"key\": \"a\", \"operator\": \"~\"}]} | a filter has the operator ~; use"
            + " =, !=, =~ or !~",
        "{\"filters\": [{\"value\": \"a\"}]} | a filter has no key",
        "{\"filters\": [{\"key\": \"a\", \"operator\": \"=~\", \"value\": \"(\"}]} | the filter of"
            + " a cannot be used: ",
        "{\"targets\": [{\"target\": \"up\", \"payload\": {\"aggregate\": \"drop\"}}]} | aggregate"
            + " is drop; set avg, sum, min, max, count or none"
      })
  void errorsHaveTheMessageThatGrafanaShows(String body, String message) throws Exception {
    HttpResponse<String> answer = api.http.post("a", "/grafana/query", body);
    assertThat(ApiServer.failure(answer)).startsWith("400 bad_data: " + message);
    assertThat(answer.body()).contains("\"message\":\"");
  }

  @Test
  void thereMayBeAHundredTargets() throws Exception {
    String hundred =
        IntStream.range(0, 100)
            .mapToObj(i -> "{\"target\": \"1\"}")
            .collect(Collectors.joining(","));
    assertThat(query("a", hundred)).hasSize(100);
    HttpResponse<String> more =
        api.http.post("a", "/grafana/query", panel("\"targets\": [" + hundred + ", {}]"));
    assertThat(ApiServer.failure(more))
        .isEqualTo(
            "400 bad_data: the request has 101 targets; the limit is 100, so split the panel");
  }

  @Test
  void aMissingHostIsInTheHeaderOrIsAnErrorToRetry() throws Exception {
    api.fleet.damage("n2");
    String body = panel("\"targets\": [" + target(TEMPERATURE, "") + "]");
    assertThat(
            api.http
                .post("root", "/grafana/query", body)
                .headers()
                .firstValue("X-Fleetgauge-Completeness")
                .orElseThrow())
        .startsWith("hosts=3; answered=2; missing=n2; ");
    HttpResponse<String> strict = api.http.post("strict", "/grafana/query", body);
    assertThat(ApiServer.failure(strict)).startsWith("503 unavailable: incomplete result: ");
    assertThat(strict.headers().firstValue("Retry-After")).isPresent();
  }

  // --- events ---

  private void xid(int host, int gpu, long before, int code) {
    api.fleet.add(ApiServer.gpu("DCGM_FI_DEV_XID_ERRORS", host, gpu), NOW - before, code);
  }

  private JsonNode annotations(String tenant, String query) throws Exception {
    return api.post(
        tenant,
        "/grafana/annotations",
        panel("\"annotation\": {\"name\": \"e\", \"query\": \"" + query + "\"}"));
  }

  @Test
  void anotherXidIsAnEventOfItsGpu() throws Exception {
    for (int host : new int[] {1, 3}) {
      xid(host, 0, 240_000, 0);
      xid(host, 0, 120_000, 79);
    }
    for (String query : new String[] {"xid", "#xid", "#xid{gpu='0'}"}) {
      JsonNode events = annotations("root", query);
      assertThat(events.findValuesAsText("text"))
          .as(query)
          .containsExactly("XID 79 on n1, GPU 0", "XID 79 on n3, GPU 0");
      assertThat(ApiServer.texts(events.get(0).path("tags")))
          .containsExactly("xid", "n1", "r0", "a", "job-1");
      assertThat(events.get(0).path("annotation").path("name").asText()).isEqualTo("e");
    }
    assertThat(annotations("a", "#xid").findValuesAsText("text"))
        .containsExactly("XID 79 on n1, GPU 0");
    JsonNode table = query("a", target("events #xid", "")).get(0);
    assertThat(table.path("columns").findValuesAsText("text"))
        .containsExactly("time", "timeEnd", "title", "text", "tags");
    assertThat(table.path("rows")).hasSize(1);
    assertThat(table.path("rows").get(0).get(4).asText()).isEqualTo("xid,n1,r0,a,job-1");
  }

  @Test
  void aHostThatStopsSendingIsAnEvent() throws Exception {
    // The panel ends six minutes after the last sample; the lookback covers five of them.
    String body =
        "{\"range\": {\"from\": 1795299700000, \"to\": 1795300360000}, \"intervalMs\": 15000,"
            + " \"annotation\": {\"query\": \"host{rack='r0'}\"}}";
    List<String> texts = api.post("root", "/grafana/annotations", body).findValuesAsText("text");
    assertThat(texts).containsExactly("no data from n1");
  }

  @Test
  void anUnknownEventIsAnError() throws Exception {
    HttpResponse<String> answer =
        api.http.post("a", "/grafana/annotations", "{\"annotation\": {\"query\": \"earthquake\"}}");
    assertThat(ApiServer.failure(answer)).startsWith("400 bad_data: ").contains("earthquake");
  }
}
