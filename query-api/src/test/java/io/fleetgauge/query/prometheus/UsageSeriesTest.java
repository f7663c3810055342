package io.fleetgauge.query.prometheus;

import static io.fleetgauge.query.ApiServer.NOW;
import static io.fleetgauge.query.ApiServer.encoded;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;
import static org.assertj.core.data.Percentage.withPercentage;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.promql.usage.series.UsageMetric;
import io.fleetgauge.query.ApiServer;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Series of usage over HTTP: jobs of two tenants on four GPUs of two hosts, which change every few
 * hours, with a sample a minute.
 */
@Tag("slow")
@ExtendWith(VertxExtension.class)
class UsageSeriesTest {
  private static final long MINUTE = 60_000;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;

  /** The end of the last day. */
  private static final long END = NOW / DAY * DAY;

  private static final String GPU_SECONDS = "job:gpu_seconds:total";
  private static final String ENERGY = "job:gpu_energy_joules:total";

  @TempDir private Path folder;
  private ApiServer api;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    api = new ApiServer(vertx, folder, "query: {limits: {range: 30d}}");
    Random random = new Random(11);
    for (int gpu = 0; gpu < 4; gpu++) {
      Labels device =
          Labels.of("UUID", "GPU-" + gpu, "Hostname", "n" + (1 + gpu % 2), "rack", "r" + gpu % 2);
      long at = END - DAY - 3 * HOUR;
      long energy = 0;
      while (at < END + 2 * HOUR) {
        int job = random.nextInt(9);
        long to = at + (1 + random.nextInt(400)) * MINUTE;
        Labels labels =
            job == 0
                ? device
                : device.with(Labels.of("hpc_job", "" + job, "tenant", job < 5 ? "a" : "b"));
        energy = work(random, labels, at, to, energy);
        at = to;
      }
    }
  }

  /** A sample a minute from a time until before another. */
  private long work(Random random, Labels labels, long from, long to, long energy) {
    int size = (int) ((to - from) / MINUTE);
    long[] times = new long[size];
    double[] activity = new double[size];
    double[] counter = new double[size];
    long millijoules = energy;
    for (int i = 0; i < size; i++) {
      times[i] = from + i * MINUTE;
      activity[i] = i / 20 % 3 == 0 ? 0 : 20 + random.nextInt(70);
      counter[i] = millijoules;
      millijoules += 1_000L * random.nextInt(40_000);
    }
    double[] ones = new double[size];
    java.util.Arrays.fill(ones, labels.value("hpc_job").isEmpty() ? 0 : 1);
    api.fleet.with(
        new Series(labels.with(Labels.NAME, "gpu_allocated"), times, ones),
        new Series(labels.with(Labels.NAME, "DCGM_FI_DEV_GPU_UTIL"), times, activity),
        new Series(
            labels.with(Labels.NAME, "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"), times, counter));
    return millijoules;
  }

  @AfterEach
  void stop() throws Exception {
    api.close();
  }

  // --- asking ---

  private JsonNode query(String tenant, String query, long time) throws Exception {
    return api.data(tenant, "/api/v1/query?query=" + encoded(query) + "&time=" + time / 1_000);
  }

  /** Values by some labels. */
  private Map<String, Double> values(String tenant, String query, long time, String... labels)
      throws Exception {
    Map<String, Double> values = new TreeMap<>();
    for (JsonNode each : query(tenant, query, time).path("result")) {
      List<String> key = new ArrayList<>();
      for (String label : labels) {
        key.add(each.path("metric").path(label).asText());
      }
      assertThat(values.put(String.join("/", key), each.path("value").get(1).asDouble())).isNull();
    }
    return values;
  }

  private Map<String, Double> report(long from, long to, String field) throws Exception {
    Map<String, Double> figures = new TreeMap<>();
    JsonNode report =
        api.data("root", "/api/v1/report/usage?by=job&from=" + from / 1_000 + "&to=" + to / 1_000);
    for (JsonNode row : report.path("rows")) {
      if (!row.path(field).isNull()) {
        figures.put(row.path("group").path("job").asText(), row.path(field).asDouble());
      }
    }
    figures.values().removeIf(each -> each == 0);
    assertThat(figures).hasSizeGreaterThan(4);
    return figures;
  }

  private static Map<String, Double> positive(Map<String, Double> values) {
    values.values().removeIf(each -> each == 0);
    return values;
  }

  private static void assertClose(
      Map<String, Double> values, Map<String, Double> expected, double tolerance) {
    assertThat(values.keySet()).isEqualTo(expected.keySet());
    values.forEach(
        (key, value) -> assertThat(value).as(key).isCloseTo(expected.get(key), offset(tolerance)));
  }

  // --- the report ---

  @Test
  void lastValuesOfHoursAddUpToTheReport() throws Exception {
    for (String field : List.of("busy", "idle")) {
      String sum = "sum_over_time(" + GPU_SECONDS + "{class=\"" + field + "\"}[1d:1h])";
      assertThat(positive(values("root", "sum by (hpc_job) (" + sum + ")", END, "hpc_job")))
          .isEqualTo(report(END - DAY, END, "gpu_seconds_" + field));
    }
    assertClose(
        values("root", "sum by (hpc_job) (sum_over_time(" + ENERGY + "[1d:1h]))", END, "hpc_job"),
        report(END - DAY, END, "energy_joules"),
        1e-6);
  }

  @Test
  void theIncreaseOverADayIsTheReportOfTheDayButForExtrapolation() throws Exception {
    Map<String, Double> expected = report(END - DAY, END, "gpu_seconds_allocated");
    Map<String, Double> increase =
        values("root", "sum by (hpc_job) (increase(" + GPU_SECONDS + "[1d]))", END, "hpc_job");
    assertClose(increase, expected, 4 * 60);
    increase.forEach(
        (job, value) -> assertThat(value).isCloseTo(expected.get(job), withPercentage(1)));
  }

  @Test
  void theRateIsTheNumberOfGpus() throws Exception {
    long time = END - 13 * HOUR + 17_000;
    Map<String, Double> gpus =
        values("root", "sum by (hpc_job) (rate(" + GPU_SECONDS + "[5m]))", time, "hpc_job");
    Map<String, Double> held = values("root", "sum by (hpc_job) (gpu_allocated)", time, "hpc_job");
    held.remove("");
    assertThat(held).isNotEmpty();
    gpus.values().removeIf(each -> each == 0);
    assertClose(gpus, held, 1e-4);
    assertThat(api.envelope("root", "/api/v1/query?query=rate(" + GPU_SECONDS + "[5m])").toString())
        .as("it is a counter")
        .doesNotContain("might not be a counter");
  }

  // --- PromQL ---

  @Test
  void aRangeQueryIsTheInstantQueriesOfItsSteps() throws Exception {
    for (String query :
        List.of(
            "sum(" + GPU_SECONDS + ") by (class, hpc_job)",
            "rate(" + GPU_SECONDS + "{class='busy'}[7m] offset 3m)",
            "max_over_time(" + ENERGY + "[2h:20m])",
            GPU_SECONDS + " @ " + (END - 40_000) / 1_000 + " + on (hpc_job, class) " + GPU_SECONDS,
            "timestamp(" + ENERGY + ")")) {
      long start = END - 3 * HOUR - 30_000;
      for (long step : List.of(20_000L, 7 * MINUTE, HOUR)) {
        String path =
            "/api/v1/query_range?query="
                + encoded(query)
                + "&start="
                + start / 1_000
                + "&end="
                + (start + 8 * step) / 1_000
                + "&step="
                + step / 1_000;
        JsonNode cached = api.data("root", path);
        assertThat(api.data("root", path)).isEqualTo(cached);
        assertThat(api.data("root", path + "&nocache=1")).isEqualTo(cached);
        for (int i = 0; i <= 8; i++) {
          long time = start + i * step;
          Map<String, String> expected = new TreeMap<>();
          for (JsonNode each : query("root", query, time).path("result")) {
            expected.put(each.path("metric").toString(), each.path("value").toString());
          }
          Map<String, String> found = new TreeMap<>();
          for (JsonNode each : cached.path("result")) {
            for (JsonNode point : each.path("values")) {
              if (point.get(0).asLong() * 1_000 == time) {
                found.put(each.path("metric").toString(), point.toString());
              }
            }
          }
          assertThat(found).as(query + " at " + time).isEqualTo(expected);
        }
      }
    }
  }

  @Test
  void matchersAreOfOwnersOfGpusAndOfClasses() throws Exception {
    long time = END - HOUR;
    String last = "sum_over_time(" + GPU_SECONDS + "%s[1d:1h])";
    Map<String, Double> all =
        values("root", last.formatted("{class!='busy'}"), time, "hpc_job", "class");
    assertThat(all).hasSize(8 * 3);
    assertThat(values("root", last.formatted("{class=~'i.*',hpc_job!~'[3-9]'}"), time, "hpc_job"))
        .containsOnlyKeys("1", "2");
    assertThat(values("root", last.formatted("{nobody=''}"), time, "hpc_job", "class"))
        .containsAllEntriesOf(all);
    assertThat(values("root", last.formatted("{nobody='x'}"), time)).isEmpty();
    Map<String, Double> whole =
        values("root", "sum by (class) (" + last.formatted("") + ")", time, "class");
    Map<String, Double> racks =
        values("root", "sum by (class) (" + last.formatted("{rack='r0'}") + ")", time, "class");
    values("root", "sum by (class) (" + last.formatted("{rack!='r0'}") + ")", time, "class")
        .forEach((name, value) -> racks.merge(name, value, Double::sum));
    assertThat(racks).as("a label that GPUs have and series have not").isEqualTo(whole);
  }

  @Test
  void aNameIsThatOfASeriesOfUsageWhateverIsStored() throws Exception {
    Labels stored = Labels.of(Labels.NAME, GPU_SECONDS, "Hostname", "n1", "rule", "x");
    api.fleet.add(stored, END, 7);
    for (String selector : List.of(GPU_SECONDS, "{__name__=\"" + GPU_SECONDS + "\"}")) {
      Map<String, Double> classes =
          values("root", "count by (rule, class) (" + selector + ")", END, "rule", "class");
      assertThat(classes).containsOnlyKeys("/busy", "/execution_idle", "/idle", "/unknown");
    }
    assertThat(values("root", "{__name__=~\"job:gpu_sec.*\"}", END, "rule"))
        .as("a pattern names nothing")
        .containsOnlyKeys("x");
    Map<String, Double> both =
        values(
            "root",
            "count by (__name__) ({__name__=~\"" + GPU_SECONDS + "|gpu_allocated\"})",
            END,
            "__name__");
    assertThat(both.keySet()).containsExactly("gpu_allocated", GPU_SECONDS);
    assertThat(both.get("gpu_allocated")).isEqualTo(4);
  }

  @Test
  void aLateSampleIsInTheNextAnswer() throws Exception {
    String path =
        "/api/v1/query_range?query="
            + encoded("sum(" + ENERGY + "{hpc_job=\"late\"})")
            + "&start="
            + (END - 2 * HOUR) / 1_000
            + "&end="
            + END / 1_000
            + "&step=60";
    assertThat(api.data("root", path).path("result")).isEmpty();
    Labels late =
        Labels.of("UUID", "GPU-9", "Hostname", "n1", "hpc_job", "late")
            .with(Labels.NAME, "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION");
    api.fleet.add(late, END - 90 * MINUTE, 0);
    api.fleet.add(late, END - 80 * MINUTE, 600_000);
    JsonNode values = api.data("root", path).path("result").get(0).path("values");
    assertThat(values.get(0).toString()).isEqualTo("[" + (END - 89 * MINUTE) / 1_000 + ",\"60\"]");
  }

  // --- who may see what ---

  @Test
  void aTenantSeesNoOtherTenantsUsage() throws Exception {
    for (String query :
        List.of(
            GPU_SECONDS,
            ENERGY + "{hpc_job=~\".*\"}",
            "{__name__=~\"" + GPU_SECONDS + "|" + ENERGY + "\", tenant!=\"a\"}",
            "sum by (hpc_job, tenant) (increase(" + GPU_SECONDS + "[1d]))")) {
      String seen = query("b", query, END - 30 * MINUTE).toString();
      assertThat(seen).doesNotContain("\"a\"").doesNotContainPattern("\"hpc_job\":\"[1-4]\"");
      assertThat(seen).doesNotContain("\"metric\":{\"__name__\":\"" + ENERGY + "\"}");
    }
    assertThat(query("b", GPU_SECONDS, END - 30 * MINUTE).path("result")).isNotEmpty();
    assertThat(query("b", GPU_SECONDS + "{tenant=\"a\"}", END).path("result")).isEmpty();
  }

  @Test
  void theTenantsLimitsHold() throws Exception {
    HttpResponse<String> answer =
        api.http.get("root", "/api/v1/query?query=" + encoded("increase(" + ENERGY + "[2000d])"));
    assertThat(ApiServer.failure(answer)).startsWith("422 execution:").contains("limit range");
  }

  // --- everything else ---

  @Test
  void explainTellsWhatItIsMadeOfAndWhatItCosts() throws Exception {
    JsonNode explained =
        api.data(
            "root",
            "/api/v1/explain?query="
                + encoded("rate(" + GPU_SECONDS + "[5m])")
                + "&time="
                + END / 1_000);
    assertThat(explained.toString())
        .contains("gather " + GPU_SECONDS + "[5m]")
        .contains("is made of the usage that gateways count");
    assertThat(explained.path("estimated").path("samples").asInt()).isGreaterThan(100);
    assertThat(explained.path("shards")).isNotEmpty();
  }

  @Test
  void namesLabelsAndMetadataAreKnown() throws Exception {
    String times = "&start=" + (END - DAY) / 1_000 + "&end=" + END / 1_000;
    String match = "match[]=" + encoded(GPU_SECONDS) + times;
    assertThat(ApiServer.texts(api.data("b", "/api/v1/label/__name__/values")))
        .contains(GPU_SECONDS, ENERGY, "gpu_allocated")
        .isSorted();
    assertThat(ApiServer.texts(api.data("b", "/api/v1/label/hpc_job/values?" + match)))
        .isNotEmpty()
        .isSubsetOf("5", "6", "7", "8");
    assertThat(ApiServer.texts(api.data("b", "/api/v1/label/class/values?" + match)))
        .containsExactly("busy", "execution_idle", "idle", "unknown");
    assertThat(ApiServer.texts(api.data("b", "/api/v1/label/rack/values?" + match))).isEmpty();
    assertThat(ApiServer.texts(api.data("b", "/api/v1/labels?" + match)))
        .containsExactly("__name__", "class", "hpc_job", "tenant");
    JsonNode series =
        api.data(
            "b", "/api/v1/series?" + match.replace("&start", encoded("{class='idle'}") + "&start"));
    assertThat(series).isNotEmpty();
    for (JsonNode each : series) {
      assertThat(each.path("class").asText()).isEqualTo("idle");
      assertThat(each.path("tenant").asText()).isEqualTo("b");
      assertThat(each).hasSize(4);
    }
    JsonNode metadata = api.data("b", "/api/v1/metadata?metric=" + encoded(ENERGY)).path(ENERGY);
    assertThat(metadata.get(0).path("type").asText()).isEqualTo("counter");
    assertThat(metadata.get(0).path("unit").asText()).isEqualTo("joules");
  }

  @Test
  void federationTakesTheNewestSamples() throws Exception {
    api.clock.set(END + 30_000);
    String page = api.http.get("a", "/federate?match[]=" + encoded(ENERGY)).body();
    assertThat(page).contains(ENERGY + "{hpc_job=").doesNotContain("tenant=\"b\"");
    assertThat(page.lines().filter(line -> !line.startsWith("#")))
        .allMatch(line -> line.endsWith(" 0 " + (END + 1)));
  }

  @Test
  void theDocumentationListsThem() throws Exception {
    String page =
        Files.readString(Path.of(System.getProperty("fleetgauge.root"), "docs/report.md"));
    List<String> lines =
        page.lines().filter(line -> line.startsWith("| `job:")).map(line -> line.strip()).toList();
    assertThat(lines).hasSize(UsageMetric.values().length);
    for (UsageMetric metric : UsageMetric.values()) {
      assertThat(lines.get(metric.ordinal()))
          .startsWith("| `" + metric.metric + "` | " + metric.unit + " |");
    }
  }
}
