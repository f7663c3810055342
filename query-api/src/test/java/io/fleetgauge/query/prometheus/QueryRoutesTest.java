package io.fleetgauge.query.prometheus;

import static io.fleetgauge.query.ApiServer.NOW;
import static io.fleetgauge.query.ApiServer.TEMPERATURE;
import static io.fleetgauge.query.ApiServer.encoded;
import static io.fleetgauge.query.ApiServer.failure;
import static io.fleetgauge.query.ApiServer.texts;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.query.ApiServer;
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
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
@ExtendWith(VertxExtension.class)
class QueryRoutesTest {
  private static final String INSTANT = "/api/v1/query?query=";
  private static final String RANGE = "/api/v1/query_range?query=";
  private static final String COUNT = "count(" + TEMPERATURE + ")";

  private ApiServer api;

  @BeforeEach
  void start(Vertx vertx, @TempDir Path folder) throws Exception {
    api = new ApiServer(vertx, folder);
  }

  @AfterEach
  void stop() throws Exception {
    api.close();
  }

  private static String range(String query, long start, long end, String step) {
    return RANGE + encoded(query) + "&start=" + start + "&end=" + end + "&step=" + step;
  }

  // --- instant queries ---

  @Test
  void anInstantQueryIsEvaluatedNowOrAtItsTime() throws Exception {
    assertThat(api.data("root", INSTANT + encoded(COUNT)).toString())
        .isEqualTo(
            "{\"resultType\":\"vector\",\"result\":[{\"metric\":{},\"value\":["
                + NOW / 1_000
                + ",\"6\"]}]}");
    assertThat(api.data("root", INSTANT + encoded(COUNT) + "&time=1000000.5").toString())
        .isEqualTo("{\"resultType\":\"vector\",\"result\":[]}");
    assertThat(api.data("root", INSTANT + "time()&time=1000000.5").path("result").toString())
        .isEqualTo("[1000000.5,\"1000000.5\"]");
  }

  @Test
  void aFormIsAnsweredLikeAUrl() throws Exception {
    HttpResponse<String> form =
        api.http.postForm("root", "/api/v1/query", "query=" + encoded(COUNT));
    assertThat(form.body()).isEqualTo(api.http.get("root", INSTANT + encoded(COUNT)).body());
  }

  @Test
  void everyQueryIsAnsweredWithinTheScopeOfItsToken() throws Exception {
    for (String mode : new String[] {"auto", "raw"}) {
      for (String tenant : new String[] {"a", "b"}) {
        HttpResponse<String> answer =
            api.http.get(
                tenant,
                range("count by (tenant) (" + TEMPERATURE + ")", NOW / 1_000, NOW / 1_000, "1"),
                "X-Fleetgauge-Plan",
                mode);
        JsonNode result = ApiServer.success(answer).path("data").path("result");
        assertThat(result).as(mode + " " + tenant).hasSize(1);
        assertThat(result.get(0).path("metric").path("tenant").asText()).isEqualTo(tenant);
        assertThat(result.get(0).path("values").get(0).get(1).asText()).isEqualTo("3");
      }
    }
  }

  @Test
  void aPlanThatIsNotKnownIsRefused() throws Exception {
    assertThat(failure(api.http.get("a", INSTANT + "1", "X-Fleetgauge-Plan", "fast")))
        .startsWith("400 bad_data: the header X-Fleetgauge-Plan is \"fast\"");
  }

  @Test
  void aLimitCutsTheAnswerAndWarns() throws Exception {
    JsonNode cut = api.envelope("root", INSTANT + TEMPERATURE + "&limit=2");
    assertThat(cut.path("data").path("result")).hasSize(2);
    assertThat(texts(cut.path("warnings"))).containsExactly("results truncated due to limit");
    JsonNode whole = api.envelope("root", INSTANT + TEMPERATURE + "&limit=6");
    assertThat(whole.path("data").path("result")).hasSize(6);
    assertThat(whole.has("warnings")).isFalse();
    JsonNode matrix =
        api.envelope("root", range(TEMPERATURE, NOW / 1_000, NOW / 1_000, "1") + "&limit=1");
    assertThat(matrix.path("data").path("result")).hasSize(1);
    assertThat(texts(matrix.path("warnings"))).containsExactly("results truncated due to limit");
    assertThat(api.envelope("root", INSTANT + "1&limit=1").has("warnings")).isFalse();
    // A limit does not show in the answer of the next who sets none.
    assertThat(api.data("root", INSTANT + TEMPERATURE).path("result")).hasSize(6);
  }

