package io.fleetgauge.load.api;

import io.fleetgauge.load.compare.PrometheusServer;
import io.fleetgauge.load.fleet.LocalFleet;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.QueryClient;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.query.QueryProcess;
import io.fleetgauge.sample.Labels;
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
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Two gateways, a query API and the real Prometheus, which are given the same samples. */
final class FleetAndPrometheus implements AutoCloseable {
  final HttpClient client = HttpClient.newHttpClient();
  final Path folder;
  final LocalFleet fleet;
  final QueryProcess query;
  final PrometheusServer prometheus;

  FleetAndPrometheus(Path folder) throws Exception {
    this.folder = folder;
    prometheus = new PrometheusServer(Files.createDirectory(folder.resolve("p")), Set.of());
    fleet =
        new LocalFleet(
            "servers-" + System.nanoTime(),
            LocalPorts.free(3),
            folder.resolve("g"),
            System::currentTimeMillis);
    fleet.startGateway(0, Duration.ofHours(24));
    fleet.startGateway(0, Duration.ofHours(24));
    query = fleet.startQuery("127.0.0.1", 0);
  }

  URI address() {
    return URI.create("http://127.0.0.1:" + query.port());
  }

  QueryClient asker() {
    return new QueryClient(query.port());
  }

  /** Gives both the same. */
  void write(RemoteWriteBody body) throws Exception {
    for (URI server : List.of(prometheus.address(), fleet.gatewayAddresses().getFirst())) {
      HttpRequest request =
          HttpRequest.newBuilder(server.resolve("/api/v1/write"))
              .header("Content-Encoding", "snappy")
              .header("Content-Type", RemoteWriteBody.V1_TYPE)
              .POST(HttpRequest.BodyPublishers.ofByteArray(body.compressed()))
              .build();
      HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != 204) {
        throw new IOException(server + " answers " + answer.statusCode() + ": " + answer.body());
      }
    }
  }

  static Labels gpu(String metric, int host, int gpu) {
    return Labels.of(
        "__name__", metric,
        "Hostname", "n" + host,
        "UUID", "GPU-" + host + "-" + gpu,
        "gpu", "" + gpu,
        "rack", "r" + host / 2,
        "tenant", gpu < 4 ? "a" : "b");
  }

  HttpResponse<String> get(URI server, String path, String... headers) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(server.resolve(path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  static String matches(String... selectors) {
    StringBuilder query = new StringBuilder();
    for (String selector : selectors) {
      query.append(query.isEmpty() ? "" : "&").append("match%5B%5D=").append(encoded(selector));
    }
    return query.toString();
  }

  static Set<String> lines(String body) {
    return new TreeSet<>(body.lines().toList());
  }

  @Override
  public void close() {
    fleet.close();
    prometheus.close();
    client.close();
  }
}
