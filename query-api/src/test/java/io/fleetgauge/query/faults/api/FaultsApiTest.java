package io.fleetgauge.query.faults.api;

import static io.fleetgauge.query.ApiServer.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.query.ApiServer;
import io.fleetgauge.query.faults.detect.Subject;
import io.fleetgauge.query.faults.detect.Suspect;
import io.fleetgauge.query.faults.detect.Verdict;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.query.faults.episode.Lemons;
import io.fleetgauge.query.faults.record.FaultSeries;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.gpu.FaultKind;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(VertxExtension.class)
class FaultsApiTest {
  private static final long MINUTE = 60_000;
  private static final long HOUR = 60 * MINUTE;

  @TempDir private Path folder;
  private ApiServer api;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    api = new ApiServer(vertx, folder);
  }

  @AfterEach
  void stop() throws Exception {
    api.close();
  }

  private static Labels of(String tenant) {
    return Labels.of("gpu", "0", "job", "job-" + tenant, "tenant", tenant);
  }

  /** An XID of a GPU, which names another episode. */
  private static Episode xid(
      String id, String host, String tenant, long since, OptionalLong over, String related) {
    return new Episode(
        id,
        FaultKind.XID,
        FaultKind.XID.severity(),
        new Subject(host, "GPU-" + host, "", "", of(tenant)),
        "79",
        true,
        since,
        since,
        since,
        over,
        over.isPresent() ? "it is gone" : "",
        1,
        "XID 79 was seen",
        List.of(),
        List.of(new Suspect(host, "GPU-" + host, -1, "it has the XID")),
        "",
        List.of(related),
        false);
  }

  private void keep(Episode episode, long at) {
    Labels labels = FaultSeries.episode(episode, episode.subject().host());
    double value = episode.isOpen() ? 1 : 0;
    api.fleet.with(new Series(labels, new long[] {at}, new double[] {value}));
  }

  private static List<String> ids(JsonNode data) {
    List<String> ids = new ArrayList<>();
    data.path("faults").forEach(each -> ids.add(each.path("episode").asText()));
    return ids;
  }

  @Test
  void aTenantSeesItsOwnEpisodesAndIsToldOfNoOthers() throws Exception {
    keep(xid("of-a", "n2", "a", NOW - 9 * MINUTE, OptionalLong.empty(), "of-b"), NOW - MINUTE);
    keep(xid("of-b", "n2", "b", NOW - 8 * MINUTE, OptionalLong.empty(), "of-a"), NOW - MINUTE);

    JsonNode mine = api.data("a", "/api/v1/faults");
    assertThat(ids(mine)).containsExactly("of-a");
    assertThat(mine.toString()).doesNotContain("of-b").doesNotContain("job-b");
    assertThat(ids(api.data("b", "/api/v1/faults"))).containsExactly("of-b");
    assertThat(ids(api.data("a", "/api/v1/faults?tenant=b"))).isEmpty();
    assertThat(ids(api.data("a", "/api/v1/faults?host=n2&gpu=0"))).containsExactly("of-a");

    JsonNode all = api.data("root", "/api/v1/faults");
    assertThat(ids(all)).as("the newest first").containsExactly("of-b", "of-a");
    assertThat(ApiServer.texts(all.path("faults").path(1).path("related"))).containsExactly("of-b");
  }

  @Test
  void aTokenThatMayNotReadSeesNothing() throws Exception {
    assertThat(api.http.get("writer", "/api/v1/faults").statusCode()).isEqualTo(403);
    assertThat(api.http.get("writer", "/api/v1/faults/jobs").statusCode()).isEqualTo(403);
    assertThat(api.http.get("nobody", "/api/v1/faults").statusCode()).isEqualTo(401);
  }

  @Test
  void aWrongParameterIsA400ThatSaysWhatIsAllowed() throws Exception {
    assertThat(ApiServer.failure(api.http.get("root", "/api/v1/faults?kind=fire")))
        .isEqualTo(
            "400 bad_data: invalid parameter \"kind\": \"fire\" is no kind of fault;"
                + " docs/faults.md has them");
    assertThat(ApiServer.failure(api.http.get("root", "/api/v1/faults/jobs?limit=0")))
        .startsWith("400 bad_data: invalid parameter \"limit\": 0 must be from 1 to");
    assertThat(ApiServer.failure(api.http.get("root", "/api/v1/faults/lemons?limit=10001")))
        .startsWith("400 bad_data: invalid parameter \"limit\": 10001 must be from 1 to");
  }

  @Test
  void anXidIsExplainedByTheCatalogue() throws Exception {
    keep(xid("ea", "n1", "a", NOW - 9 * MINUTE, OptionalLong.empty(), ""), NOW - MINUTE);
    JsonNode fault = api.data("root", "/api/v1/faults").path("faults").path(0);
    assertThat(fault.path("meaning").asText()).contains("fallen off the bus");
    assertThat(fault.path("action").asText()).isNotEmpty();
    assertThat(fault.path("severity").asText()).isEqualTo("critical");
    assertThat(fault.path("state").asText()).isEqualTo("open");
    assertThat(fault.has("overAt")).isFalse();
  }

  @Test
  void anEpisodeThatIsOverSaysWhenAndWhy() throws Exception {
    Episode open = xid("ea", "n1", "a", NOW - 9 * MINUTE, OptionalLong.empty(), "");
    keep(open, NOW - 9 * MINUTE);
    keep(open.over(NOW - 2 * MINUTE, "it is gone"), NOW - MINUTE);
    JsonNode faults = api.data("root", "/api/v1/faults").path("faults");
    assertThat(faults).hasSize(1);
    assertThat(faults.path(0).path("state").asText()).isEqualTo("over");
    assertThat(faults.path(0).path("overAt").asText()).isEqualTo("2026-11-21T22:24:40Z");
    assertThat(faults.path(0).path("overReason").asText()).isEqualTo("it is gone");
    assertThat(ids(api.data("root", "/api/v1/faults?state=open"))).isEmpty();
  }

  @Test
  void anEpisodeThatHasBeenOpenForWeeksIsFoundByTheSampleOfEachHour() throws Exception {
    keep(xid("ea", "n1", "a", NOW - 500 * HOUR, OptionalLong.empty(), ""), NOW - HOUR);
    assertThat(ids(api.data("root", "/api/v1/faults?state=open"))).containsExactly("ea");
    assertThat(ids(api.data("root", "/api/v1/faults?from=" + NOW / 1_000))).containsExactly("ea");
  }

  @Test
  void aCursorGoesThroughAllEpisodesOnce() throws Exception {
    for (int i = 0; i < 7; i++) {
      // Three begin at one time.
      long since = NOW - (i < 3 ? 5 : 5 + i) * MINUTE;
      keep(xid("e" + i, "n1", "a", since, OptionalLong.empty(), ""), NOW - MINUTE);
    }
    List<String> seen = new ArrayList<>();
    String cursor = "";
    do {
      JsonNode page = api.data("a", "/api/v1/faults?limit=2&cursor=" + ApiServer.encoded(cursor));
      seen.addAll(ids(page));
      cursor = page.path("next").asText();
    } while (!cursor.isEmpty());
    assertThat(seen).containsExactly("e0", "e1", "e2", "e3", "e4", "e5", "e6");
  }

  private void verdict(String job, String tenant, Verdict of, long at, double value) {
    Labels owner = Labels.of("job", job, "tenant", tenant, "pid", "4711");
    Labels labels = FaultSeries.verdict(job, owner, "n1", of);
    api.fleet.with(new Series(labels, new long[] {at}, new double[] {value}));
  }

  private static List<String> verdicts(JsonNode data) {
    List<String> all = new ArrayList<>();
    for (JsonNode job : data.path("jobs")) {
      for (JsonNode each : job.path("verdicts")) {
        all.add(
            "%s %s %s %s: %s"
                .formatted(
                    job.path("tenant").asText(),
                    job.path("job").asText(),
                    each.path("kind").asText(),
                    each.path("verdict").asText(),
                    each.path("reason").asText()));
      }
    }
    return all;
  }

  @Test
  void eachJobThatRunsHasTheNewestVerdictsOnIt() throws Exception {
    Verdict unknown = Verdict.unknown(FaultKind.STRAGGLER, "the job has just begun");
    Verdict none = new Verdict(FaultKind.STRAGGLER, Verdict.State.NONE, "all are alike");
    Verdict works = new Verdict(FaultKind.HANG, Verdict.State.NONE, "its GPUs work");
    verdict("j", "a", unknown, NOW - 2 * MINUTE, 1);
    verdict("j", "a", none, NOW - MINUTE, 1);
    verdict("j", "a", works, NOW - MINUTE, 1);
    verdict("j", "b", unknown, NOW - MINUTE, 1);
    verdict("over", "a", works, NOW - MINUTE, Staleness.MARKER);
    verdict("old", "a", works, NOW - 10 * MINUTE, 1);

    String path = "/api/v1/faults/jobs";
    assertThat(verdicts(api.data("root", path)))
        .containsExactly(
            "a j hang none: its GPUs work",
            "a j straggler none: all are alike",
            "b j straggler not_enough_evidence: the job has just begun");
    assertThat(verdicts(api.data("a", path))).hasSize(2).allMatch(each -> each.startsWith("a "));
    assertThat(verdicts(api.data("a", path + "?tenant=b"))).isEmpty();
    assertThat(verdicts(api.data("root", path + "?job=j&tenant=b"))).hasSize(1);
    assertThat(verdicts(api.data("root", path + "?job=other"))).isEmpty();
    assertThat(verdicts(api.data("root", path + "?limit=1"))).hasSize(2);
    JsonNode labels = api.data("a", path).path("jobs").path(0).path("labels");
    assertThat(labels.toString()).isEqualTo("{\"job\":\"j\",\"tenant\":\"a\"}");
  }

  @Test
  void lemonsAreListedFromTheWorstOn() throws Exception {
    for (int i = 1; i <= 3; i++) {
      Lemons.Lemon lemon =
          new Lemons.Lemon("n" + i, "GPU-" + i, Labels.of("gpu", "0"), 10 * i, 1, Map.of());
      Labels labels = FaultSeries.lemon(lemon);
      api.fleet.with(new Series(labels, new long[] {NOW - MINUTE}, new double[] {lemon.score()}));
    }
    JsonNode lemons = api.data("root", "/api/v1/faults/lemons?limit=2").path("lemons");
    assertThat(lemons).hasSize(2);
    assertThat(lemons.path(0).path("host").asText()).isEqualTo("n3");
    assertThat(lemons.path(0).path("score").asDouble()).isEqualTo(30);
    assertThat(lemons.path(1).path("host").asText()).isEqualTo("n2");
  }
}
