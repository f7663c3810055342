package io.fleetgauge.query.federate;

import static io.fleetgauge.query.ApiServer.NOW;
import static io.fleetgauge.query.ApiServer.TEMPERATURE;
import static io.fleetgauge.query.ApiServer.encoded;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.ApiServer;
import io.fleetgauge.sample.Labels;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The lines of a scrape; {@code FederateTest} compares them with Prometheus's. */
@Tag("slow")
@ExtendWith(VertxExtension.class)
class FederateApiTest {
  private static final String ALL = "/federate?match%5B%5D=" + TEMPERATURE;
  private static final String REDUCED =
      "/federate?match%5B%5D=" + encoded("{__name__=~\"rack:.+\"}");

  private ApiServer api;

  private void start(Vertx vertx, Path folder, String yaml) throws Exception {
    api = new ApiServer(vertx, folder, yaml);
  }

  @AfterEach
  void stop() throws Exception {
    api.close();
  }

  private static String line(int host, int gpu) {
    Labels labels = ApiServer.gpu(TEMPERATURE, host, gpu);
    return TEMPERATURE
        + "{Hostname=\"n"
        + host
        + "\",gpu=\""
        + gpu
        + "\",job=\"job-"
        + host
        + "\",rack=\""
        + labels.value("rack")
        + "\",tenant=\""
        + labels.value("tenant")
        + "\",instance=\"\"} "
        + (10 * host + gpu)
        + " "
        + NOW;
  }

  private static String reduction(String operator, String rack) {
    return "rack:" + TEMPERATURE + ":" + operator + "{rack=\"" + rack + "\",instance=\"\"}";
  }

  private List<String> lines(String tenant, String path) throws Exception {
    HttpResponse<String> answer = api.http.get(tenant, path);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer.body().lines().toList();
  }

  @Test
  void theNewestSampleOfEachSeriesIsALineWithItsTime(Vertx vertx, @TempDir Path folder)
      throws Exception {
    start(vertx, folder, "");
    HttpResponse<String> answer = api.http.get("root", ALL);
    assertThat(answer.headers().firstValue("Content-Type"))
        .contains("text/plain; version=0.0.4; charset=utf-8; escaping=underscores");
    List<String> lines = answer.body().lines().toList();
    assertThat(lines.getFirst()).isEqualTo("# TYPE " + TEMPERATURE + " untyped");
    assertThat(lines.subList(1, lines.size()))
        .containsExactlyInAnyOrder(
            line(1, 0), line(1, 1), line(2, 0), line(2, 1), line(3, 0), line(3, 1));
    assertThat(
            api.http
                .get("root", ALL, "Accept", "text/plain;version=1.0.0;escaping=allow-utf-8")
                .headers()
                .firstValue("Content-Type")
                .orElseThrow())
        .endsWith("escaping=allow-utf-8");
  }

  @Test
  void aScrapeSeesTheScopeOnly(Vertx vertx, @TempDir Path folder) throws Exception {
    start(vertx, folder, "");
    assertThat(lines("a", ALL)).hasSize(4).contains(line(1, 0), line(1, 1), line(2, 0));
    assertThat(lines("a", "/federate?match%5B%5D=" + encoded("{tenant=\"b\"}"))).isEmpty();
    assertThat(lines("a", REDUCED)).anyMatch(line -> line.startsWith("rack:" + TEMPERATURE));
    assertThat(lines("b", REDUCED)).noneMatch(line -> line.contains("rack=\"r0\""));
  }

  @Test
  void aNameWithAColonMeansReductions(Vertx vertx, @TempDir Path folder) throws Exception {
    start(vertx, folder, "");
    List<String> lines = lines("root", REDUCED);
    assertThat(lines)
        .contains("# TYPE rack:" + TEMPERATURE + ":sum untyped")
        .anyMatch(line -> line.startsWith(reduction("sum", "r0") + " 21 "))
        .anyMatch(line -> line.startsWith(reduction("avg", "r0") + " 10.5 "))
        .anyMatch(line -> line.startsWith(reduction("count", "r1") + " 4 "));
    assertThat(lines("root", REDUCED + "&match%5B%5D=" + TEMPERATURE))
        .containsAll(lines)
        .contains(line(1, 0));
  }

  @Test
  void withoutASelectorThereIsNothing(Vertx vertx, @TempDir Path folder) throws Exception {
    start(vertx, folder, "");
    assertThat(lines("root", "/federate")).isEmpty();
    assertThat(lines("root", "/federate?match%5B%5D=" + encoded("{ }"))).isEmpty();
    assertThat(api.shards.reads()).isEmpty();
  }

