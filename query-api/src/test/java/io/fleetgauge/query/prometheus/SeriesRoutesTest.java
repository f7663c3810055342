package io.fleetgauge.query.prometheus;

import static io.fleetgauge.query.ApiServer.NOW;
import static io.fleetgauge.query.ApiServer.TEMPERATURE;
import static io.fleetgauge.query.ApiServer.encoded;
import static io.fleetgauge.query.ApiServer.failure;
import static io.fleetgauge.query.ApiServer.texts;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.query.ApiServer;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.MetricMetadata;
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
import org.junit.jupiter.params.provider.ValueSource;

/** Labels, series, metadata and owners. */
@Tag("slow")
@ExtendWith(VertxExtension.class)
class SeriesRoutesTest {
  private static final String MATCH = "match%5B%5D=";

  private ApiServer api;

  @BeforeEach
  void start(Vertx vertx, @TempDir Path folder) throws Exception {
    api = new ApiServer(vertx, folder);
  }

  @AfterEach
  void stop() throws Exception {
    api.close();
  }

  // --- labels ---

  @Test
  void namesAndValuesOfLabelsAreSorted() throws Exception {
    assertThat(texts(api.data("root", "/api/v1/labels")))
        .containsExactly("Hostname", "__name__", "gpu", "job", "rack", "tenant");
    assertThat(texts(api.data("root", "/api/v1/label/Hostname/values")))
        .containsExactly("n1", "n2", "n3");
    assertThat(texts(api.data("root", "/api/v1/label/U__Hostname/values"))).hasSize(3);
    assertThat(texts(api.data("root", "/api/v1/label/nosuch/values"))).isEmpty();
  }

  @Test
  void theyAreThoseOfTheSelectedSeries() throws Exception {
    String selected = "?" + MATCH + encoded("{rack=\"r0\"}");
    assertThat(texts(api.data("root", "/api/v1/label/Hostname/values" + selected)))
        .containsExactly("n1");
    String either = selected + "&" + MATCH + encoded("{Hostname=\"n3\",gpu=\"1\"}");
    assertThat(texts(api.data("root", "/api/v1/label/Hostname/values" + either)))
        .containsExactly("n1", "n3");
    assertThat(texts(api.data("root", "/api/v1/labels?" + MATCH + "nosuch"))).isEmpty();
    String past = "/api/v1/label/Hostname/values?start=1&end=2";
    assertThat(texts(api.data("root", past))).isEmpty();
    String now = "/api/v1/label/Hostname/values?start=" + (NOW / 1_000 - 60);
    assertThat(texts(api.data("root", now))).hasSize(3);
  }

  @Test
  void theFirstAndTheLastTimeOfAClientSelectAllSeries() throws Exception {
    String all = "start=-292273086-05-16T16:47:06Z&end=292277025-08-18T07:12:54.999999999Z";
    assertThat(texts(api.data("root", "/api/v1/label/Hostname/values?" + all))).hasSize(3);
    assertThat(api.data("root", "/api/v1/series?" + MATCH + TEMPERATURE + "&" + all)).hasSize(6);
  }

  @Test
  void lookupsReturnOnlySeriesOfTheScope() throws Exception {
    assertThat(texts(api.data("a", "/api/v1/label/Hostname/values"))).containsExactly("n1", "n2");
    assertThat(texts(api.data("a", "/api/v1/label/tenant/values"))).containsExactly("a");
    String others = "?" + MATCH + encoded("{tenant=\"b\"}");
    assertThat(texts(api.data("a", "/api/v1/label/Hostname/values" + others))).isEmpty();
    assertThat(texts(api.data("a", "/api/v1/labels" + others))).isEmpty();
    assertThat(api.data("a", "/api/v1/series?" + MATCH + TEMPERATURE)).hasSize(3);
    assertThat(api.data("a", "/api/v1/series" + others)).isEmpty();
  }

