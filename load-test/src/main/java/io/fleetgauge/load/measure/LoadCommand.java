package io.fleetgauge.load.measure;

import io.fleetgauge.cluster.process.Command;
import io.fleetgauge.cluster.process.StartFailure;
import io.fleetgauge.load.fleet.ChildJvm;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.PeerPrograms;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeProtocol;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** {@code fleetgauge load}. */
@CommandLine.Command(
    name = "load",
    description =
        "Sends the samples of a fleet to a gateway and prints the cost of ingestion; with --against"
            + " also the cost in other programs.")
public final class LoadCommand implements Command {
  private static final int SENDERS = 4;
  private static final int BATCH = 2_000;
  private static final long TICK = 15_000;
  private static final Set<String> PEERS = Set.of("prometheus", "victoria-metrics");

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      split = ",",
      defaultValue = "frames,remote-write",
      description = "frames, remote-write or both (default: ${DEFAULT-VALUE}).")
  private List<String> modes;

  @Option(
      names = "--hosts",
      paramLabel = "N",
      defaultValue = "50",
      description = "Hosts of 380 series, 1 to 2000 (default: ${DEFAULT-VALUE}).")
  private int hosts;

  @Option(
      names = "--ticks",
      paramLabel = "N",
      defaultValue = "240",
      description = "Ticks of 15 s, an hour by default, 1 to 40000.")
  private int ticks;

  @Option(
      names = "--warm-up",
      paramLabel = "N",
      defaultValue = "120",
      description = "Ticks sent before the measurement (default: ${DEFAULT-VALUE}).")
  private int warmUp;

  @Option(
      names = "--memory",
      paramLabel = "TIME",
      defaultValue = "2h",
      description = "The gateway's store.memory (default: ${DEFAULT-VALUE}).")
  private String memory;

  @Option(
      names = "--sync",
      paramLabel = "POLICY",
      defaultValue = "interval",
      description = "The gateway's journal.sync (default: ${DEFAULT-VALUE}).")
  private String sync;

  @Option(
      names = "--against",
      paramLabel = "NAME",
      split = ",",
      description = "Other programs that get the same samples: prometheus, victoria-metrics.")
  private List<String> against = List.of();

  @Option(
      names = "--queries",
      description =
          "Measure a dashboard's queries against Prometheus and VictoriaMetrics instead: cold and"
              + " warm, CPU with and without rollups, 200 viewers, and a tenant without"
              + " limits.")
  private boolean queries;

  @Option(
      names = "--federate",
      description = "Measure scrapes of /federate against those of Prometheus instead.")
  private boolean federate;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "12",
      description =
          "With --queries and --federate: repetitions of each request (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--heap",
      paramLabel = "SIZE",
      defaultValue = "512m",
      description = "The gateway's heap (default: ${DEFAULT-VALUE}).")
  private String heap;

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private PrintWriter out;
  private Path folder;

  /** A body, and where it is to go. */
  private record Body(URI address, Map<String, String> headers, byte[] bytes) {}

  @Override
  public Integer call() throws Exception {
    out = spec.commandLine().getOut();
    requireRange("--hosts", hosts, 1, 2_000);
    requireRange("--ticks", ticks, 1, 40_000);
    requireRange("--warm-up", warmUp, 0, 40_000);
    for (String peer : against) {
      if (!PEERS.contains(peer)) {
        throw new StartFailure("--against: " + peer + " is not one of " + PEERS);
      }
    }
    requireRange("--rounds", rounds, 1, 1_000);
    folder = Files.createTempDirectory("fleetgauge-load");
    try {
      if (federate) {
        try (FederateLoad load = new FederateLoad(folder, out, hosts, rounds)) {
          load.run();
        }
        return 0;
      }
      if (queries) {
        try (QueryLoad load = new QueryLoad(folder, out, hosts, rounds)) {
          load.run();
        }
        return 0;
      }
      long samples = (long) hosts * GpuFleet.SERIES * ticks;
      out.printf(
          "%d hosts x %d series, %d ticks of 15 s: %,d samples, after %d ticks to warm up%n%n",
          hosts, GpuFleet.SERIES, ticks, samples, warmUp);
      out.printf("%-34s %12s %14s %10s%n", "", "samples/s", "CPU-s/million", "RSS MiB");
      out.flush();
      for (String mode : modes) {
        switch (mode) {
          case "frames" -> gateway(true);
          case "remote-write" -> gateway(false);
          default -> throw new StartFailure("--mode: " + mode + " is not frames or remote-write");
        }
      }
      for (String peer : against) {
        peer(peer);
      }
    } finally {
      remove(folder);
    }
    return 0;
  }

  private static void requireRange(String option, int value, int min, int max) throws StartFailure {
    if (value < min || value > max) {
      throw new StartFailure(
          option + ": " + value + " is not allowed; allowed is " + min + " to " + max);
    }
  }

  private void gateway(boolean frames) throws Exception {
    List<Integer> ports = LocalPorts.free(2);
    Path data = Files.createTempDirectory(folder, "gateway");
    String config =
        """
        id: load
        http: {host: 127.0.0.1, port: %d}
        cluster: {name: load-%d, port: %d, members: ["127.0.0.1:%d"], replication: 1}
        store: {folder: "%s", memory: %s}
        journal: {sync: %s}
        """
            .formatted(
                ports.getFirst(),
                ports.getFirst(),
                ports.getLast(),
                ports.getLast(),
                data,
                memory,
                sync);
    Path file = Files.writeString(data.resolve("gateway.yaml"), config);
    URI address = URI.create("http://127.0.0.1:" + ports.getFirst());
    try (ChildJvm jvm =
        new ChildJvm(folder, heap, Map.of(), "gateway", "--config", file.toString())) {
      awaitReady(address, jvm.process());
      Senders senders = frames ? new FrameSenders(address) : new WriteSenders(address);
      run(frames ? "gateway, frames" : "gateway, remote write 1", jvm.process(), senders);
      // The gateway measures itself every ten seconds.
      TimeUnit.SECONDS.sleep(12);
      Map<String, Double> metrics = metrics(address);
      double stored = metrics.get("fleetgauge_gateway_samples_total{outcome=\"stored\"}");
      double blocks = size(data.resolve("blocks"));
      double journal = metrics.get("fleetgauge_gateway_journal_size_bytes");
      double head = metrics.get("fleetgauge_gateway_head_bytes");
      out.printf("    %,.0f of %,d samples stored%n", stored, senders.samples());
      if (blocks == 0) {
        out.printf(
            "    in memory %.2f bytes a sample, in the journal %.2f%n",
            head / stored, journal / stored);
      } else {
        out.printf(
            "    memory %,.1f MiB, journal %,.1f MiB, blocks %,.1f MiB%n",
            head / (1 << 20), journal / (1 << 20), blocks / (1 << 20));
        out.printf("    on disk %.2f bytes a sample%n", blocks / samplesInBlocks(data));
      }
      out.flush();
    }
    restart(file, address);
  }

  /** Starts a gateway that was killed, and says how long it takes to be back. */
  private void restart(Path config, URI address) throws Exception {
    try (ChildJvm jvm =
        new ChildJvm(folder, heap, Map.of(), "gateway", "--config", config.toString())) {
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      long up = 0;
      double accepted = 0;
      FrameEncoder encoder = new FrameEncoder("node-0000", 0x7e57);
      byte[] frame =
          encoder.encode(
              new Tick(
                  System.currentTimeMillis(),
                  List.of(Labels.of(Labels.NAME, "restarted", "Hostname", "node-0000")),
                  new double[] {1}));
      while (System.nanoTime() < deadline) {
        try {
          Map<String, Double> metrics = metrics(address);
          if (up == 0) {
            awaitReady(address, jvm.process());
            up = System.nanoTime();
          }
          if (accepted == 0 && isKept(address, frame)) {
            accepted = (System.nanoTime() - up) / 1e9;
          }
          if (accepted > 0
              && metrics.get("fleetgauge_gateway_recovered") == 1
              && metrics.get("fleetgauge_gateway_owned_hosts") == hosts) {
            out.printf(
                "    killed and started: after it was ready, intake after %.2f s, all history after"
                    + " %.2f s (%,.0f ticks from the journal)%n",
                accepted,
                (System.nanoTime() - up) / 1e9,
                metrics.get("fleetgauge_gateway_journal_replayed_ticks_total"));
            out.flush();
            return;
          }
        } catch (IOException e) {
          // Not listening yet.
        }
        TimeUnit.MILLISECONDS.sleep(20);
      }
      throw new StartFailure("the gateway was not back after 60 s: " + jvm.output());
    }
  }

  private boolean isKept(URI address, byte[] frame) throws IOException, InterruptedException {
    return client
            .send(
                HttpRequest.newBuilder(address.resolve(IntakeProtocol.path("node-0000")))
                    .POST(HttpRequest.BodyPublishers.ofByteArray(frame))
                    .build(),
                HttpResponse.BodyHandlers.ofString())
            .statusCode()
        == 200;
  }

  /** By the times of the files: every host has a tick every 15 s. */
  private double samplesInBlocks(Path data) throws IOException {
    double samples = 0;
    try (Stream<Path> all = Files.walk(data.resolve("blocks"))) {
      for (Path file : (Iterable<Path>) all.filter(Files::isRegularFile)::iterator) {
        String[] times = file.getFileName().toString().replace(".block", "").split("-");
        long from = Math.max(Long.parseLong(times[0]), firstTime());
        samples += (double) (Long.parseLong(times[1]) - from) / TICK * GpuFleet.SERIES;
      }
    }
    return samples;
  }

  private void peer(String name) throws Exception {
    int port = LocalPorts.free(1).getFirst();
    Path data = Files.createTempDirectory(folder, name);
    URI address = URI.create("http://127.0.0.1:" + port);
    List<String> line = new ArrayList<>(List.of(PeerPrograms.program(name).toString()));
    if (name.equals("prometheus")) {
      Path config = Files.writeString(data.resolve("prometheus.yml"), "global: {}\n");
      line.add("--config.file=" + config);
      line.add("--storage.tsdb.path=" + data.resolve("data"));
      line.add("--web.listen-address=127.0.0.1:" + port);
      line.add("--web.enable-remote-write-receiver");
    } else {
      line.add("-storageDataPath=" + data.resolve("data"));
      line.add("-httpListenAddr=127.0.0.1:" + port);
    }
    Process process =
        new ProcessBuilder(line)
            .redirectErrorStream(true)
            .redirectOutput(data.resolve("log.txt").toFile())
            .start();
    try {
      awaitReady(address, process);
      run(name + ", remote write 1", process, new WriteSenders(address));
    } finally {
      process.destroy();
      if (!process.waitFor(20, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    }
  }

  private void run(String what, Process process, Senders senders) throws Exception {
    long first = firstTime();
    for (int tick = 0; tick < warmUp; tick += 60) {
      senders.send(senders.make(first, tick, Math.min(warmUp, tick + 60)));
    }
    double cpu = 0;
    double seconds = 0;
    for (int tick = warmUp; tick < warmUp + ticks; tick += 60) {
      List<List<Body>> bodies = senders.make(first, tick, Math.min(warmUp + ticks, tick + 60));
      double before = ProcessCost.of(process.pid()).cpuSeconds();
      long start = System.nanoTime();
      senders.send(bodies);
      seconds += (System.nanoTime() - start) / 1e9;
      cpu += ProcessCost.of(process.pid()).cpuSeconds() - before;
    }
    double samples = (double) hosts * GpuFleet.SERIES * ticks;
    out.printf(
        "%-34s %,12.0f %14.2f %10.0f%n",
        what,
        samples / seconds,
        cpu / samples * 1e6,
        ProcessCost.of(process.pid()).residentBytes() / 1048576.0);
    out.flush();
  }

  private long started = System.currentTimeMillis();

  private long firstTime() {
    return (started - (warmUp + ticks) * TICK) / TICK * TICK;
  }

  /** Makes bodies, and sends them on several connections, those of one sender in order. */
  private abstract class Senders {
    final GpuFleet fleet = new GpuFleet(hosts, 1);
    private int made;

    abstract List<List<Body>> make(long first, int from, int to);

    long samples() {
      return (long) made * hosts * GpuFleet.SERIES;
    }

    void count(int ticksMade) {
      made += ticksMade;
    }

    void send(List<List<Body>> bodies) throws Exception {
      try (ExecutorService threads = Executors.newFixedThreadPool(SENDERS)) {
        List<Future<?>> all = new ArrayList<>();
        for (List<Body> some : bodies) {
          all.add(
              threads.submit(
                  () -> {
                    for (Body body : some) {
                      post(body);
                    }
                    return null;
                  }));
        }
        for (Future<?> each : all) {
          each.get();
        }
      }
    }
  }

  private void post(Body body) throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(body.address)
            .POST(HttpRequest.BodyPublishers.ofByteArray(body.bytes));
    body.headers.forEach(request::header);
    for (int attempt = 0; ; attempt++) {
      HttpResponse<String> response =
          client.send(request.build(), HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() / 100 == 2) {
        return;
      }
      if (response.statusCode() / 100 != 5 || attempt > 100) {
        throw new IOException(
            body.address + " answers " + response.statusCode() + ": " + response.body());
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  private final class FrameSenders extends Senders {
    private final URI address;
    private final List<FrameEncoder> encoders = new ArrayList<>();

    FrameSenders(URI address) {
      this.address = address;
      for (String host : fleet.hosts()) {
        encoders.add(new FrameEncoder(host, 1 + encoders.size()));
      }
    }

    @Override
    List<List<Body>> make(long first, int from, int to) {
      List<List<Body>> bodies = new ArrayList<>();
      for (int i = 0; i < SENDERS; i++) {
        bodies.add(new ArrayList<>());
      }
      for (int tick = from; tick < to; tick++) {
        for (int host = 0; host < hosts; host++) {
          Tick readings = new Tick(first + tick * TICK, fleet.labels(host), fleet.next(host));
          bodies
              .get(host % SENDERS)
              .add(
                  new Body(
                      address.resolve(IntakeProtocol.path(fleet.hosts().get(host))),
                      Map.of(),
                      encoders.get(host).encode(readings)));
        }
      }
      count(to - from);
      return bodies;
    }
  }

  private final class WriteSenders extends Senders {
    private final URI address;

    WriteSenders(URI address) {
      this.address = address.resolve("/api/v1/write");
    }

    @Override
    List<List<Body>> make(long first, int from, int to) {
      List<List<Body>> bodies = new ArrayList<>();
      for (int i = 0; i < SENDERS; i++) {
        bodies.add(new ArrayList<>());
      }
      for (int tick = from; tick < to; tick++) {
        // A sender has the series of its hosts, as a sharded queue has; a batch has many hosts.
        for (int sender = 0; sender < SENDERS; sender++) {
          RemoteWriteBody body = RemoteWriteBody.v1();
          int size = 0;
          for (int host = sender; host < hosts; host += SENDERS) {
            double[] values = fleet.next(host);
            List<Labels> labels = fleet.labels(host);
            for (int i = 0; i < values.length; i++) {
              body.series(labels.get(i), first + tick * TICK, values[i]);
              if (++size == BATCH) {
                bodies.get(sender).add(body(body));
                body = RemoteWriteBody.v1();
                size = 0;
              }
            }
          }
          if (size > 0) {
            bodies.get(sender).add(body(body));
          }
        }
      }
      count(to - from);
      return bodies;
    }

    private Body body(RemoteWriteBody body) {
      return new Body(
          address,
          Map.of(
              "Content-Encoding", "snappy",
              "Content-Type", RemoteWriteBody.V1_TYPE,
              "X-Prometheus-Remote-Write-Version", "0.1.0"),
          body.compressed());
    }
  }

  private void awaitReady(URI address, Process process) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    String path = "/-/ready";
    while (true) {
      try {
        HttpResponse<String> response =
            client.send(
                HttpRequest.newBuilder(address.resolve(path)).build(),
                HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() == 200) {
          return;
        }
      } catch (IOException e) {
        // Not listening yet.
      }
      if (!process.isAlive() || System.nanoTime() > deadline) {
        throw new StartFailure(address + " does not become ready; see " + folder);
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  private Map<String, Double> metrics(URI address) throws Exception {
    String text =
        client
            .send(
                HttpRequest.newBuilder(address.resolve("/metrics")).build(),
                HttpResponse.BodyHandlers.ofString())
            .body();
    Map<String, Double> found = new java.util.HashMap<>();
    for (String line : text.split("\n")) {
      int space = line.lastIndexOf(' ');
      if (!line.startsWith("#") && space > 0) {
        found.put(line.substring(0, space), Double.valueOf(line.substring(space + 1)));
      }
    }
    return found;
  }

  private static double size(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return 0;
    }
    try (Stream<Path> all = Files.walk(folder)) {
      double bytes = 0;
      for (Path file : (Iterable<Path>) all.filter(Files::isRegularFile)::iterator) {
        bytes += Files.size(file);
      }
      return bytes;
    }
  }

  private static void remove(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }
}
