package io.fleetgauge.load.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job hangs, and a process is killed with SIGKILL that has to do with it. Processes are JVMs of
 * their own whose time the test turns; a receiver is told of faults.
 */
class FaultsAfterKillTest {
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long STEP = 15_000;

  /** Steps for which a job works before it hangs. */
  private static final int WORK = 30;

  private final HungJob job = new HungJob();

  /** What the receiver was told: state, kind, episode and start of each. */
  private final ConcurrentLinkedQueue<String> told = new ConcurrentLinkedQueue<>();

  private HttpServer receiver;
  private ClockedCluster cluster;

  @TempDir Path folder;

  @BeforeEach
  void begin() throws Exception {
    cluster = new ClockedCluster(folder, 1_795_300_200_000L);
    receiver = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    receiver.createContext(
        "/",
        exchange -> {
          JsonNode fault = JSON.readTree(exchange.getRequestBody());
          told.add(
              "%s %s %s %s"
                  .formatted(
                      fault.path("state").asText(),
                      fault.at("/fault/kind").asText(),
                      fault.at("/fault/episode").asText(),
                      fault.at("/fault/since").asText()));
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    receiver.start();
  }

  @AfterEach
  void end() {
    cluster.close();
    receiver.stop(0);
  }

  private void start(int gateways, int queries) throws Exception {
    cluster.start(
        gateways,
        "",
        queries,
        "faults: {receivers: {hook: {url: \"http://127.0.0.1:%d/\"}}}\n"
            .formatted(receiver.getAddress().getPort()));
  }

  private JsonNode query(String api, String text) throws Exception {
    String path = "/api/v1/query?time=" + cluster.now() / 1_000 + "&query=" + text;
    return cluster.get(api, path).at("/data/result");
  }

  private List<JsonNode> hangs(String api) throws Exception {
    List<JsonNode> faults = new ArrayList<>();
    cluster.get(api, "/api/v1/faults?kind=hang").at("/data/faults").forEach(faults::add);
    return faults;
  }

  /** Goes on by a step. */
  private void step(boolean hangs) {
    cluster.turnTo(cluster.now() + STEP);
    job.advance(hangs);
    for (int host = 0; host < HungJob.HOSTS; host++) {
      cluster.write(job.body(host, cluster.now(), hangs));
    }
  }

  /** Goes on by a step, and waits until the one before it has been evaluated. */
  private void step(String api, boolean hangs) {
    step(hangs);
    evaluated(api);
  }

  private void evaluated(String api) {
    await()
        .atMost(SOON)
        .pollInterval(Duration.ofMillis(50))
        .ignoreException(IOException.class)
        .until(
            () ->
                query(api, "gpu_fault_evaluated_timestamp_seconds").at("/0/value/1").asDouble(0)
                        * 1e3
                    >= cluster.now() - 2 * STEP);
  }

  /** Waits until one of some query APIs evaluates faults. */
  private String evaluator(String... some) {
    List<String> owners = new ArrayList<>();
    await()
        .atMost(SOON)
        .pollInterval(Duration.ofMillis(50))
        .until(
            () -> {
              owners.clear();
              for (String each : some) {
                String body = cluster.text(each, "/metrics");
                if (body.contains("fleetgauge_query_fault_owner 1.0")) {
                  owners.add(each);
                }
              }
              return owners.size() == 1;
            });
    return owners.getFirst();
  }

  /** A hang of which the receiver has been told, and it is stored that it was. */
  private JsonNode hung(String api) throws Exception {
    for (int i = 0; i < WORK; i++) {
      step(false);
    }
    evaluated(api);
    for (int i = 0; i < 8; i++) {
      step(api, true);
    }
    await()
        .atMost(SOON)
        .until(
            () ->
                query(api, "last_over_time(gpu_fault_delivered%7Bstate=%22open%22%7D[1h])").size()
                    == 1);
    assertThat(hangs(api)).hasSize(1);
    return hangs(api).getFirst();
  }

  private void goesOnAndIsOverOnce(String api, JsonNode begun) throws Exception {
    for (int i = 0; i < 4; i++) {
      step(api, true);
    }
    assertThat(hangs(api)).hasSize(1);
    assertThat(hangs(api).getFirst().path("state").asText()).isEqualTo("open");
    for (int i = 0; i < 8; i++) {
      step(api, false);
    }
    List<JsonNode> all = hangs(api);
    assertThat(all).hasSize(1);
    assertThat(all.getFirst().path("state").asText()).isEqualTo("over");
    assertThat(all.getFirst().path("since")).isEqualTo(begun.path("since"));
    assertThat(all.getFirst().path("episode")).isEqualTo(begun.path("episode"));
    String what = " hang " + begun.path("episode").asText() + " " + begun.path("since").asText();
    await().atMost(SOON).until(() -> told.contains("over" + what));
    assertThat(told).containsExactly("open" + what, "over" + what);
    assertThat(query(api, "sum(gpu_fault_episodes_total)").at("/0/value/1").asText())
        .isEqualTo("1");
  }

  @Test
  void anEpisodeOutlivesTheGatewayOfItsHostsThatIsKilled() throws Exception {
    start(3, 1);
    evaluator("q0");
    JsonNode hang = hung("q0");
    cluster.kill(cluster.owner("h1"));
    goesOnAndIsOverOnce("q0", hang);
  }

  @Test
  void anEpisodeOutlivesTheQueryApiThatFoundItAndIsKilled() throws Exception {
    start(1, 2);
    String owner = evaluator("q0", "q1");
    JsonNode hang = hung(owner);
    cluster.kill(owner);
    goesOnAndIsOverOnce(owner.equals("q0") ? "q1" : "q0", hang);
  }
}
