package io.fleetgauge.load.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.load.fleet.ChildJvm;
import io.fleetgauge.load.fleet.ChildProcess;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** Gateways and query APIs in JVMs of their own. Safe for several threads once it is started. */
final class ChaosFleet implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofMinutes(3);
  private static final Duration STOP_LIMIT = Duration.ofMinutes(3);

  /**
   * Where a process runs.
   *
   * @param address the address that the process binds
   * @param within the command that starts a program there
   */
  record Place(String address, List<String> within) {
    static final Place HERE = new Place("127.0.0.1", List.of());
  }

  private record Seat(String id, Place place, int http, int cluster, Path config) {}

  private final Path folder;
  private final String name;
  private final List<String> flags;
  private final Map<String, Seat> seats = new LinkedHashMap<>();
  private final Map<String, ChildProcess> running = new TreeMap<>();
  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(2))
          .build();
  private final ObjectMapper json = new ObjectMapper();

  /**
   * @param flags of the processes' JVMs
   */
  ChaosFleet(Path folder, String name, List<String> flags) {
    this.flags = flags;
    this.folder = folder;
    this.name = name;
  }

  /** Writes the configuration of the processes; each lists all gateways as members. */
  void plan(Map<String, Place> gateways, Map<String, Place> queries, List<Integer> ports)
      throws IOException {
    plan(gateways, queries, ports, query -> "");
  }

  /**
   * As above.
   *
   * @param ofQueries what the configuration of a query API has besides, by its id
   */
  void plan(
      Map<String, Place> gateways,
      Map<String, Place> queries,
      List<Integer> ports,
      UnaryOperator<String> ofQueries)
      throws IOException {
    List<Integer> free = new ArrayList<>(ports);
    List<String> members = new ArrayList<>();
    Map<String, Place> all = new LinkedHashMap<>(gateways);
    all.putAll(queries);
    for (Map.Entry<String, Place> each : all.entrySet()) {
      int http = free.removeFirst();
      int cluster = free.removeFirst();
      Path config = folder.resolve(each.getKey() + ".yaml");
      seats.put(each.getKey(), new Seat(each.getKey(), each.getValue(), http, cluster, config));
      if (gateways.containsKey(each.getKey())) {
        members.add("\"" + each.getValue().address() + ":" + cluster + "\"");
      }
    }
    for (Seat seat : seats.values()) {
      String cluster =
          """
          http: {host: %1$s, port: %2$d, insecure: true}
          cluster: {name: %3$s, host: %1$s, port: %4$d, members: [%5$s]}
          """
              .formatted(
                  seat.place.address(), seat.http, name, seat.cluster, String.join(", ", members));
      String own =
          gateways.containsKey(seat.id)
              ? "id: %s\nstore: {folder: \"%s\"}\n".formatted(seat.id, folder.resolve(seat.id))
              : ofQueries.apply(seat.id);
      Files.writeString(seat.config, own + cluster);
    }
  }

  /** Starts a process and waits until it is ready. */
  void start(String id) throws IOException, InterruptedException {
    launch(id);
    awaitReady(id);
  }

  void launch(String id) throws IOException {
    Seat seat = seats.get(id);
    String command = id.startsWith("query") ? "query" : "gateway";
    running.put(
        id,
        ChildJvm.start(
            folder,
            "384m",
            Map.of(),
            seat.place.within(),
            flags,
            command,
            "--config",
            seat.config.toString()));
  }

  /** Starts processes at once and waits until all are ready. */
  void start(List<String> ids) throws IOException, InterruptedException {
    for (String id : ids) {
      launch(id);
    }
    for (String id : ids) {
      awaitReady(id);
    }
  }

  void awaitReady(String id) throws InterruptedException {
    running.get(id).awaitReady(address(id).resolve("/-/ready"), START_LIMIT);
  }

  void kill(String id) {
    running.remove(id).close();
  }

  /** Stops a process with SIGTERM and waits for its end. */
  void stop(String id) throws InterruptedException {
    if (!running.remove(id).stop(STOP_LIMIT)) {
      throw new IllegalStateException(id + " did not stop within " + STOP_LIMIT);
    }
  }

  void freeze(String id) throws IOException, InterruptedException {
    running.get(id).signal("STOP");
  }

  void thaw(String id) throws IOException, InterruptedException {
    running.get(id).signal("CONT");
  }

  List<String> gateways() {
    return running.keySet().stream().filter(id -> !id.startsWith("query")).toList();
  }

  /** The HTTP address of a process, running or not. */
  URI address(String id) {
    Seat seat = seats.get(id);
    return URI.create("http://" + seat.place.address() + ":" + seat.http);
  }

  String output(String id) {
    return running.get(id).output();
  }

  HttpResponse<String> get(String id, String path) throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(address(id).resolve(path)).timeout(Duration.ofSeconds(20)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** The response of an instant query. */
  JsonNode query(String id, String query) throws IOException, InterruptedException {
    HttpResponse<String> answer =
        get(id, "/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8));
    JsonNode tree = json.readTree(answer.body());
    if (answer.statusCode() != 200) {
      throw new IOException("status " + answer.statusCode() + ": " + answer.body());
    }
    return tree;
  }

  /** The value of the first series of an answer; 0 if there is none. */
  static long value(JsonNode answer) {
    return answer.path("data").path("result").path(0).path("value").path(1).asLong();
  }

  /** The sum of all series of a metric of a process. */
  double metric(String id, String name) throws IOException, InterruptedException {
    return get(id, "/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " ") || line.startsWith(name + "{"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  /** The table as a gateway sees it. */
  JsonNode table(String id) throws IOException, InterruptedException {
    return json.readTree(get(id, "/v1/table").body());
  }

  @Override
  public void close() {
    for (ChildProcess process : running.values()) {
      process.close();
    }
    running.clear();
    client.close();
  }
}
