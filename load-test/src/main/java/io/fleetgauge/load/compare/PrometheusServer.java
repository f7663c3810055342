package io.fleetgauge.load.compare;

import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.PeerPrograms;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** A real Prometheus on loopback with its remote-write receiver enabled. */
public final class PrometheusServer implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofSeconds(30);

  private final HttpClient client = HttpClient.newHttpClient();
  private final Process process;
  private final URI address;

  /**
   * @param folder for its data and its log
   * @param features the feature flags that are on
   */
  public PrometheusServer(Path folder, Set<String> features)
      throws IOException, InterruptedException {
    this(
        Files.writeString(folder.resolve("prometheus.yml"), "").getParent(),
        LocalPorts.free(1).getFirst(),
        features);
  }

  /** Starts with the configuration {@code prometheus.yml} in the folder. */
  public static PrometheusServer of(Path folder, int port)
      throws IOException, InterruptedException {
    return new PrometheusServer(folder, port, Set.of());
  }

  private PrometheusServer(Path folder, int port, Set<String> features)
      throws IOException, InterruptedException {
    Path config = folder.resolve("prometheus.yml");
    address = URI.create("http://127.0.0.1:" + port);
    List<String> command =
        new ArrayList<>(
            List.of(
                PeerPrograms.program("prometheus").toString(),
                "--config.file=" + config,
                "--storage.tsdb.path=" + folder.resolve("data"),
                "--web.listen-address=127.0.0.1:" + port,
                "--web.enable-remote-write-receiver"));
    if (!features.isEmpty()) {
      command.add("--enable-feature=" + String.join(",", features));
    }
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("prometheus.log").toFile())
            .start();
    awaitReady(folder);
  }

  private void awaitReady(Path folder) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(address.resolve("/-/ready")).build();
    long deadline = System.nanoTime() + START_LIMIT.toNanos();
    while (true) {
      try {
        if (client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200) {
          return;
        }
      } catch (ConnectException e) {
        // Not listening yet.
      }
      if (!process.isAlive() || System.nanoTime() > deadline) {
        String log = Files.readString(folder.resolve("prometheus.log"));
        close();
        throw new IllegalStateException("Prometheus does not start: " + log);
      }
      process.waitFor(50, TimeUnit.MILLISECONDS);
    }
  }

  public URI address() {
    return address;
  }

  /** Writes ticks, in order of time, as a remote-write sender would. */
  public void write(List<Tick> ticks) throws IOException, InterruptedException {
    Map<Labels, List<long[]>> samples = new LinkedHashMap<>();
    for (Tick tick : ticks) {
      for (int i = 0; i < tick.size(); i++) {
        samples
            .computeIfAbsent(tick.series().get(i), none -> new ArrayList<>())
            .add(new long[] {tick.time(), Double.doubleToRawLongBits(tick.values()[i])});
      }
    }
    RemoteWriteBody body = RemoteWriteBody.v1();
    for (var series : samples.entrySet()) {
      body.series(
          series.getKey(),
          series.getValue().stream().mapToLong(sample -> sample[0]).toArray(),
          series.getValue().stream()
              .mapToDouble(sample -> Double.longBitsToDouble(sample[1]))
              .toArray());
    }
    HttpRequest request =
        HttpRequest.newBuilder(address.resolve("/api/v1/write"))
            .header("Content-Encoding", "snappy")
            .header("Content-Type", "application/x-protobuf")
            .header("X-Prometheus-Remote-Write-Version", "0.1.0")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body.compressed()))
            .build();
    HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() != 204) {
      throw new IOException(
          "Prometheus answers " + response.statusCode() + " to a write: " + response.body());
    }
  }

  @Override
  public void close() {
    process.destroy();
    process
        .onExit()
        .orTimeout(10, TimeUnit.SECONDS)
        .exceptionally(late -> process.destroyForcibly())
        .join();
  }
}