  @Test
  void aLimitCutsAndWarns() throws Exception {
    for (String path :
        new String[] {
          "/api/v1/labels?",
          "/api/v1/label/Hostname/values?",
          "/api/v1/series?" + MATCH + TEMPERATURE + "&"
        }) {
      JsonNode cut = api.envelope("root", path + "limit=2");
      assertThat(cut.path("data")).as(path).hasSize(2);
      assertThat(texts(cut.path("warnings"))).containsExactly("results truncated due to limit");
      JsonNode whole = api.envelope("root", path + "limit=6");
      assertThat(whole.has("warnings")).as(path).isFalse();
      assertThat(api.envelope("root", path + "limit=0").path("data")).isEqualTo(whole.path("data"));
    }
  }

  @Test
  void seriesAreLabelSetsInOrder() throws Exception {
    JsonNode series =
        api.data("root", "/api/v1/series?" + MATCH + encoded("{gpu=\"0\",tenant=\"a\"}"));
    assertThat(series).hasSize(2);
    assertThat(series.get(0).toString())
        .isEqualTo(
            "{\"Hostname\":\"n1\",\"__name__\":\""
                + TEMPERATURE
                + "\",\"gpu\":\"0\",\"job\":\"job-1\",\"rack\":\"r0\",\"tenant\":\"a\"}");
  }

  @Test
  void aFormIsAnsweredLikeAUrl() throws Exception {
    for (String path : new String[] {"/api/v1/series", "/api/v1/labels"}) {
      assertThat(api.http.postForm("root", path, MATCH + TEMPERATURE).body())
          .isEqualTo(api.http.get("root", path + "?" + MATCH + TEMPERATURE).body());
    }
    assertThat(api.http.postForm("root", "/api/v1/label/rack/values", "").body())
        .isEqualTo(api.http.get("root", "/api/v1/label/rack/values").body());
  }

  @Test
  void errorsNameTheParameter() throws Exception {
    assertThat(failure(api.http.get("a", "/api/v1/series")))
        .isEqualTo("400 bad_data: no match[] parameter provided");
    assertThat(failure(api.http.get("a", "/api/v1/series?" + MATCH + "%7B")))
        .startsWith("400 bad_data: invalid parameter \"match[]\": ");
    assertThat(failure(api.http.get("a", "/api/v1/labels?start=noon")))
        .startsWith("400 bad_data: invalid parameter \"start\": ");
    assertThat(failure(api.http.get("a", "/api/v1/labels?limit=-1")))
        .isEqualTo("400 bad_data: invalid parameter \"limit\": limit must be non-negative");
    assertThat(failure(api.http.get("a", "/api/v1/label/U__/values")))
        .isEqualTo("400 bad_data: invalid label name: \"\"");
  }