  @Test
  void statisticsAreReturnedOnRequest() throws Exception {
    JsonNode data = api.data("root", INSTANT + TEMPERATURE + "&stats=all");
    assertThat(data.path("stats").path("samples").path("totalQueryableSamples").asInt())
        .isPositive();
    assertThat(api.data("root", INSTANT + TEMPERATURE).has("stats")).isFalse();
  }

  @Test
  void aRequestSetsItsLookback() throws Exception {
    String late = INSTANT + encoded(COUNT) + "&time=" + (NOW / 1_000 + 120);
    assertThat(api.data("root", late).path("result")).hasSize(1);
    assertThat(api.data("root", late + "&lookback_delta=1m").path("result")).isEmpty();
    assertThat(failure(api.http.get("root", late + "&lookback_delta=-1")))
        .isEqualTo("400 bad_data: invalid parameter \"lookback_delta\": must not be negative");
  }

  // --- ranges ---

  @Test
  void aRangeHasEveryStepFromStartToEnd() throws Exception {
    long start = NOW / 1_000 - 60;
    JsonNode result = api.data("root", range(COUNT, start, start + 45, "15s")).path("result");
    assertThat(result.get(0).path("values").toString())
        .isEqualTo(
            "[[%d,\"6\"],[%d,\"6\"],[%d,\"6\"],[%d,\"6\"]]"
                .formatted(start, start + 15, start + 30, start + 45));
  }

