package io.fleetgauge.load.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
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
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final long STEP = 15_000;

  /** Steps for which a job works before it hangs. */
  private static final int WORK = 30;

  private final Map<String, ChildProcess> running = new LinkedHashMap<>();
  private final Map<String, URI> addresses = new LinkedHashMap<>();
  private final HungJob job = new HungJob();

  /** What the receiver was told: state, kind, episode and start of each. */
  private final ConcurrentLinkedQueue<String> told = new ConcurrentLinkedQueue<>();

  private HttpServer receiver;
  private MappedByteBuffer clock;

  @TempDir Path folder;

  @BeforeEach
  void begin() throws Exception {
    clock =
        ClockedProcess.map(
            folder.resolve("clock"),
            FileChannel.MapMode.READ_WRITE,
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    clock.putLong(0, 1_795_300_200_000L);
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
    running.values().forEach(ChildProcess::close);
    receiver.stop(0);
  }

  /** Starts gateways {@code g0}, {@code g1} …, and query APIs {@code q0}, {@code q1} …. */
  private void start(int gateways, int queries) throws Exception {
    List<Integer> ports = LocalPorts.free(2 * (gateways + queries));
    List<Integer> http = ports.subList(0, gateways + queries);
    List<Integer> members = ports.subList(gateways + queries, ports.size());
    String all =
        members.subList(0, gateways).stream()
            .map(port -> "\"127.0.0.1:" + port + "\"")
            .collect(Collectors.joining(", "));
    for (int i = 0; i < gateways + queries; i++) {
      boolean isGateway = i < gateways;
      String name = isGateway ? "g" + i : "q" + (i - gateways);
      String own =
          isGateway
              ? "id: %s\nstore: {folder: %s}\n".formatted(name, folder.resolve(name))
              : "faults: {receivers: {hook: {url: \"http://127.0.0.1:%d/\"}}}\n"
                  .formatted(receiver.getAddress().getPort());
      String shared =
          "http: {host: 127.0.0.1, port: %d}\ncluster: {name: kill-%d, port: %d, members: [%s]}\n"
              .formatted(http.get(i), members.getFirst(), members.get(i), all);
      addresses.put(name, URI.create("http://127.0.0.1:" + http.get(i)));
      Path file = Files.writeString(folder.resolve(name + ".yaml"), own + shared);
      String kind = isGateway ? "gateway" : "query";
      running.put(
          name,
          ChildJvm.start(
              folder,
              "256m",
              ClockedProcess.class,
              kind,
              file.toString(),
              folder.resolve("clock").toString()));
    }
    for (String name : running.keySet()) {
      running.get(name).awaitReady(addresses.get(name).resolve("/-/ready"), SOON);
    }
  }

  /** Kills a process as the kernel does when memory is short. */
  private void kill(String name) throws Exception {
    running.get(name).signal("KILL");
    running.remove(name).close();
    addresses.remove(name);
  }

  private JsonNode get(String process, String path) throws Exception {
    HttpResponse<String> answer =
        CLIENT.send(
            HttpRequest.newBuilder(addresses.get(process).resolve(path)).build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body());
  }

  private JsonNode query(String api, String text) throws Exception {
    String path = "/api/v1/query?time=" + clock.getLong(0) / 1_000 + "&query=" + text;
    return get(api, path).at("/data/result");
  }

  private List<JsonNode> hangs(String api) throws Exception {
    List<JsonNode> faults = new ArrayList<>();
    get(api, "/api/v1/faults?kind=hang").at("/data/faults").forEach(faults::add);
    return faults;
  }

  /** Goes on by a step. */
  private void step(boolean hangs) throws Exception {
    clock.putLong(0, clock.getLong(0) + STEP);
    job.advance(hangs);
    for (int host = 0; host < HungJob.HOSTS; host++) {
      RemoteWriteBody body = job.body(host, clock.getLong(0), hangs);
      await().atMost(SOON).pollInterval(Duration.ofMillis(20)).until(() -> isTaken(body));
    }
  }

  /** Goes on by a step, and waits until the one before it has been evaluated. */
  private void step(String api, boolean hangs) throws Exception {
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
                    >= clock.getLong(0) - 2 * STEP);
  }

  private boolean isTaken(RemoteWriteBody body) throws InterruptedException {
    for (Map.Entry<String, URI> each : addresses.entrySet()) {
      if (each.getKey().startsWith("g") && HungJob.isTaken(each.getValue(), body)) {
        return true;
      }
    }
    return false;
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
                URI metrics = addresses.get(each).resolve("/metrics");
                String body =
                    CLIENT
                        .send(
                            HttpRequest.newBuilder(metrics).build(),
                            HttpResponse.BodyHandlers.ofString())
                        .body();
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
    String owner = get("g0", "/v1/table").at("/hosts/h1/owner").asText();
    assertThat(addresses).containsKey(owner);
    kill(owner);
    goesOnAndIsOverOnce("q0", hang);
  }

  @Test
  void anEpisodeOutlivesTheQueryApiThatFoundItAndIsKilled() throws Exception {
    start(1, 2);
    String owner = evaluator("q0", "q1");
    JsonNode hang = hung(owner);
    kill(owner);
    goesOnAndIsOverOnce(owner.equals("q0") ? "q1" : "q0", hang);
  }
}