  @Test
  void samplesOlderThanTheLookbackAreLeftOut(Vertx vertx, @TempDir Path folder) throws Exception {
    start(vertx, folder, "query: {lookback: 1m}");
    api.clock.addAndGet(59_000);
    assertThat(lines("root", ALL)).hasSize(7);
    api.clock.addAndGet(1_000);
    assertThat(lines("root", ALL)).isEmpty();
  }

  @Test
  void partsMakeUpTheWhole(Vertx vertx, @TempDir Path folder) throws Exception {
    start(vertx, folder, "");
    String both = REDUCED + "&match%5B%5D=" + TEMPERATURE;
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      parts.addAll(lines("root", both + "&shard=" + i + "/3"));
    }
    parts.removeIf(line -> line.startsWith("#"));
    List<String> whole = new ArrayList<>(lines("root", both));
    whole.removeIf(line -> line.startsWith("#"));
    assertThat(parts).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(whole);
  }

  @ParameterizedTest
  @ValueSource(strings = {"3/3", "4/3", "-1/3", "1", "a/b", "0/0", "0/10000"})
  void anInvalidPartIsATextError(String shard, Vertx vertx, @TempDir Path folder) throws Exception {
    start(vertx, folder, "");
    HttpResponse<String> answer = api.http.get("root", ALL + "&shard=" + shard);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.headers().firstValue("Content-Type")).contains("text/plain; charset=utf-8");
    assertThat(answer.body())
        .isEqualTo(
            "invalid parameter \"shard\": cannot parse \""
                + shard
                + "\"; of four parts, the first is 0/4 and the last is 3/4\n");
  }

  @Test
  void aWrongSelectorIsRefusedAsText(Vertx vertx, @TempDir Path folder) throws Exception {
    start(vertx, folder, "");
    HttpResponse<String> answer = api.http.get("root", "/federate?match%5B%5D=" + encoded("{a="));
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).startsWith("invalid parameter \"match[]\": ").endsWith("\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"maxSeries: 5", "maxBytes: 1KiB"})
  void aScrapeOverItsLimitIsAnErrorAndNotAPart(String limit, Vertx vertx, @TempDir Path folder)
      throws Exception {
    start(vertx, folder, "federate: {" + limit + "}");
    String path = limit.startsWith("maxBytes") ? REDUCED + "&match%5B%5D=" + TEMPERATURE : ALL;
    HttpResponse<String> answer = api.http.get("root", path);
    assertThat(answer.statusCode()).isEqualTo(422);
    assertThat(answer.headers().firstValue("Retry-After")).isEmpty();
    assertThat(answer.body())
        .contains("federate.maxSeries")
        .contains("federate.maxBytes")
        .contains("shard=0/2");
  }

  @Test
  void aMissingHostIsInTheHeaderOrIsAnErrorToRetry(Vertx vertx, @TempDir Path folder)
      throws Exception {
    start(vertx, folder, "");
    api.fleet.damage("n2");
    assertThat(api.http.get("root", ALL).headers().firstValue("X-Fleetgauge-Completeness"))
        .get()
        .asString()
        .startsWith("hosts=3; answered=2; missing=n2; ");
    for (String[] tenantAndPath : new String[][] {{"strict", ALL}, {"root", ALL + "&strict=1"}}) {
      HttpResponse<String> strict = api.http.get(tenantAndPath[0], tenantAndPath[1]);
      assertThat(strict.statusCode()).isEqualTo(503);
      assertThat(strict.body()).startsWith("incomplete result: 1 of 3 hosts are missing: n2");
      assertThat(strict.headers().firstValue("Retry-After")).isPresent();
    }
  }

  @Test
  void theResponseIsSentBeforeTheScrapersTimeout(Vertx vertx, @TempDir Path folder)
      throws Exception {
    start(vertx, folder, "");
    api.shards.hold("newest");
    HttpResponse<String> late =
        api.http.get("root", ALL, "X-Prometheus-Scrape-Timeout-Seconds", "0.2");
    assertThat(late.statusCode()).isEqualTo(503);
    // A tenth of the scraper's timeout is left for the way.
    assertThat(late.body()).contains("after 180 ms");
    assertThat(late.headers().firstValue("Retry-After")).isPresent();
    api.shards.release();
  }
}