  // --- completeness ---

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/v1/labels?",
        "/api/v1/label/rack/values?",
        "/api/v1/series?match%5B%5D=DCGM_FI_DEV_GPU_TEMP&",
        "/api/v1/owners?match%5B%5D=DCGM_FI_DEV_GPU_TEMP&",
        "/api/v1/metadata?",
        "/api/v1/targets?",
        "/api/v1/status/overview?"
      })
  void aMissingHostIsNamedInHeaderAndWarningOrIsAnError(String path) throws Exception {
    api.fleet.damage("n2");
    HttpResponse<String> part = api.http.get("root", path);
    assertThat(part.headers().firstValue("X-Fleetgauge-Completeness").orElseThrow())
        .startsWith("hosts=3; answered=2; missing=n2; epoch=");
    assertThat(texts(ApiServer.success(part).path("warnings")))
        .containsExactly("incomplete result: 1 of 3 hosts are missing: n2");
    HttpResponse<String> scoped = api.http.get("a", path);
    assertThat(scoped.headers().firstValue("X-Fleetgauge-Completeness").orElseThrow())
        .startsWith("hosts=2; answered=1; missing=n2;");
    for (HttpResponse<String> strict :
        List.of(api.http.get("strict", path), api.http.get("a", path + "strict=1"))) {
      assertThat(failure(strict)).startsWith("503 unavailable: incomplete result: ");
      assertThat(strict.headers().firstValue("Retry-After")).isPresent();
    }
  }

  // --- metadata ---

  @Test
  void metadataOfSendersComesBeforeKnownMetadata() throws Exception {
    api.fleet.metadata("load", new MetricMetadata("gauge", "The load.", ""));
    api.fleet.metadata("unseen", new MetricMetadata("gauge", "Of nobody.", ""));
    api.fleet.add(Labels.of("__name__", "load", "Hostname", "n1", "tenant", "a"), NOW, 1);
    JsonNode all = api.data("root", "/api/v1/metadata");
    assertThat(all.path("load").toString())
        .isEqualTo("[{\"type\":\"gauge\",\"help\":\"The load.\",\"unit\":\"\"}]");
    assertThat(all.path(TEMPERATURE).get(0).path("help").asText()).isNotEmpty();
    assertThat(all.has("unseen")).isFalse();
    assertThat(api.data("b", "/api/v1/metadata").has("load")).isFalse();
    assertThat(api.data("root", "/api/v1/metadata?metric=load")).hasSize(1);
    assertThat(api.data("root", "/api/v1/metadata?limit=1")).hasSize(1);
    assertThat(api.data("root", "/api/v1/metadata?limit_per_metric=1").path("load")).hasSize(1);
    assertThat(failure(api.http.get("root", "/api/v1/metadata?limit=x")))
        .startsWith("400 bad_data: ");
  }

  // --- owners ---

  @Test
  void ownersOfGpusAreIntervalsOfTime() throws Exception {
    String path =
        "/api/v1/owners?"
            + MATCH
            + encoded("{Hostname=\"n1\",gpu=\"0\"}")
            + "&start=1795299100.5&end=1795300000";
    JsonNode owners = api.data("root", path);
    assertThat(owners).hasSize(1);
    assertThat(owners.get(0).path("metric").path("Hostname").asText()).isEqualTo("n1");
    assertThat(owners.get(0).path("metric").has("job")).isFalse();
    assertThat(owners.get(0).path("owners").get(0).path("owner").toString())
        .isEqualTo("{\"job\":\"job-1\"}");
    // The digits are Prometheus's: whole seconds without a fraction, else three digits.
    assertThat(api.http.get("root", path).body())
        .contains("\"from\":1795299100.500,\"to\":1795300000}");
  }

  @Test
  void ownersAreThoseOfTheLastMinutesUnlessTimesAreGiven() throws Exception {
    String path = "/api/v1/owners?" + MATCH + encoded("{Hostname=\"n1\",gpu=\"0\"}");
    assertThat(api.http.get("root", path).body())
        .contains("\"from\":" + (NOW / 1_000 - 300) + ",\"to\":" + NOW / 1_000 + "}");
    assertThat(api.http.postForm("root", "/api/v1/owners", path.substring(15)).body())
        .isEqualTo(api.http.get("root", path).body());
  }

  @Test
  void ownersAreSeenWithinTheScopeOnly() throws Exception {
    assertThat(api.data("a", "/api/v1/owners?" + MATCH + TEMPERATURE)).hasSize(3);
    assertThat(api.data("a", "/api/v1/owners?" + MATCH + encoded("{tenant=\"b\"}"))).isEmpty();
    JsonNode cut = api.envelope("a", "/api/v1/owners?" + MATCH + TEMPERATURE + "&limit=1");
    assertThat(cut.path("data")).hasSize(1);
    assertThat(texts(cut.path("warnings"))).containsExactly("results truncated due to limit");
  }

  @Test
  void errorsOfOwnersNameTheParameter() throws Exception {
    assertThat(failure(api.http.get("a", "/api/v1/owners")))
        .isEqualTo("400 bad_data: no match[] parameter provided");
    assertThat(failure(api.http.get("a", "/api/v1/owners?match%5B%5D=up&start=2&end=1")))
        .isEqualTo(
            "400 bad_data: invalid parameter \"end\": end timestamp must not be before start time");
  }
}
