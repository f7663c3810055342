package io.fleetgauge.load.measure;

import io.fleetgauge.cluster.process.StartFailure;
import io.fleetgauge.load.fleet.ChildJvm;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.PeerPrograms;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.load.system.ProcessCost;
import io.fleetgauge.load.traffic.GpuFleet;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeProtocol;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Gateways with a query API, Prometheus and VictoriaMetrics in processes of their own on one
 * machine, filled with the same samples.
 */
final class MeasuredSystems implements AutoCloseable {
  static final long TICK = 15_000;
  private static final int GATEWAYS = 3;
  private static final int TICKS_AT_ONCE = 40;

  static {
    // Every viewer keeps its connection.
    System.setProperty("http.maxConnections", "256");
  }

  private final Path folder;
  private final int hosts;
  private final GpuFleet fleet;
  private final Predicate<String> metrics;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final List<Runnable> children = new ArrayList<>();
  private final List<Process> ours = new ArrayList<>();
  private final List<URI> gateways = new ArrayList<>();
  private final Map<String, URI> peers = new LinkedHashMap<>();
  private final Map<String, Process> peerProcesses = new LinkedHashMap<>();
  private final List<FrameEncoder> encoders = new ArrayList<>();
  private final int ticks;
  private final long first;
  private URI query;
  private long series;

  /**
   * @param ticks how many ticks of each host they are filled with
   * @param metrics the metrics that are sent
   */
  MeasuredSystems(Path folder, int hosts, int ticks, Predicate<String> metrics) {
    this.ticks = ticks;
    this.first = System.currentTimeMillis() / TICK * TICK - (ticks + 3) * TICK;
    this.folder = folder;
    this.hosts = hosts;
    this.fleet = new GpuFleet(hosts, 1);
    this.metrics = metrics;
    for (int host = 0; host < hosts; host++) {
      encoders.add(new FrameEncoder(GpuFleet.name(host), 1 + host));
    }
  }

  /** Starts all systems and fills them. */
  void start() throws Exception {
    startOurs();
    startPeers();
    fill();
  }

  int hosts() {
    return hosts;
  }

  int ticks() {
    return ticks;
  }

  /** The time of the newest tick that the systems were filled with, ms since the epoch. */
  long last() {
    return first + (ticks - 1) * TICK;
  }

  /** The address of our query API. */
  URI query() {
    return query;
  }

  /** Addresses of the others by name, in the order of their start. */
  Map<String, URI> peers() {
    return peers;
  }

  HttpClient client() {
    return client;
  }

  long series() {
    return series;
  }

  /** CPU seconds that all our processes have used. */
  double ourCpu() throws IOException {
    double seconds = 0;
    for (Process process : ours) {
      seconds += ProcessCost.of(process.pid()).cpuSeconds();
    }
    return seconds;
  }

  /** CPU seconds that one of the others has used. */
  double cpuOf(String peer) throws IOException {
    return ProcessCost.of(peerProcesses.get(peer).pid()).cpuSeconds();
  }

  private void startOurs() throws Exception {
    List<Integer> ports = LocalPorts.free(2 * GATEWAYS + 2);
    List<String> members = new ArrayList<>();
    for (int i = 0; i <= GATEWAYS; i++) {
      members.add("\"127.0.0.1:" + ports.get(GATEWAYS + 1 + i) + "\"");
    }
    String cluster = "{name: load-%d, port: %d, members: [%s], replication: 1}";
    for (int i = 0; i <= GATEWAYS; i++) {
      boolean isQuery = i == GATEWAYS;
      String config =
          "http: {host: 127.0.0.1, port: %d}%ncluster: %s%n"
              .formatted(
                  ports.get(i),
                  cluster.formatted(
                      ports.getFirst(), ports.get(GATEWAYS + 1 + i), String.join(", ", members)));
      config +=
          isQuery
              ? "query: {maxConcurrent: 100}\n"
              : "id: load-%d%nstore: {folder: \"%s\"}%n".formatted(i, folder.resolve("load-" + i));
      Path file = Files.writeString(folder.resolve("load-" + i + ".yaml"), config);
      ChildJvm jvm =
          new ChildJvm(
              folder, "1g", Map.of(), isQuery ? "query" : "gateway", "--config", file.toString());
      children.add(jvm::close);
      ours.add(jvm.process());
      URI address = URI.create("http://127.0.0.1:" + ports.get(i));
      await(address.resolve("/-/ready"), jvm.process());
      if (isQuery) {
        query = address;
      } else {
        gateways.add(address);
      }
    }
  }

  private void startPeers() throws Exception {
    List<Integer> ports = LocalPorts.free(2);
    Path config = Files.writeString(folder.resolve("prometheus.yml"), "global: {}\n");
    startPeer(
        "prometheus",
        ports.get(0),
        "--config.file=" + config,
        "--storage.tsdb.path=" + folder.resolve("prometheus"),
        "--web.listen-address=127.0.0.1:" + ports.get(0),
        "--web.enable-remote-write-receiver");
    startPeer(
        "victoria-metrics",
        ports.get(1),
        "-storageDataPath=" + folder.resolve("victoria-metrics"),
        "-httpListenAddr=127.0.0.1:" + ports.get(1));
  }

