package io.fleetgauge.load.compare;

import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.PeerProcess;
import io.fleetgauge.load.fleet.PeerPrograms;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A real Prometheus on loopback with its remote-write receiver enabled. */
public final class PrometheusServer implements AutoCloseable {
  private final PeerProcess process;

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
    Path home = folder.toAbsolutePath(); // it is started there
    Path config = home.resolve("prometheus.yml");
    List<String> command =
        new ArrayList<>(
            List.of(
                PeerPrograms.program("prometheus").toString(),
                "--config.file=" + config,
                "--storage.tsdb.path=" + home.resolve("data"),
                "--web.listen-address=127.0.0.1:" + port,
                "--web.enable-remote-write-receiver"));
    if (!features.isEmpty()) {
      command.add("--enable-feature=" + String.join(",", features));
    }
    process =
        new PeerProcess(
            command,
            home,
            home.resolve("prometheus.log"),
            URI.create("http://127.0.0.1:" + port),
            "/-/ready");
  }

  public URI address() {
    return process.address();
  }

  /** Writes ticks, in order of time, as a remote-write sender would. */
  public void write(List<Tick> ticks) throws IOException, InterruptedException {
    write(process, ticks);
  }

  /** Writes ticks, in order of time, to a server that accepts remote write. */
  static void write(PeerProcess to, List<Tick> ticks) throws IOException, InterruptedException {
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
        HttpRequest.newBuilder(to.address().resolve("/api/v1/write"))
            .header("Content-Encoding", "snappy")
            .header("Content-Type", "application/x-protobuf")
            .header("X-Prometheus-Remote-Write-Version", "0.1.0")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body.compressed()))
            .build();
    HttpResponse<String> response = to.send(request);
    if (response.statusCode() != 204) {
      throw new IOException(
          "the server responds with " + response.statusCode() + " to a write: " + response.body());
    }
  }

  @Override
  public void close() {
    process.close();
  }
}
