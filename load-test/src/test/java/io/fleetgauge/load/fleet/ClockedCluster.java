package io.fleetgauge.load.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Gateways {@code g0}, {@code g1} … and query APIs {@code q0}, {@code q1} …, each a JVM of its own
 * that may be killed. A test turns their time. Not for several threads.
 */
public final class ClockedCluster implements AutoCloseable {
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path folder;
  private final String heap;
  private final List<String> flags;
  private final MappedByteBuffer clock;
  private final HttpClient client = HttpClient.newHttpClient();
  private final Map<String, ChildProcess> running = new LinkedHashMap<>();
  private final Map<String, URI> addresses = new LinkedHashMap<>();
  private final Map<String, URI> killed = new LinkedHashMap<>();
  private String ofGateways = "";

  /**
   * @param folder for all that the processes write
   * @param now their time at first, ms since the epoch
   */
  public ClockedCluster(Path folder, long now) throws Exception {
    this(folder, now, "256m", ChildJvm.SHORT_LIVED);
  }

  /**
   * With the JVMs that a release has.
   *
   * @param heap as {@code FLEETGAUGE_HEAP} takes it
   */
  public static ClockedCluster asReleased(Path folder, long now, String heap) throws Exception {
    return new ClockedCluster(folder, now, heap, List.of());
  }

  private ClockedCluster(Path folder, long now, String heap, List<String> flags) throws Exception {
    this.folder = folder;
    this.heap = heap;
    this.flags = flags;
    clock =
        ClockedProcess.map(
            folder.resolve("clock"),
            FileChannel.MapMode.READ_WRITE,
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    turnTo(now);
  }

  public void turnTo(long now) {
    clock.putLong(0, now);
  }

  public long now() {
    return clock.getLong(0);
  }

  /**
   * Starts all processes.
   *
   * @param store what gateways' configuration says of the store beside its folder, such as {@code ,
   *     memory: 2m}
   * @param query further lines of query APIs' configuration
   */
  public void start(int gateways, String store, int queries, String query) throws Exception {
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
              ? "id: %s\nstore: {folder: %s%s}\n%s"
                  .formatted(name, folder.resolve(name), store, ofGateways)
              : query;
      String shared =
          "http: {host: 127.0.0.1, port: %d}\ncluster: {name: kill-%d, port: %d, members: [%s]}\n"
              .formatted(http.get(i), members.getFirst(), members.get(i), all);
      addresses.put(name, URI.create("http://127.0.0.1:" + http.get(i)));
      Path file = Files.writeString(folder.resolve(name + ".yaml"), own + shared);
      run(name, file, isGateway);
    }
    for (String name : running.keySet()) {
      running.get(name).awaitReady(address(name).resolve("/-/ready"), SOON);
    }
  }

  private void run(String name, Path file, boolean isGateway) throws IOException {
    running.put(
        name,
        ChildJvm.start(
            folder,
            heap,
            flags,
            ClockedProcess.class,
            isGateway ? "gateway" : "query",
            file.toString(),
            folder.resolve("clock").toString()));
  }

  /** Sets further lines of gateways' configuration, of those that are started afterwards. */
  public void configureGateways(String lines) {
    ofGateways = lines;
  }

  /** Starts a gateway again that was killed; it is not ready yet. */
  public void restart(String gateway) throws Exception {
    addresses.put(gateway, killed.remove(gateway));
    run(gateway, folder.resolve(gateway + ".yaml"), true);
  }

  /** Memory that a process holds now, beside files that it has mapped, bytes. */
  public long resident(String name) throws IOException {
    Path status = Path.of("/proc/" + running.get(name).process().pid() + "/status");
    return Files.readAllLines(status).stream()
        .filter(line -> line.startsWith("RssAnon:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
        .sum();
  }

  /** Kills a process as the kernel does when memory is short. */
  public void kill(String name) throws Exception {
    running.get(name).signal("KILL");
    running.remove(name).close();
    killed.put(name, addresses.remove(name));
  }

  public URI address(String name) {
    return addresses.get(name);
  }

  /** The gateways that run. */
  public List<String> gateways() {
    return addresses.keySet().stream().filter(each -> each.startsWith("g")).toList();
  }

  /** The name of the gateway that owns a host. */
  public String owner(String host) throws Exception {
    return get(gateways().getFirst(), "/v1/table").at("/hosts/" + host + "/owner").asText();
  }

  /** What a process answers, which has to be 200. */
  public String text(String process, String path) throws IOException, InterruptedException {
    HttpResponse<String> answer =
        client.send(
            HttpRequest.newBuilder(address(process).resolve(path)).build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer.body();
  }

  public JsonNode get(String process, String path) throws IOException, InterruptedException {
    return JSON.readTree(text(process, path));
  }

  /** Writes samples to whichever gateway takes them, as a sender that tries until one does. */
  public void write(RemoteWriteBody body) {
    byte[] bytes = body.compressed();
    await()
        .atMost(SOON)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> isTaken(bytes));
  }

  private boolean isTaken(byte[] body) throws InterruptedException {
    for (String gateway : gateways()) {
      HttpRequest request =
          HttpRequest.newBuilder(address(gateway).resolve("/api/v1/write"))
              .header("Content-Type", RemoteWriteBody.V1_TYPE)
              .header("Content-Encoding", "snappy")
              .POST(HttpRequest.BodyPublishers.ofByteArray(body))
              .build();
      try {
        if (client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 204) {
          return true;
        }
      } catch (IOException e) {
        continue; // it has been killed
      }
    }
    return false;
  }

  @Override
  public void close() {
    running.values().forEach(ChildProcess::close);
    client.close();
  }
}
