package io.fleetgauge.load.hostile;

import static org.awaitility.Awaitility.await;

import io.fleetgauge.load.fleet.LaunchedProcess;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.QueryClient;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Gateways, a query API and a probe, each in a JVM of its own, with a secret. */
final class ProcessCluster implements AutoCloseable {
  static final String SECRET = "0123456789abcdef";

  final String name;
  final int gateways;

  /** Hazelcast's ports of the gateways, of the query API, and of one process more. */
  final List<Integer> members;

  private final Path folder;
  private final String store;
  private final List<Integer> http;
  private final List<LaunchedProcess> launched = new ArrayList<>();

  /** With two gateways. */
  ProcessCluster(Path folder) throws IOException {
    this(folder, 2);
  }

  ProcessCluster(Path folder, int gateways) throws IOException {
    this(folder, gateways, "", "");
  }

  /**
   * @param store what the gateways' configuration says of the store beside its folder, such as
   *     {@code , memory: 2m}
   * @param name of the cluster; one of its own if it is empty
   */
  ProcessCluster(Path folder, int gateways, String store, String name) throws IOException {
    this.folder = folder;
    this.gateways = gateways;
    this.store = store;
    List<Integer> ports = LocalPorts.free(2 * (gateways + 2));
    http = ports.subList(0, gateways + 2);
    members = ports.subList(gateways + 2, ports.size());
    this.name = name.isEmpty() ? "hostile-" + members.getFirst() : name;
    secret("secret", SECRET);
  }

  /** Writes a secret, and returns what a configuration says of it. */
  String secret(String file, String text) throws IOException {
    return ", secretFile: " + Files.writeString(folder.resolve(file), text);
  }

  String rightSecret() {
    return ", secretFile: " + folder.resolve("secret");
  }

  /** The store of a gateway. */
  Path store(int gateway) {
    return folder.resolve("store-" + gateway);
  }

  /**
   * @param place of its ports
   * @param secret what its configuration says of the secret
   */
  LaunchedProcess gateway(int place, String secret) throws IOException {
    return gateway(place, secret, this::launch);
  }

  /** Starts a process with a configuration, in a way of its own. */
  interface Launcher {
    LaunchedProcess launch(String command, String configuration) throws IOException;
  }

  /** Starts processes of a release that is installed in a folder. */
  Launcher release(Path home) {
    return (command, configuration) ->
        added(
            LaunchedProcess.ofRelease(
                folder, home, command, "--config", written(command, configuration)));
  }

  LaunchedProcess gateway(int place, String secret, Launcher launcher) throws IOException {
    return launcher.launch(
        "gateway",
        "id: g%d\nhttp: {host: 127.0.0.1, port: %d}\nstore: {folder: %s%s}\ndrainTimeout: 0s\n"
                .formatted(place, http.get(place), store(place), store)
            + cluster(place, secret));
  }

  LaunchedProcess query() throws IOException {
    return query(this::launch);
  }

  LaunchedProcess query(Launcher launcher) throws IOException {
    int place = gateways;
    return launcher.launch(
        "query",
        // What it finds would be stored: these tests count all that is.
        "http: {host: 127.0.0.1, port: %d}\nfaults: {enabled: false}\n".formatted(http.get(place))
            + cluster(place, rightSecret()));
  }

  LaunchedProcess probe() throws IOException {
    return probe(Map.of());
  }

  /** The probe of the host {@code n1}, in an environment of its own. */
  LaunchedProcess probe(Map<String, String> environment) throws IOException {
    return launch(
        environment,
        "probe",
        "hostname: n1\ntick: 1s\nhttp: {host: 127.0.0.1, port: %d}\ngateways: [%s]\n"
            .formatted(
                http.get(gateways + 1),
                String.join(
                    ", ",
                    http.subList(0, gateways).stream()
                        .map(port -> "\"http://127.0.0.1:" + port + "\"")
                        .toList())));
  }

  /** Starts all gateways, with the right secret, and waits until each has joined. */
  List<LaunchedProcess> startGateways() throws IOException {
    List<LaunchedProcess> started = new ArrayList<>();
    for (int i = 0; i < gateways; i++) {
      started.add(gateway(i, rightSecret()));
    }
    started.forEach(each -> each.awaitOutput("is in cluster"));
    return started;
  }

  URI address(int gateway) {
    return URI.create("http://127.0.0.1:" + http.get(gateway));
  }

  URI probeAddress() {
    return address(gateways + 1);
  }

  /** Writes a body to a gateway, as a sender that tries again until it is taken. */
  void write(int gateway, RemoteWriteBody body) throws IOException {
    byte[] bytes = body.compressed();
    try (HttpClient sender = HttpClient.newHttpClient()) {
      await()
          .atMost(Duration.ofMinutes(10))
          .ignoreExceptions()
          .until(
              () ->
                  sender
                          .send(
                              HttpRequest.newBuilder(address(gateway).resolve("/api/v1/write"))
                                  .header("Content-Encoding", "snappy")
                                  .header("Content-Type", RemoteWriteBody.V1_TYPE)
                                  .POST(HttpRequest.BodyPublishers.ofByteArray(bytes))
                                  .build(),
                              HttpResponse.BodyHandlers.ofString())
                          .statusCode()
                      == 204);
    }
  }

  QueryClient client() {
    return new QueryClient(http.get(gateways));
  }

  /** The sum of a metric of a process, over its labels. */
  static double metric(URI process, String name) throws IOException, InterruptedException {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
              HttpRequest.newBuilder(process.resolve("/metrics")).build(),
              HttpResponse.BodyHandlers.ofString())
          .body()
          .lines()
          .filter(line -> line.startsWith(name + " ") || line.startsWith(name + "{"))
          .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
          .sum();
    }
  }

  private String cluster(int place, String secret) {
    List<String> some =
        members.subList(0, gateways).stream().map(port -> "\"127.0.0.1:" + port + "\"").toList();
    return "cluster: {name: %s, port: %d, members: [%s]%s}\n"
        .formatted(name, members.get(place), String.join(", ", some), secret);
  }

  private LaunchedProcess launch(String command, String configuration) throws IOException {
    return launch(Map.of(), command, configuration);
  }

  private LaunchedProcess launch(
      Map<String, String> environment, String command, String configuration) throws IOException {
    return added(
        new LaunchedProcess(
            folder, environment, command, "--config", written(command, configuration)));
  }

  private String written(String command, String configuration) throws IOException {
    return Files.writeString(
            folder.resolve(command + "-" + launched.size() + ".yaml"), configuration)
        .toString();
  }

  private LaunchedProcess added(LaunchedProcess process) {
    launched.add(process);
    return process;
  }

  @Override
  public void close() {
    launched.reversed().forEach(LaunchedProcess::close);
  }
}
