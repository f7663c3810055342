package io.fleetgauge.load.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.gateway.GatewayProcess;
import io.fleetgauge.query.QueryProcess;
import io.fleetgauge.query.config.FaultsSettings;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Faults of a job over two hosts, on a real fleet whose time the test turns. */
class FaultsInFleetTest {
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long STEP = 15_000;

  /** Steps for which a job works before it hangs. */
  private static final int WORK = 30;

  private final AtomicLong clock = new AtomicLong(1_795_300_200_000L);
  private LocalFleet fleet;
  private final HungJob job = new HungJob();

  @TempDir Path folder;

  @AfterEach
  void stop() {
    fleet.close();
  }

  private void start(int gateways) throws Exception {
    fleet =
        new LocalFleet(
            "faults-" + System.nanoTime(), LocalPorts.free(gateways + 3), folder, clock::get);
    for (int i = 0; i < gateways; i++) {
      fleet.startGateway(0, Duration.ofHours(24));
    }
  }

  private QueryProcess startQuery() throws Exception {
    return fleet.startQuery(
        base -> base.with(FaultsSettings.every(Duration.ofMillis(STEP), List.of())));
  }

  private static JsonNode get(QueryProcess api, String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + api.port() + path)).build();
    HttpResponse<String> answer = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body()).path("data");
  }

  private JsonNode query(QueryProcess api, String text) throws Exception {
    return get(
            api,
            "/api/v1/query?time="
                + clock.get() / 1_000
                + "&query="
                + URLEncoder.encode(text, StandardCharsets.UTF_8))
        .path("result");
  }

  private static List<JsonNode> faults(QueryProcess api, String filter) throws Exception {
    List<JsonNode> faults = new ArrayList<>();
    get(api, "/api/v1/faults?" + filter).path("faults").forEach(faults::add);
    return faults;
  }

  /**
   * Goes on by a step, for which all hosts but some send.
   *
   * @param hangs true if the last rank does not come to the next operation
   */
  private void step(boolean hangs, int... silent) throws Exception {
    clock.addAndGet(STEP);
    job.advance(hangs);
    for (int host = 0; host < HungJob.HOSTS; host++) {
      int number = host;
      if (Arrays.stream(silent).noneMatch(each -> each == number)) {
        send(host, clock.get(), hangs);
      }
    }
  }

  private void send(int host, long time, boolean hangs) throws Exception {
    RemoteWriteBody body = job.body(host, time, hangs);
    // Whichever gateway is left takes them.
    await()
        .atMost(SOON)
        .until(
            () -> {
              for (GatewayProcess gateway : fleet.gateways()) {
                if (HungJob.isTaken(gateway.address(), body)) {
                  return true;
                }
              }
              return false;
            });
  }

  /** Waits until a step before the last one has been evaluated. */
  private void evaluated(QueryProcess api) {
    await()
        .atMost(SOON)
        .until(
            () -> {
              JsonNode last = query(api, "gpu_fault_evaluated_timestamp_seconds");
              return last.path(0).path("value").path(1).asDouble() * 1e3 >= clock.get() - 2 * STEP;
            });
  }

  private JsonNode hung(QueryProcess api, QueryProcess... others) throws Exception {
    owner(api, others);
    for (int i = 0; i < WORK; i++) {
      step(false);
    }
    evaluated(api);
    for (int i = 0; i < 8; i++) {
      step(true);
      evaluated(api);
    }
    List<JsonNode> open = faults(api, "kind=hang");
    assertThat(open).hasSize(1);
    return open.getFirst();
  }

  private void isOverOnce(QueryProcess api, JsonNode begun) throws Exception {
    for (int i = 0; i < 10; i++) {
      step(false);
      evaluated(api);
    }
    List<JsonNode> all = faults(api, "kind=hang");
    assertThat(all).hasSize(1);
    assertThat(all.getFirst().path("state").asText()).isEqualTo("over");
    assertThat(all.getFirst().path("since")).isEqualTo(begun.path("since"));
    assertThat(all.getFirst().path("episode")).isEqualTo(begun.path("episode"));
    assertThat(query(api, "gpu_fault_active")).isEmpty();
    JsonNode total = query(api, "sum(gpu_fault_episodes_total{kind=\"hang\"})");
    assertThat(total.path(0).path("value").path(1).asText()).isEqualTo("1");
    assertThat(query(api, "count_over_time((gpu_fault_episode{kind=\"hang\"} == 0)[1h:15s])"))
        .hasSize(1);
  }

  @Test
  void aHungJobIsAnEpisodeWithItsSuspectFromStartToEnd() throws Exception {
    start(1);
    QueryProcess api = startQuery();
    JsonNode hang = hung(api);
    assertThat(hang.path("state").asText()).isEqualTo("open");
    assertThat(hang.path("job").asText()).isEqualTo("train");
    assertThat(hang.path("tenant").asText()).isEqualTo("a");
    assertThat(hang.path("severity").asText()).isEqualTo("critical");
    assertThat(hang.path("suspects").path(0).path("UUID").asText()).isEqualTo("GPU-7");
    assertThat(hang.path("action").asText()).isNotEmpty();
    JsonNode active = query(api, "gpu_fault_active{kind=\"hang\"}");
    assertThat(active).hasSize(1);
    assertThat(active.path(0).path("metric").path("Hostname").asText()).isEqualTo("h1");
    assertThat(active.path(0).path("metric").path("job").asText()).isEqualTo("train");
    assertThat(faults(api, "state=open&host=h1&severity=critical&job=train")).hasSize(1);
    assertThat(faults(api, "state=open&host=h0&gpu=0")).isEmpty();
    assertThat(faults(api, "tenant=b")).isEmpty();
    List<JsonNode> verdicts = new ArrayList<>();
    get(api, "/api/v1/faults/jobs?job=train")
        .path("jobs")
        .path(0)
        .path("verdicts")
        .forEach(verdicts::add);
    assertThat(verdicts)
        .extracting(each -> each.path("kind").asText() + " " + each.path("verdict").asText())
        .containsExactly("hang found", "straggler not_enough_evidence");
    isOverOnce(api, hang);
  }

  @Test
  void anEpisodeOutlivesTheQueryApiThatEvaluates() throws Exception {
    start(1);
    QueryProcess one = startQuery();
    QueryProcess two = startQuery();
    JsonNode hang = hung(one, two);
    QueryProcess owner = owner(one, two);
    owner.close();
    QueryProcess other = owner == one ? two : one;
    for (int i = 0; i < 4; i++) {
      step(true);
      evaluated(other);
    }
    List<JsonNode> open = faults(other, "state=open&kind=hang");
    assertThat(open).hasSize(1);
    assertThat(open.getFirst().path("since")).isEqualTo(hang.path("since"));
    assertThat(open.getFirst().path("episode")).isEqualTo(hang.path("episode"));
    isOverOnce(other, hang);
  }

  /** The one that evaluates. */
  private QueryProcess owner(QueryProcess one, QueryProcess... others) {
    List<QueryProcess> all = new ArrayList<>(List.of(others));
    all.add(one);
    List<QueryProcess> owners = new ArrayList<>();
    await()
        .atMost(SOON)
        .until(
            () -> {
              owners.clear();
              for (QueryProcess each : all) {
                HttpRequest request =
                    HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + each.port() + "/metrics"))
                        .build();
                String metrics = CLIENT.send(request, HttpResponse.BodyHandlers.ofString()).body();
                if (metrics.contains("fleetgauge_query_fault_owner 1.0")) {
                  owners.add(each);
                }
              }
              return owners.size() == 1;
            });
    return owners.getFirst();
  }

  @Test
  void anEpisodeOutlivesTheGatewayOfItsHosts() throws Exception {
    start(2);
    QueryProcess api = startQuery();
    JsonNode hang = hung(api);
    String owner = api.view().table().owner("h1").orElseThrow();
    fleet.gateways().stream()
        .filter(each -> owner.equals("gateway-" + (fleet.gateways().indexOf(each) + 1)))
        .forEach(GatewayProcess::close);
    for (int i = 0; i < 4; i++) {
      step(true);
      evaluated(api);
    }
    assertThat(faults(api, "state=open&kind=hang"))
        .singleElement()
        .satisfies(each -> assertThat(each.path("since")).isEqualTo(hang.path("since")));
    assertThat(faults(api, "kind=host_silent")).isEmpty();
    isOverOnce(api, hang);
  }

  @Test
  void samplesThatComeLateMakeTheSameEpisode() throws Exception {
    start(1);
    QueryProcess api = startQuery();
    owner(api);
    for (int i = 0; i < WORK; i++) {
      step(false);
    }
    evaluated(api);
    long from = clock.get();
    for (int i = 0; i < 20; i++) {
      step(true, 1);
      evaluated(api);
    }
    for (long time = from + STEP; time <= clock.get(); time += STEP) {
      send(1, time, true);
    }
    for (int i = 0; i < 4; i++) {
      step(true);
      evaluated(api);
    }
    List<JsonNode> hangs = faults(api, "kind=hang");
    assertThat(hangs).hasSize(1);
    assertThat(hangs.getFirst().path("since").asText())
        .isEqualTo(Instant.ofEpochMilli(from + STEP).toString());
    assertThat(faults(api, "kind=host_silent&state=open")).isEmpty();
    isOverOnce(api, hangs.getFirst());
  }
}
