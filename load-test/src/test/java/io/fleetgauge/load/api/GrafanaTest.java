package io.fleetgauge.load.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.sample.Labels;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests of simPod's plugin and SimpleJson, and answers that they can read. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GrafanaTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String UTIL = "DCGM_FI_DEV_GPU_UTIL";

  private final long now = System.currentTimeMillis() / 60_000 * 60_000 - 60_000;
  private FleetAndPrometheus servers;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    servers = new FleetAndPrometheus(folder);
    RemoteWriteBody body = RemoteWriteBody.v1();
    int ticks = 120;
    for (int host = 0; host < 4; host++) {
      for (int gpu = 0; gpu < 2; gpu++) {
        long[] times = new long[ticks];
        double[] util = new double[ticks];
        double[] xid = new double[ticks];
        double[] reasons = new double[ticks];
        for (int i = 0; i < ticks; i++) {
          times[i] = now - (ticks - 1 - i) * 15_000L;
          util[i] = host * 10 + gpu + (i % 2);
          xid[i] = host == 1 && gpu == 0 && i >= 60 ? 79 : 0;
          reasons[i] = host == 2 && i >= 40 && i < 60 ? 0x40 : 0x1;
        }
        int kept = host == 3 ? ticks - 60 : ticks;
        body.series(FleetAndPrometheus.gpu(UTIL, host, gpu), first(times, kept), first(util, kept));
        body.series(
            FleetAndPrometheus.gpu("DCGM_FI_DEV_XID_ERRORS", host, gpu),
            first(times, kept),
            first(xid, kept));
        body.series(
            FleetAndPrometheus.gpu("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", host, gpu),
            first(times, kept),
            first(reasons, kept));
        body.series(
            Labels.of("__name__", "node_load1", "Hostname", "n" + host, "rack", "r" + host / 2),
            first(times, gpu == 0 ? kept : 0),
            first(util, gpu == 0 ? kept : 0));
      }
    }
    servers.write(body);
    await()
        .atMost(Duration.ofMinutes(10))
        .until(() -> !servers.asker().values("count(" + UTIL + ")", "x").isEmpty());
  }

  private static long[] first(long[] all, int count) {
    return java.util.Arrays.copyOf(all, count);
  }

  private static double[] first(double[] all, int count) {
    return java.util.Arrays.copyOf(all, count);
  }

  @AfterAll
  void stop() {
    servers.close();
  }

  private HttpResponse<String> send(String path, String body) throws Exception {
    return servers.client.send(
        HttpRequest.newBuilder(servers.address().resolve("/grafana" + path))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private JsonNode post(String path, String body) throws Exception {
    HttpResponse<String> answer = send(path, body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body());
  }

  /** A body of {@code /query} as the plugins make it. */
  private String query(String targets, String more) {
    return """
    {"panelId": 1, "dashboardUID": "x", "timezone": "browser", "interval": "15s",
     "intervalMs": 15000, "maxDataPoints": 1000, "scopedVars": {},
     "range": {"from": "%s", "to": "%s", "raw": {"from": "now-30m", "to": "now"}},
     "targets": [%s]%s}
    """
        .formatted(Instant.ofEpochMilli(now - 1_200_000), Instant.ofEpochMilli(now), targets, more);
  }

  private static List<String> texts(JsonNode list, String field) {
    List<String> texts = new ArrayList<>();
    list.forEach(each -> texts.add(field.isEmpty() ? each.asText() : each.path(field).asText()));
    return texts;
  }

  @Test
  void savingAndTestingIsAnswered() throws Exception {
    assertThat(servers.asker().get("/grafana").statusCode()).isEqualTo(200);
    assertThat(servers.asker().get("/grafana/").statusCode()).isEqualTo(200);
  }

  @Test
  void metricsComeWithWhatCanBeChosen() throws Exception {
    JsonNode metrics = post("/metrics", "{}");
    assertThat(texts(metrics, "value")).contains(UTIL, "node_load1");
    JsonNode util = post("/metrics", "{\"metric\": \"" + UTIL + "\", \"payload\": {}}").get(0);
    assertThat(util.path("label").asText()).contains("Share of time");
    assertThat(texts(util.path("payloads"), "name"))
        .containsExactly("aggregate", "by", "rate", "filters", "format");
    assertThat(
            texts(
                post("/metric-payload-options", "{\"metric\": \"x\", \"name\": \"by\"}"), "value"))
        .contains("rack", "tenant", "job", "Hostname");
  }

  @Test
  void aPayloadSaysHowAMetricIsReduced() throws Exception {
    String target =
        """
        {"target": "%s", "refId": "A", "editorMode": "builder",
         "payload": {"aggregate": "avg", "by": ["rack"], "filters": "gpu=\\"1\\""}}
        """
            .formatted(UTIL);
    JsonNode answer = post("/query", query(target, ""));
    assertThat(texts(answer, "target")).containsExactly("{rack=\"r0\"}", "{rack=\"r1\"}");
    JsonNode points = answer.get(0).path("datapoints");
    assertThat(answer.get(0).path("refId").asText()).isEqualTo("A");
    assertThat(points).hasSize(81);
    // Value first, then the time in ms, ascending and on the grid of the step.
    assertThat(points.get(80).get(0).asDouble()).isEqualTo(7);
    assertThat(points.get(80).get(1).asLong()).isEqualTo(now);
    assertThat(points.get(79).get(1).asLong()).isEqualTo(now - 15_000);
  }

  @Test
  void noMorePointsAreSentThanAreWanted() throws Exception {
    String body =
        query("{\"target\": \"" + UTIL + "\"}", "").replace("Points\": 1000", "Points\": 10");
    JsonNode answer = post("/query", body);
    assertThat(answer).hasSize(8);
    assertThat(answer.get(0).path("datapoints").size()).isBetween(9, 11);
  }

  @Test
  void aTargetMayBeAnyQueryAndATableHasARowForEachSeries() throws Exception {
    String targets =
        """
        {"target": "max by (rack, Hostname) (%1$s)", "refId": "T", "type": "table"},
        {"target": "1/0", "refId": "B"},
        {"target": "%1$s", "hide": true},
        {"target": ""}
        """
            .formatted(UTIL);
    JsonNode answer = post("/query", query(targets, ""));
    assertThat(answer).hasSize(2);
    assertThat(texts(answer.get(0).path("columns"), "text"))
        .containsExactly("Time", "Hostname", "rack", "Value");
    assertThat(texts(answer.get(0).path("columns"), "type"))
        .containsExactly("time", "string", "string", "number");
    // No sample of n3 came for so long that it is not there any more.
    assertThat(answer.get(0).path("rows")).hasSize(3);
    assertThat(answer.get(0).path("rows").get(1).get(1).asText()).isEqualTo("n1");
    assertThat(answer.get(1).path("datapoints").get(0).get(0).isNull()).isTrue();
    assertThat(post("/query", query("", ""))).isEmpty();
  }

  @Test
  void filtersOfADashboardHoldForEveryQuery() throws Exception {
    String filter =
        ", \"adhocFilters\": [{\"key\": \"rack\", \"operator\": \"=\", \"value\": \"r0\"}]";
    for (String more : List.of(filter, filter.replace("adhocFilters", "filters"))) {
      JsonNode answer = post("/query", query("{\"target\": \"count(" + UTIL + ")\"}", more));
      assertThat(answer.get(0).path("datapoints").get(0).get(0).asInt()).isEqualTo(4);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "label_values(rack); r0,r1",
        "label_values(DCGM_FI_DEV_GPU_UTIL{rack=\"r0\"}, Hostname); n0,n1",
        "metrics(XID); DCGM_FI_DEV_XID_ERRORS",
        "rack; r0,r1"
      })
  void variablesAreValuesOfLabels(String target, String wanted) throws Exception {
    String quoted = JSON.writeValueAsString(target);
    JsonNode variable =
        post("/variable", "{\"payload\": {\"target\": " + quoted + "}, \"range\": {}}");
    assertThat(texts(variable, "__text")).containsExactly(wanted.split(","));
    assertThat(texts(variable, "__value")).containsExactly(wanted.split(","));
    assertThat(texts(post("/search", "{\"target\": " + quoted + "}"), ""))
        .containsExactly(wanted.split(","));
  }

  @Test
  void tagsAreLabels() throws Exception {
    assertThat(texts(post("/tag-keys", ""), "text")).contains("rack", "Hostname");
    assertThat(texts(post("/tag-keys", "{\"filters\": [], \"timeRange\": {}}"), "type"))
        .containsOnly("string");
    assertThat(texts(post("/tag-values", "{\"key\": \"rack\"}"), "text"))
        .containsExactly("r0", "r1");
  }

  private JsonNode annotations(String query) throws Exception {
    return post(
        "/annotations",
        """
        {"range": {"from": "%s", "to": "%s"}, "intervalMs": 15000,
         "annotation": {"name": "e", "datasource": "f", "enable": true, "query": %s}}
        """
            .formatted(
                Instant.ofEpochMilli(now - 1_500_000),
                Instant.ofEpochMilli(now),
                JSON.writeValueAsString(query)));
  }

  @Test
  void eventsOfGpusAndHostsAreAnnotations() throws Exception {
    JsonNode xid = annotations("xid");
    assertThat(texts(xid, "text")).containsExactly("XID 79 on n1, GPU 0");
    assertThat(xid.get(0).path("time").asLong()).isEqualTo(now - 59 * 15_000);
    assertThat(xid.get(0).path("annotation").path("name").asText()).isEqualTo("e");
    assertThat(texts(xid.get(0).path("tags"), "")).containsExactly("xid", "n1", "r0", "a");
    JsonNode throttle = annotations("throttle{gpu=\"1\"}");
    assertThat(texts(throttle, "text")).containsExactly("throttle reasons 0x40 on n2, GPU 1");
    assertThat(throttle.get(0).path("timeEnd").asLong() - throttle.get(0).path("time").asLong())
        .isEqualTo(19 * 15_000);
    JsonNode host = annotations("host");
    assertThat(texts(host, "text")).containsExactly("no data from n3");
    assertThat(host.get(0).path("timeEnd").asLong()).isEqualTo(now);
    assertThat(annotations("").size()).isEqualTo(1 + 2 + 1);
    JsonNode table = post("/query", query("{\"target\": \"events xid\", \"refId\": \"E\"}", ""));
    assertThat(texts(table.get(0).path("columns"), "text"))
        .containsExactly("time", "timeEnd", "title", "text", "tags");
    assertThat(table.get(0).path("rows")).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/query | not json",
        "/query | [1]",
        "/query | {\"targets\": [{\"target\": \"sum(\"}]}",
        "/query | {\"targets\": [{\"target\": \"up\", \"payload\": {\"aggregate\": \"drop\"}}]}",
        "/query | {\"targets\": [{\"target\": \"up\", \"payload\": {\"by\": [\"a b\"],"
            + " \"aggregate\": \"sum\"}}]}",
        "/query | {\"range\": {\"from\": \"yesterday\"}, \"targets\": []}",
        "/query | {\"filters\": [{\"key\": \"a\", \"operator\": \"~\", \"value\": \"b\"}],"
            + " \"targets\": []}",
        "/annotations | {\"annotation\": {\"query\": \"earthquake\"}}",
        "/annotations | {\"annotation\": {\"query\": \"xid{\"}}",
        "/annotations | {\"annotation\": {\"query\": \"host{a='b'\"}}",
        "/tag-values | {}",
        "/search | {\"target\": \"label_values(a{, b)\"}"
      })
  void whatIsWrongIsSaid(String path, String body) throws Exception {
    HttpResponse<String> answer = send(path, body);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(JSON.readTree(answer.body()).path("error").asText()).isNotEmpty();
    // Where Grafana looks for what to show.
    assertThat(JSON.readTree(answer.body()).path("message").asText()).isNotEmpty();
  }
}