  @Test
  void aLongAnswerIsStreamedAndIsTheSame() throws Exception {
    // 6 series with 8,000 points each.
    String path =
        range("max_over_time(" + TEMPERATURE + "[1h])", NOW / 1_000 - 800, NOW / 1_000, "0.1");
    HttpResponse<String> streamed = api.http.get("root", path);
    assertThat(streamed.headers().firstValue("Transfer-Encoding")).contains("chunked");
    HttpResponse<String> whole = api.http.get("root", path + "&limit=9");
    assertThat(whole.headers().firstValue("Transfer-Encoding")).isEmpty();
    assertThat(streamed.body()).isEqualTo(whole.body()).hasSizeGreaterThan(100_000);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "start=1&end=2&step=1 | invalid parameter \"query\": unknown position: parse"
            + " error: no expression found in input",
        "query=1&end=2&step=1 | invalid parameter \"start\": cannot parse \"\" to a valid"
            + " timestamp",
        "query=1&start=1&step=1 | invalid parameter \"end\": cannot parse \"\" to a valid"
            + " timestamp",
        "query=1&start=2&end=1&step=1 | invalid parameter \"end\": end timestamp must not be before"
            + " start time",
        "query=1&start=1&end=2 | invalid parameter \"step\": cannot parse \"\" to a valid duration",
        "query=1&start=1&end=2&step=0 | invalid parameter \"step\": zero or negative query"
            + " resolution step widths are not accepted. Try a positive integer",
        "query=1&start=1&end=2&step=-1 | invalid parameter \"step\": zero or negative query"
            + " resolution step widths are not accepted. Try a positive integer",
        "query=1&start=0&end=11001&step=1 | exceeded maximum resolution of 11,000 points per"
            + " timeseries. Try decreasing the query resolution (?step=XX)",
        "query=1&start=1&end=2&step=1&limit=-1 | invalid parameter \"limit\": limit must be"
            + " non-negative",
        "query=up[5m&start=1&end=2&step=1 | invalid parameter \"query\": 1:6: parse error: unclosed"
            + " left bracket"
      })
  void errorsOfRangesAreThoseOfPrometheus(String parameters, String error) throws Exception {
    String path = "/api/v1/query_range?" + parameters.replace("[", "%5B");
    assertThat(failure(api.http.get("a", path))).isEqualTo("400 bad_data: " + error);
  }

  @Test
  void elevenThousandStepsAreAllowedAndNotOneMore() throws Exception {
    assertThat(api.data("a", range("1", 0, 11_000, "1")).path("result").get(0).path("values"))
        .hasSize(11_001);
  }

  @Test
  void theFirstAndTheLastTimeOfAClientMakeARange() throws Exception {
    String path =
        RANGE + "1&start=-292273086-05-16T16:47:06Z&end=292277025-08-18T07:12:54.999999999Z&step=";
    assertThat(failure(api.http.get("a", path + "1h"))).contains("exceeded maximum resolution");
  }

  // --- failures of the evaluation ---

  @Test
  void aQueryWithoutTimeTimesOut() throws Exception {
    HttpResponse<String> answer = api.http.get("a", INSTANT + "1&timeout=0");
    assertThat(failure(answer)).isEqualTo("503 timeout: query timed out in expression evaluation");
    assertThat(answer.headers().firstValue("Retry-After")).contains("1");
  }

  @Test
  void aQueryThatTheShardsDoNotAnswerInTimeTimesOut() throws Exception {
    api.shards.hold("samples", "parts", "extents");
    HttpResponse<String> answer = api.http.get("a", INSTANT + TEMPERATURE + "&timeout=50ms");
    assertThat(failure(answer)).startsWith("503 timeout: query timed out in expression evaluation");
    assertThat(answer.headers().firstValue("Retry-After")).isPresent();
    api.shards.release();
  }

  @Test
  void anEvaluationThatFailsIsNotRetried() throws Exception {
    String ambiguous = TEMPERATURE + " + on (rack) " + TEMPERATURE;
    HttpResponse<String> answer = api.http.get("root", INSTANT + encoded(ambiguous));
    assertThat(failure(answer)).startsWith("422 execution: ");
    assertThat(answer.headers().firstValue("Retry-After")).isEmpty();
  }

  // --- completeness ---

  @Test
  void anAnswerSaysWhichHostsItCovers() throws Exception {
    HttpResponse<String> whole = api.http.get("root", INSTANT + TEMPERATURE);
    assertThat(whole.headers().firstValue("X-Fleetgauge-Completeness").orElseThrow())
        .startsWith("hosts=3; answered=3; missing=; watermark-age=unknown; epoch=");
    api.fleet.damage("n2");
    HttpResponse<String> part = api.http.get("root", INSTANT + TEMPERATURE + "&nocache=1");
    assertThat(part.headers().firstValue("X-Fleetgauge-Completeness").orElseThrow())
        .startsWith("hosts=3; answered=2; missing=n2; ");
    assertThat(texts(ApiServer.success(part).path("warnings")))
        .containsExactly("incomplete result: 1 of 3 hosts are missing: n2");
  }

  @Test
  void aTokenWithAScopeIsToldOfTheHostsInItsScopeOnly() throws Exception {
    HttpResponse<String> whole = api.http.get("a", INSTANT + TEMPERATURE);
    assertThat(whole.headers().firstValue("X-Fleetgauge-Completeness").orElseThrow())
        .startsWith("hosts=2; answered=2; missing=; ");
    api.fleet.damage("n3");
    HttpResponse<String> same = api.http.get("a", INSTANT + TEMPERATURE + "&nocache=1");
    assertThat(same.headers().firstValue("X-Fleetgauge-Completeness").orElseThrow())
        .startsWith("hosts=2; answered=2; missing=; ");
    assertThat(same.body()).doesNotContain("warnings");
    api.fleet.damage("n2");
    HttpResponse<String> part = api.http.get("a", INSTANT + TEMPERATURE + "&nocache=1");
    assertThat(part.headers().firstValue("X-Fleetgauge-Completeness").orElseThrow())
        .startsWith("hosts=2; answered=1; missing=n2; ");
    assertThat(part.body()).contains("1 of 2 hosts are missing: n2").doesNotContain("n3");
  }

  @ParameterizedTest
  @ValueSource(strings = {"root&strict=1", "strict&x=1", "strict&strict=1"})
  void aMissingHostIsAnErrorWhereStrictIsSet(String tenantAndParameter) throws Exception {
    api.fleet.damage("n2");
    String tenant = tenantAndParameter.substring(0, tenantAndParameter.indexOf('&'));
    String parameter = tenantAndParameter.substring(tenant.length());
    HttpResponse<String> answer = api.http.get(tenant, INSTANT + TEMPERATURE + parameter);
    assertThat(failure(answer))
        .startsWith("503 unavailable: incomplete result: 1 of 3 hosts are missing: n2; ");
    assertThat(answer.headers().firstValue("Retry-After")).isPresent();
    assertThat(api.http.get("strict", INSTANT + TEMPERATURE + "&strict=0").statusCode())
        .isEqualTo(200);
    assertThat(api.http.get("root", INSTANT + TEMPERATURE).statusCode()).isEqualTo(200);
  }

  // --- caching ---

  @Test
  void aRepeatedQueryIsAnsweredFromTheCacheUnlessThatIsNotWanted() throws Exception {
    // In the past, where nothing changes any more.
    api.fleet.watermark(NOW);
    String path = range(COUNT, NOW / 1_000 - 600, NOW / 1_000 - 300, "15");
    String first = api.http.get("root", path).body();
    long reads = reads();
    assertThat(api.http.get("root", path).body()).isEqualTo(first);
    assertThat(reads()).isEqualTo(reads);
    assertThat(api.http.get("root", path + "&nocache=1").body()).isEqualTo(first);
    assertThat(reads()).isGreaterThan(reads);
    reads = reads();
    assertThat(api.http.get("root", path, "Cache-Control", "no-store").body()).isEqualTo(first);
    assertThat(reads()).isGreaterThan(reads);
  }

  private long reads() {
    return api.shards.count("parts") + api.shards.count("samples");
  }

  // --- format, parse, explain ---

  @Test
  void aQueryIsFormattedAndParsed() throws Exception {
    assertThat(api.data("a", "/api/v1/format_query?query=" + encoded("sum( up )by(a)")).asText())
        .isEqualTo("sum by (a) (up)");
    assertThat(api.data("a", "/api/v1/parse_query?query=up").path("type").asText())
        .isEqualTo("vectorSelector");
    for (String path : new String[] {"/api/v1/format_query", "/api/v1/parse_query"}) {
      assertThat(failure(api.http.get("a", path + "?query=" + encoded("sum("))))
          .startsWith("400 bad_data: invalid parameter \"query\": ");
    }
  }

  @Test
  void anExplanationHasThePlanTheCostAndTheShards() throws Exception {
    JsonNode explained = api.data("root", "/api/v1/explain?query=" + encoded(COUNT));
    assertThat(explained.path("plan")).isNotEmpty();
    assertThat(explained.path("estimated").path("series").asInt()).isEqualTo(6);
    assertThat(explained.path("true").has("samples")).isTrue();
    assertThat(explained.path("cache").path("steps").asInt()).isEqualTo(1);
    assertThat(explained.path("timings").has("fetchedMillis")).isTrue();
    assertThat(explained.path("shards")).hasSize(2);
    assertThat(explained.path("shards").get(0).path("gateway").asText()).isEqualTo("g1");
  }

  @Test
  void anExplanationTellsAScopeNothingOfOtherSeriesAndOfGateways() throws Exception {
    JsonNode explained = api.data("a", "/api/v1/explain?query=" + encoded(COUNT));
    assertThat(explained.path("estimated").path("series").asInt()).isEqualTo(3);
    assertThat(explained.path("shards")).isEmpty();
    String text = api.http.get("a", "/api/v1/explain?format=text&query=" + encoded(COUNT)).body();
    assertThat(text).endsWith("shards\n");
  }

  @Test
  void anExplanationMayBeTextByFormatOrByHeader() throws Exception {
    String path = "/api/v1/explain?query=" + encoded(COUNT) + "&start=1&end=2&step=1";
    for (HttpResponse<String> text :
        List.of(
            api.http.get("root", path + "&format=text"),
            api.http.get("root", path, "Accept", "text/plain, */*"))) {
      assertThat(text.headers().firstValue("Content-Type")).contains("text/plain; charset=utf-8");
      assertThat(text.body()).startsWith("plan\n  ").contains("cost\n  estimated: ");
    }
    assertThat(api.http.get("root", path).headers().firstValue("Content-Type"))
        .contains("application/json");
  }

  @Test
  void explainRejectsAnInvalidRange() throws Exception {
    for (String wrong :
        new String[] {"start=2&end=1&step=1", "start=1&end=2", "start=0&end=20000&step=1"}) {
      assertThat(failure(api.http.get("a", "/api/v1/explain?query=1&" + wrong)))
          .isEqualTo(
              "400 bad_data: invalid parameter \"step\": start, end and step do not make a range");
    }
  }
}