  private void startPeer(String name, int port, String... options) throws Exception {
    List<String> line = new ArrayList<>(List.of(PeerPrograms.program(name).toString()));
    line.addAll(List.of(options));
    Process process =
        new ProcessBuilder(line)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve(name + ".txt").toFile())
            .start();
    children.add(
        () -> {
          process.destroy();
          process
              .onExit()
              .orTimeout(20, TimeUnit.SECONDS)
              .exceptionally(late -> process.destroyForcibly())
              .join();
        });
    URI address = URI.create("http://127.0.0.1:" + port);
    await(address.resolve("/-/ready"), process);
    peers.put(name, address);
    peerProcesses.put(name, process);
  }

  private void await(URI address, Process process) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (true) {
      try {
        HttpRequest request = HttpRequest.newBuilder(address).build();
        if (client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200) {
          return;
        }
      } catch (IOException e) {
        // Not listening yet.
      }
      if (!process.isAlive() || System.nanoTime() > deadline) {
        throw new StartFailure(address + " does not answer; see " + folder);
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  private void fill() throws Exception {
    for (int from = 0; from < ticks; from += TICKS_AT_ONCE) {
      List<RemoteWriteBody> bodies = new ArrayList<>();
      int count = Math.min(TICKS_AT_ONCE, ticks - from);
      for (int host = 0; host < hosts; host++) {
        if (host % 10 == 0) {
          bodies.add(RemoteWriteBody.v1());
        }
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        for (int i = 0; i < count; i++) {
          Tick tick = next(host, first + (from + i) * TICK);
          series += from + i == 0 ? tick.size() : 0;
          frames.writeBytes(encoders.get(host).encode(tick));
          add(tick, bodies.getLast());
        }
        send(host, frames.toByteArray());
      }
      for (RemoteWriteBody body : bodies) {
        byte[] bytes = body.compressed();
        for (URI peer : peers.values()) {
          write(peer, bytes);
        }
      }
    }
    // Gateways reduce new samples within a second and write blocks in the background.
    TimeUnit.SECONDS.sleep(15);
  }

  /** The next tick of a host, with the metrics that are sent. */
  private Tick next(int host, long time) {
    Tick all = fleet.next(host, time);
    Tick.Builder picked = new Tick.Builder();
    for (int i = 0; i < all.size(); i++) {
      if (metrics.test(all.series().get(i).metric())) {
        picked.add(all.series().get(i), all.values()[i]);
      }
    }
    return picked.at(time);
  }

  private static void add(Tick tick, RemoteWriteBody body) {
    for (int i = 0; i < tick.size(); i++) {
      body.series(tick.series().get(i), tick.time(), tick.values()[i]);
    }
  }

  private void send(int host, byte[] frames) throws Exception {
    for (int attempt = 0; ; attempt++) {
      URI gateway = gateways.get((host + attempt) % gateways.size());
      HttpRequest request =
          HttpRequest.newBuilder(gateway.resolve(IntakeProtocol.path(GpuFleet.name(host))))
              .POST(HttpRequest.BodyPublishers.ofByteArray(frames))
              .build();
      int status = client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
      if (status == 200) {
        return;
      }
      if (attempt > 300) {
        throw new IOException("no gateway takes frames of host " + host + ": status " + status);
      }
      if (attempt > GATEWAYS) {
        TimeUnit.MILLISECONDS.sleep(10);
      }
    }
  }

  private void write(URI peer, byte[] body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(peer.resolve("/api/v1/write"))
            .header("Content-Encoding", "snappy")
            .header("Content-Type", RemoteWriteBody.V1_TYPE)
            .header("X-Prometheus-Remote-Write-Version", "0.1.0")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .build();
    HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() / 100 != 2) {
      throw new IOException(peer + " answers " + response.statusCode() + ": " + response.body());
    }
  }

  /** Sends the next tick of a host to the gateways, with the present time. */
  void sendTick(int host) throws Exception {
    send(host, encoders.get(host).encode(next(host, System.currentTimeMillis())));
  }

  /** Sends a tick of the present, because samples older than five minutes are not scraped. */
  void freshTick() throws Exception {
    long now = System.currentTimeMillis() / 1_000 * 1_000;
    RemoteWriteBody body = RemoteWriteBody.v1();
    for (int host = 0; host < hosts; host++) {
      Tick tick = next(host, now);
      send(host, encoders.get(host).encode(tick));
      add(tick, body);
      if (host % 10 == 9 || host == hosts - 1) {
        for (URI peer : peers.values()) {
          write(peer, body.compressed());
        }
        body = RemoteWriteBody.v1();
      }
    }
  }

  /**
   * How long an answer takes, ms; fails unless there is one. The calling thread reads it: the
   * threads of an asynchronous client would add to the time of each system.
   */
  double ask(URI question, String... headers) throws Exception {
    long begin = System.nanoTime();
    HttpURLConnection connection = (HttpURLConnection) question.toURL().openConnection();
    for (int i = 0; i < headers.length; i += 2) {
      connection.setRequestProperty(headers[i], headers[i + 1]);
    }
    int status = connection.getResponseCode();
    byte[] body;
    try (InputStream in =
        status == 200 ? connection.getInputStream() : connection.getErrorStream()) {
      body = in == null ? new byte[0] : in.readAllBytes();
    }
    double millis = (System.nanoTime() - begin) / 1e6;
    if (status != 200 || body.length < 100) {
      throw new IOException(question + " is answered " + status + ": " + new String(body));
    }
    return millis;
  }

  @Override
  public void close() {
    children.reversed().forEach(Runnable::run);
    client.close();
  }
}
