package io.fleetgauge.query.report;

import static io.fleetgauge.query.ApiServer.NOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.query.ApiServer;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The report over HTTP: what is asked, what is answered, and in which forms. */
@ExtendWith(VertxExtension.class)
class ReportApiTest {
  private static final long MINUTE = 60_000;
  private static final long HOUR = 60 * MINUTE;
  private static final double GIB = 1 << 30;
  private static final String PATH = "/api/v1/report/usage";

  @TempDir private Path folder;
  private ApiServer api;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    api = new ApiServer(vertx, folder, "report: {maxRows: 8}");
  }

  @AfterEach
  void stop() throws Exception {
    api.close();
  }

  private static Labels gpu(int host, String... owner) {
    return Labels.of("UUID", "GPU-" + host, "Hostname", "n" + host, "rack", "r" + host)
        .with(Labels.of(owner));
  }

  /** A sample every minute after a time, up to and with another. */
  private void add(String metric, Labels labels, long after, long to, double value) {
    List<Long> times = new ArrayList<>();
    for (long time = after + MINUTE; time <= to; time += MINUTE) {
      times.add(time);
    }
    double[] values = new double[times.size()];
    java.util.Arrays.fill(values, value);
    api.fleet.with(
        new Series(
            labels.with(Labels.NAME, metric),
            times.stream().mapToLong(Long::longValue).toArray(),
            values));
  }

  /** In the last two hours: an hour of pod p of tenant a with 1 GiB, then one of b with 3 GiB. */
  private void twoTenants() {
    Labels a = gpu(1, "tenant", "a", "pod", "p", "namespace", "train", "container", "main");
    Labels b = gpu(1, "tenant", "b", "pod", "q", "namespace", "infer", "container", "main");
    long middle = NOW - HOUR;
    for (Labels owner : List.of(a, b)) {
      long after = owner == a ? NOW - 2 * HOUR - MINUTE : middle - MINUTE;
      long to = owner == a ? middle - MINUTE : NOW;
      add("DCGM_FI_DEV_FB_USED", owner, after, to, owner == a ? 1_024 : 3_072);
      add("DCGM_FI_DEV_GPU_UTIL", owner, after, to, owner == a ? 25 : 80);
      add("gpu_allocated", owner, after, to, 1);
    }
  }

  private JsonNode report(String tenant, String parameters) throws Exception {
    return api.data(tenant, PATH + "?from=" + (NOW - 2 * HOUR) / 1_000 + "&" + parameters);
  }

  private static List<String> groups(JsonNode report) {
    List<String> groups = new ArrayList<>();
    report
        .path("rows")
        .forEach(row -> groups.add(String.join("/", ApiServer.texts(array(row.path("group"))))));
    return groups;
  }

  private static JsonNode array(JsonNode object) {
    var array = com.fasterxml.jackson.databind.node.JsonNodeFactory.instance.arrayNode();
    object.forEach(array::add);
    return array;
  }

  @Tag("slow")
  @Test
  void aReportTellsWhatEachTenantUsed() throws Exception {
    twoTenants();
    JsonNode report = report("root", "by=tenant,pod");
    assertThat(groups(report)).containsExactly("a/p", "b/q");
    JsonNode a = report.path("rows").get(0);
    JsonNode b = report.path("rows").get(1);
    assertThat(a.path("memory_used_bytes").isNull()).as("it has gone").isTrue();
    assertThat(a.path("memory_peak_bytes").asDouble()).isEqualTo(GIB);
    assertThat(a.path("memory_average_bytes").asDouble()).isEqualTo(GIB);
    assertThat(a.path("memory_seconds").asDouble()).isEqualTo(3_600);
    assertThat(a.path("activity_average_ratio").asDouble()).isEqualTo(0.25);
    assertThat(a.path("gpu_hours_allocated").asDouble()).isEqualTo(1);
    assertThat(a.path("gpu_hours_busy").asDouble()).isEqualTo(1);
    assertThat(a.path("gpu_hours_idle").asDouble()).isZero();
    assertThat(a.path("energy_kwh").isNull()).as("no sample tells of it").isTrue();
    assertThat(b.path("memory_used_bytes").asDouble()).isEqualTo(3 * GIB);
    assertThat(b.path("activity_average_ratio").asDouble()).isEqualTo(0.8);
    assertThat(b.path("gpu_hours_busy").asDouble()).isEqualTo(1);
    JsonNode all = report.path("totals").get(0);
    assertThat(all.has("group")).isFalse();
    assertThat(all.path("memory_average_bytes").asDouble()).isEqualTo(2 * GIB);
    assertThat(all.path("gpu_hours_allocated").asDouble()).isEqualTo(2);
    assertThat(report.path("by").toString()).isEqualTo("[\"tenant\",\"pod\"]");
    JsonNode definitions = report.path("definitions");
    assertThat(definitions.path("lookback_seconds").asInt()).isEqualTo(300);
    assertThat(definitions.path("bridge_seconds").asInt()).isEqualTo(3_600);
    assertThat(definitions.path("busy_activity_ratio").asDouble()).isEqualTo(0.05);
    assertThat(definitions.path("high_power_ratio").asDouble()).isEqualTo(0.16);
    assertThat(definitions.path("prices").isNull()).isTrue();
    assertThat(report.path("completeness").toString())
        .isEqualTo("{\"hosts\":3,\"answered\":3,\"missing\":[]}");
  }

  @Tag("slow")
  @Test
  void aStepMakesRowsForEachInterval() throws Exception {
    twoTenants();
    JsonNode report = report("root", "by=tenant&step=40m");
    assertThat(groups(report)).containsExactly("a", "a", "b", "b");
    assertThat(report.path("rows").get(1).path("memory_seconds").asDouble()).isEqualTo(1_200);
    assertThat(report.path("rows").get(3).path("from").asLong()).isEqualTo(NOW / 1_000 - 40 * 60);
    assertThat(report.path("totals")).hasSize(3);
    assertThat(report.path("totals").get(1).path("memory_average_bytes").asDouble())
        .isEqualTo(2 * GIB);
  }

  @Test
  void withoutParametersItIsOfTheContainersOfTheLastDay() throws Exception {
    twoTenants();
    JsonNode report = api.data("root", PATH);
    assertThat(groups(report)).containsExactly("infer/q/main", "train/p/main");
    assertThat(report.path("from").asLong()).isEqualTo(NOW / 1_000 - 86_400);
    assertThat(report.path("to").asLong()).isEqualTo(NOW / 1_000);
    assertThat(report.path("step_seconds").asLong()).isEqualTo(86_400);
  }

  @Test
  void timesAreThoseOfPrometheus() throws Exception {
    twoTenants();
    JsonNode report =
        api.data("root", PATH + "?from=2026-11-21T21:26:40.500Z&to=1795299999.25&by=tenant");
    assertThat(report.path("from").asDouble()).isEqualTo(1_795_296_400.5);
    assertThat(report.path("to").asDouble()).isEqualTo(1_795_299_999.25);
    assertThat(api.data("root", PATH + "?to=1795999999").path("to").asDouble())
        .as("the future has no samples")
        .isEqualTo(NOW / 1e3);
    String nothing = PATH + "?match[]=" + ApiServer.encoded("{tenant=\"none\"}");
    JsonNode longest = api.data("root", nothing + "&step=1s&from=" + (NOW / 1_000 - 11_000));
    assertThat(longest.path("step_seconds").asLong()).isEqualTo(1);
    assertThat(api.data("root", PATH + "?from=0&to=1").path("rows")).isEmpty();
    assertThat(
            api.data("root", PATH + "?step=1w&from=" + (NOW / 1_000 - 60))
                .path("step_seconds")
                .asLong())
        .as("no longer than the period")
        .isEqualTo(60);
  }

  @Tag("slow")
  @Test
  void aTenantSeesItsRowsOnly() throws Exception {
    twoTenants();
    JsonNode report = report("a", "by=tenant,pod");
    assertThat(groups(report)).containsExactly("a/p");
    assertThat(report.path("totals").get(0).path("gpu_hours_allocated").asDouble())
        .isGreaterThanOrEqualTo(1);
    assertThat(report.toString()).doesNotContain("\"q\"").doesNotContain("infer");
    assertThat(report.path("completeness").path("hosts").asInt()).isEqualTo(2);
    assertThat(api.http.get("", PATH).statusCode()).isEqualTo(401);
    assertThat(api.http.get("writer", PATH).statusCode()).isEqualTo(403);
  }

  @Tag("slow")
  @Test
  void whatASelectorDoesNotMatchIsNotReported() throws Exception {
    twoTenants();
    assertThat(
            groups(
                report("root", "by=tenant&match[]=" + ApiServer.encoded("{namespace=\"infer\"}"))))
        .containsExactly("b");
  }

  @Tag("slow")
  @Test
  void aSharedGpuCountsOnceAndItsHoursAreDivided() throws Exception {
    Labels shared = gpu(2);
    Labels one = gpu(2, "tenant", "a", "pod", "p1");
    Labels other = gpu(2, "tenant", "b", "pod", "p2");
    long after = NOW - 2 * HOUR - MINUTE;
    add("DCGM_FI_DEV_FB_USED", shared, after, NOW, 10 * 1_024);
    add("gpu_process_memory_bytes", one.with("pid", "1"), after, NOW, 2 * GIB);
    add("gpu_process_memory_bytes", one.with("pid", "2"), after, NOW, GIB);
    add("gpu_process_memory_bytes", other.with("pid", "3"), after, NOW, 4 * GIB);
    add("gpu_allocated", shared, after, NOW, 1);
    for (Labels owner : List.of(one, other)) {
      Labels info = owner.with("slot", owner.value("pod")).with("source", "kubelet");
      add("gpu_allocation_info", info.with("basis", "allocation"), after, NOW, 1);
      // That a process shows the same is no second allocation.
      add("gpu_allocation_info", info.with("basis", "process").with("slot", "9"), after, NOW, 1);
    }
    JsonNode report = report("root", "by=pod");
    assertThat(groups(report)).containsExactly("p1", "p2");
    assertThat(report.path("rows").findValues("memory_used_bytes").toString())
        .as("3 GiB and 4 GiB of processes, and half of the rest each")
        .isEqualTo("[4831838208, 5905580032]");
    assertThat(report.path("rows").findValues("gpu_hours_allocated").toString())
        .isEqualTo("[1, 1]");
    JsonNode ofA = report("a", "by=pod");
    assertThat(groups(ofA)).as("its part of what it shares").containsExactly("p1");
    assertThat(ofA.path("totals").get(0).path("gpu_hours_allocated").asDouble()).isEqualTo(1);
    assertThat(report.path("totals").get(0).path("gpu_hours_allocated").asDouble()).isEqualTo(2);
    JsonNode byRack = report("root", "by=rack,gpu");
    assertThat(groups(byRack)).containsExactly("r2/GPU-2");
    assertThat(byRack.path("rows").get(0).path("memory_used_bytes").asDouble()).isEqualTo(10 * GIB);
  }

  @Tag("slow")
  @Test
  void aMarkerEndsAValueAndAGapDoesAfterTheLookback() throws Exception {
    Labels gpu = gpu(3, "tenant", "a").with(Labels.NAME, "DCGM_FI_DEV_FB_USED");
    long begin = NOW - 2 * HOUR;
    api.fleet.with(
        new Series(
            gpu,
            new long[] {begin, begin + 10_000, begin + HOUR, begin + HOUR + MINUTE},
            new double[] {1_024, Staleness.MARKER, 1_024, 2_048}));
    JsonNode row = report("root", "by=tenant").path("rows").get(0);
    assertThat(row.path("memory_seconds").asDouble()).isEqualTo(10 + 60 + 300);
    assertThat(row.path("memory_average_bytes").asDouble())
        .isCloseTo((70 * GIB + 300 * 2 * GIB) / 370, withPercentage(1e-12));
    assertThat(row.path("gpu_hours_allocated").isNull()).isTrue();
  }

  @Tag("slow")
  @Test
  void theTermsAreParametersAndStandInTheReport() throws Exception {
    twoTenants();
    JsonNode report = report("root", "by=tenant&busy=0.5&high_power=0.25&bridge=0");
    assertThat(report.path("rows").get(0).path("gpu_hours_idle").asDouble()).isEqualTo(1);
    assertThat(report.path("rows").get(1).path("gpu_hours_busy").asDouble()).isEqualTo(1);
    assertThat(report.path("definitions").path("busy_activity_ratio").asDouble()).isEqualTo(0.5);
    assertThat(report.path("definitions").path("high_power_ratio").asDouble()).isEqualTo(0.25);
    assertThat(report.path("definitions").path("bridge_seconds").asInt()).isZero();
  }

  @Tag("slow")
  @Test
  void pricesAndCarbonCutThePeriodAndATenantSeesOnlyRulesThatApplyToIt(Vertx vertx)
      throws Exception {
    Path prices =
        Files.writeString(
            folder.resolve("prices.yaml"),
            """
            currency: EUR
            prices:
              - {name: until ten, to: 2026-11-21T22:00:00Z, tenant: b, price: 6}
              - {name: price of b, tenant: b, price: 9}
              - {name: price of a, tenant: a, price: 2}
              - {name: broken, price: x}
            """);
    Path carbon =
        Files.writeString(folder.resolve("carbon.csv"), "2026-11-21T20:00:00Z,1\ndefault,100\n");
    api.close();
    api =
        new ApiServer(
            vertx, folder, "report: {prices: " + prices + ", carbon: " + carbon + ", pue: 1.5}");
    twoTenants();
    for (String owner : List.of("a", "b")) {
      long after = owner.equals("a") ? NOW - 2 * HOUR - MINUTE : NOW - HOUR - MINUTE;
      add("DCGM_FI_DEV_POWER_USAGE", gpu(1, "tenant", owner), after, after + HOUR, 600);
    }
    JsonNode report = report("root", "by=tenant");
    JsonNode b = report.path("rows").get(1);
    // From 21:26:40 to 22:00, and from there to 22:26:40.
    assertThat(b.path("cost").decimalValue()).isEqualByComparingTo("7.33333333333333");
    assertThat(b.path("price_rules").toString())
        .isEqualTo(
            "[{\"name\":\"until ten\",\"price\":6,\"gpu_hours\":0.555555555555556,"
                + "\"cost\":3.33333333333333},"
                + "{\"name\":\"price of b\",\"price\":9,\"gpu_hours\":0.444444444444444,"
                + "\"cost\":4}]");
    assertThat(report.path("totals").get(0).path("cost").decimalValue())
        .isEqualByComparingTo("9.33333333333333");
    assertThat(report.path("definitions").path("entries_left_out").asInt()).isEqualTo(1);
    String whole = "?from=" + (NOW - 2 * HOUR) / 1_000 + "&by=tenant&format=";
    for (String form : List.of("json", "csv", "html")) {
      String ofA = api.http.get("a", PATH + whole + form).body();
      assertThat(ofA).contains("price of a").doesNotContain("price of b", "until ten", "broken");
    }
    Files.writeString(prices, "prices: [{name: new, price: 1}]");
    api.rates.look();
    assertThat(report("root", "by=tenant").path("rows").get(1).path("cost").asInt()).isEqualTo(1);
  }

  @Tag("slow")
  @Test
  void csvIsThatOfRfc4180AndNoFormula() throws Exception {
    twoTenants();
    Labels strange = gpu(3, "pod", "=cmd|' /C calc'!A0", "tenant", "a, \"b\"\r\n");
    add("DCGM_FI_DEV_FB_USED", strange, NOW - HOUR, NOW, 1);
    HttpResponse<String> csv =
        api.http.get("root", PATH + "?from=" + (NOW - HOUR) / 1_000 + "&by=pod,tenant&format=csv");
    assertThat(csv.statusCode()).isEqualTo(200);
    assertThat(csv.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/csv");
    assertThat(csv.headers().firstValue("Content-Disposition").orElseThrow())
        .isEqualTo("attachment; filename=\"usage_20261121T212640Z_20261121T222640Z.csv\"");
    assertThat(csv.headers().firstValue("X-Fleetgauge-Completeness").orElseThrow())
        .startsWith("hosts=3; answered=3");
    assertThat(csv.body())
        .startsWith("pod,tenant,from,to,gpu_hours_allocated,")
        .contains(
            "'=cmd|' /C calc'!A0,\"a, \"\"b\"\"\r\n\",2026-11-21T21:26:40Z,2026-11-21T22:26:40Z,")
        .contains("q,b,2026-11-21T21:26:40Z,2026-11-21T22:26:40Z,1,1,0,0,0,3600,3600,0,0,0,,,,,")
        .endsWith("up to 1h are allocated\r\n");
  }

  @Tag("slow")
  @Test
  void thePageIsEscapedAndNeedsNothingElse() throws Exception {
    twoTenants();
    add("DCGM_FI_DEV_FB_USED", gpu(3, "pod", "<script>alert('1')</script>&\""), NOW - HOUR, NOW, 1);
    HttpResponse<String> page = api.http.get("root", PATH + "?by=pod,label:rack&format=html");
    assertThat(page.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/html");
    assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow())
        .startsWith("default-src 'none'");
    assertThat(page.body())
        .contains("<td>&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;&quot;</td>")
        .contains("<th>label:rack</th>")
        .contains("From 2026-11-20T22:26:40Z to 2026-11-21T22:26:40Z, of all 3 hosts")
        .contains("<td colspan=\"2\">Total</td>")
        .contains("<td class=\"n\">3.00</td>", "<li>Busy is allocated time with an activity of")
        .doesNotContain("<script")
        .doesNotContain("http:")
        .doesNotContain("https:");
  }

  @Tag("slow")
  @Test
  void aHostThatIsMissingIsNamedInEveryForm() throws Exception {
    twoTenants();
    api.fleet.damage("n2");
    JsonNode envelope = api.envelope("root", PATH + "?by=tenant");
    assertThat(envelope.path("warnings").get(0).asText()).contains("1 of 3 hosts are missing: n2");
    assertThat(envelope.path("data").path("completeness").toString())
        .isEqualTo("{\"hosts\":3,\"answered\":2,\"missing\":[\"n2\"]}");
    assertThat(api.http.get("root", PATH + "?by=tenant&format=csv").body())
        .contains(",3,1,Busy is");
    assertThat(api.http.get("root", PATH + "?by=tenant&format=html").body())
        .contains("of 2 of 3 hosts.")
        .contains("<p class=\"warning\">incomplete result: 1 of 3 hosts are missing: n2</p>");
    assertThat(ApiServer.failure(api.http.get("root", PATH + "?strict=1&format=csv")))
        .startsWith("503 unavailable: incomplete result");
    assertThat(api.http.get("strict", PATH).statusCode()).isEqualTo(503);
  }

  @Test
  void aWrongRequestIsToldWhatIsWrong() throws Exception {
    String wrong = "400 bad_data: invalid parameter ";
    for (String[] each :
        new String[][] {
          {
            "by=contaner",
            "\"by\": \"contaner\" is none of account, cluster, container, gpu, host, job, job_name,"
                + " mig,"
          },
          {"by=pod,pod", "\"by\": \"pod\" is named twice"},
          {"by=pod&by=pod", "\"by\": \"pod\" is named twice"},
          {"by=pod,", "\"by\": \"\" is none of"},
          {"by=label:", "\"by\": \"label:\" is none of"},
          {"by=label:a-b", "\"by\": \"label:a-b\" is none of"},
          {
            "by=label:a,label:b,label:c,label:d,label:e,label:f,label:g,label:h,label:i,pod,gpu",
            "\"by\": 11 names are more than the 10 that are allowed"
          },
          {"format=xlsx", "\"format\": \"xlsx\" is none of json, csv and html"},
          {"from=yesterday", "\"from\": cannot parse \"yesterday\" to a valid timestamp"},
          {"from=-1", "\"from\": must not be before 1970"},
          {"from=" + NOW, "\"to\": must be after from"},
          {"from=5&to=5", "\"to\": must be after from"},
          {"step=0", "\"step\": must be above 0"},
          {"step=-5s", "\"step\": cannot parse"},
          {"step=1s", "\"step\": makes more than 11000 intervals"},
          {"step=1s&from=" + (NOW / 1_000 - 11_001), "\"step\": makes more than 11000 intervals"},
          {"busy=1.1", "\"busy\": must be a number from 0 to 1 with at most 6 decimals"},
          {"busy=-0", "\"busy\": must be a number from 0 to 1 with at most 6 decimals"},
          {"high_power=1e-1", "\"high_power\": must be a number from 0 to 1"},
          {"bridge=2d", "\"bridge\": must be from 0 to 1 day"},
          {"timeout=0", "\"timeout\": must be above 0"},
          {"match[]=%7B", "\"match[]\": "},
          {"match[]=a&match[]=b", "\"match[]\": a report takes one selector"},
        }) {
      assertThat(ApiServer.failure(api.http.get("root", PATH + "?" + each[0])))
          .as(each[0])
          .startsWith(wrong + each[1]);
    }
  }

  @Tag("slow")
  @Test
  void aPodThatSeemsToBeTheExportersIsWarnedOfToThoseWhoSeeIt() throws Exception {
    Labels scraped = gpu(1, "pod", "metrics-x", "tenant", "a");
    Labels train = scraped.with("UUID", "GPU-9").with("exported_pod", "train-0");
    add("DCGM_FI_DEV_FB_USED", scraped, NOW - HOUR, NOW, 1);
    add("DCGM_FI_DEV_FB_USED", train.with("tenant", "b"), NOW - HOUR, NOW, 1);
    String warning = "\"GPUs seem to be held by the pod of the exporter that was scraped, ";
    assertThat(api.envelope("root", PATH + "?by=tenant").path("warnings").toString())
        .contains(warning);
    for (String tenant : List.of("a", "b")) {
      assertThat(api.envelope(tenant, PATH + "?by=tenant").path("warnings").toString())
          .doesNotContain(warning);
    }
  }

  @Tag("slow")
  @Test
  void samplesOfOthersOnTheHostsOfATenantAreNoReasonToRefuseItsReport() throws Exception {
    long after = NOW - HOUR - MINUTE;
    twoTenants();
    for (int gpu = 0; gpu < 40; gpu++) {
      add("DCGM_FI_DEV_FB_USED", gpu(1, "tenant", "b").with("UUID", "G" + gpu), after, NOW, 1);
    }
    Labels own = gpu(1, "tenant", "small", "pod", "p").with("UUID", "own");
    add("DCGM_FI_DEV_FB_USED", own, after, NOW, 1);
    add("gpu_allocated", own, after, NOW, 1);
    assertThat(groups(report("small", "by=pod"))).containsExactly("p");
    for (int gpu = 0; gpu < 40; gpu++) {
      add("DCGM_FI_DEV_FB_USED", own.with("UUID", "own" + gpu), after, NOW, 1);
    }
    assertThat(ApiServer.failure(api.http.get("small", PATH)))
        .startsWith("422 execution: the query of tenant small is over its limit samples: ");
  }

  @Test
  void aReportOverALimitNamesIt() throws Exception {
    twoTenants();
    assertThat(ApiServer.failure(api.http.get("root", PATH + "?by=tenant&step=10m")))
        .startsWith("422 execution: the report has more than the 8 rows that report.maxRows");
    HttpResponse<String> csv = api.http.get("root", PATH + "?by=tenant&step=10m&format=csv");
    assertThat(csv.statusCode()).isEqualTo(422);
    assertThat(csv.headers().firstValue("Content-Type").orElseThrow())
        .startsWith("application/json");
    assertThat(csv.headers().firstValue("Content-Disposition")).as("no file").isEmpty();
    for (int pod = 0; pod < 9; pod++) {
      add("DCGM_FI_DEV_FB_USED", gpu(3, "pod", "p" + pod), NOW - HOUR, NOW, 1);
    }
    assertThat(ApiServer.failure(api.http.get("root", PATH + "?by=pod")))
        .startsWith("422 execution: the report has more than the 8 rows that report.maxRows");
    assertThat(ApiServer.failure(api.http.get("root", PATH + "?from=0&by=pod")))
        .startsWith("422 execution: the query of tenant root is over its limit range: ");
  }
}
