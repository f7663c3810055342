package io.fleetgauge.load.measure;

import io.fleetgauge.cluster.process.StartFailure;
import io.fleetgauge.load.fleet.ChildJvm;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.PeerPrograms;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.load.measure.Dashboard.Panel;
import io.fleetgauge.load.measure.Dashboard.Window;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeProtocol;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * What a fleet's dashboard costs: the same samples in gateways, Prometheus and VictoriaMetrics on
 * one machine, asked the same in turn. All figures are of one run; what counts are their ratios.
 * One file, because every measure asks the same systems, which are filled here.
 */
final class QueryLoad implements AutoCloseable {
  private static final long TICK = 15_000;
  private static final int GATEWAYS = 3;
  private static final int TICKS_AT_ONCE = 40;
  private static final int WARM_UP = 1_500;
  private static final String NO_STORE = "no-store";

  private final Path folder;
  private final PrintWriter out;
  private final int hosts;
  private final int rounds;
  private final GpuFleet fleet;
  private final List<int[]> picked = new ArrayList<>();

  static {
    // Every viewer keeps its connection.
    System.setProperty("http.maxConnections", "256");
  }

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

  /** For questions to a dashboard: six hours of what it shows. */
  static QueryLoad ofDashboard(Path folder, PrintWriter out, int hosts, int rounds) {
    return new QueryLoad(folder, out, hosts, rounds, 6 * 240 + 40, Dashboard.METRICS::contains);
  }

  /** For scrapes: the last minute of everything. */
  static QueryLoad ofEverything(Path folder, PrintWriter out, int hosts, int rounds) {
    return new QueryLoad(folder, out, hosts, rounds, 4, metric -> true);
  }

  private QueryLoad(
      Path folder, PrintWriter out, int hosts, int rounds, int ticks, Predicate<String> metrics) {
    this.ticks = ticks;
    this.first = System.currentTimeMillis() / TICK * TICK - (ticks + 3) * TICK;
    this.folder = folder;
    this.out = out;
    this.hosts = hosts;
    this.rounds = rounds;
    this.fleet = new GpuFleet(hosts, 1);
    for (int host = 0; host < hosts; host++) {
      List<Labels> labels = fleet.labels(host);
      picked.add(
          java.util.stream.IntStream.range(0, labels.size())
              .filter(i -> metrics.test(labels.get(i).metric()))
              .toArray());
      encoders.add(new FrameEncoder(fleet.hosts().get(host), 1 + host));
    }
  }

  void run() throws Exception {
    startOurs();
    startPeers();
    fill();
    out.printf("%n%d hosts, %d series, %d ticks of 15 s%n", hosts, series(), ticks);
    cold();
    warm();
    cpu();
    viewers();
    noisyTenant();
  }

  /** What a global Prometheus costs that scrapes the newest samples. */
  void federate() throws Exception {
    startOurs();
    startPeers();
    fill();
    out.printf("%n%d hosts, %d series%n%n", hosts, series());
    out.printf(
        "%-34s %10s %12s %12s %8s%n",
        "CPU of a scrape, ms", "lines", "ours", "prometheus", "ratio");
    for (String encoding : List.of("gzip", "identity")) {
      scrape("all series, " + encoding, "{Hostname!=\"\"}", encoding, true);
    }
    scrape("all reductions, gzip", "{__name__=~\".+:.+\"}", "gzip", false);
    scrape("all reductions, identity", "{__name__=~\".+:.+\"}", "identity", false);
    scrape(
        "by rack and tenant, gzip", "{__name__=~\"(rack|tenant|rack_tenant):.+\"}", "gzip", false);
  }

  private void scrape(String title, String selector, String encoding, boolean compared)
      throws Exception {
    String path = "/federate?match%5B%5D=" + URLEncoder.encode(selector, StandardCharsets.UTF_8);
    freshTick();
    double mine = scraped(query.resolve(path), encoding, this::ourCpu);
    freshTick();
    Process prometheus = peerProcesses.get("prometheus");
    double theirs =
        compared
            ? scraped(
                peers.get("prometheus").resolve(path),
                encoding,
                () -> ProcessCost.of(prometheus.pid()).cpuSeconds())
            : Double.NaN;
    out.printf("%-34s %10d %12.1f %12.1f %8.2f%n", title, lines(path), mine, theirs, theirs / mine);
    out.flush();
  }

  /** What is older than five minutes is not scraped any more. */
  private void freshTick() throws Exception {
    long now = System.currentTimeMillis() / 1_000 * 1_000;
    RemoteWriteBody body = RemoteWriteBody.v1();
    for (int host = 0; host < hosts; host++) {
      double[] values = pick(host, fleet.next(host));
      send(host, frame(host, now, values));
      for (int j = 0; j < values.length; j++) {
        body.series(fleet.labels(host).get(picked.get(host)[j]), now, values[j]);
      }
      if (host % 10 == 9 || host == hosts - 1) {
        for (URI peer : peers.values()) {
          write(peer, body.compressed());
        }
        body = RemoteWriteBody.v1();
      }
    }
  }

  private interface Cpu {
    double seconds() throws Exception;
  }

  /** CPU of one scrape, ms, when it has been scraped often. */
  private double scraped(URI scrape, String encoding, Cpu cpu) throws Exception {
    for (int i = 0; i < 4 * rounds; i++) {
      ask(scrape, "Accept-Encoding", encoding);
    }
    double before = cpu.seconds();
    for (int i = 0; i < rounds; i++) {
      ask(scrape, "Accept-Encoding", encoding);
    }
    return (cpu.seconds() - before) / rounds * 1_000;
  }

  private long lines(String path) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(query.resolve(path)).build();
    return client
        .send(request, HttpResponse.BodyHandlers.ofString())
        .body()
        .lines()
        .filter(line -> !line.startsWith("#"))
        .count();
  }

  private long series() {
    return picked.stream().mapToLong(each -> each.length).sum();
  }

  // --- the systems ---

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

  // --- the samples ---

  private void fill() throws Exception {
    for (int from = 0; from < ticks; from += TICKS_AT_ONCE) {
      List<RemoteWriteBody> bodies = new ArrayList<>();
      int count = Math.min(TICKS_AT_ONCE, ticks - from);
      double[][][] values = new double[hosts][count][];
      for (int host = 0; host < hosts; host++) {
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        for (int i = 0; i < count; i++) {
          values[host][i] = pick(host, fleet.next(host));
          frames.write(frame(host, first + (from + i) * TICK, values[host][i]));
        }
        send(host, frames.toByteArray());
        if (host % 10 == 0) {
          bodies.add(RemoteWriteBody.v1());
        }
        for (int j = 0; j < picked.get(host).length; j++) {
          long[] times = new long[count];
          double[] row = new double[count];
          for (int i = 0; i < count; i++) {
            times[i] = first + (from + i) * TICK;
            row[i] = values[host][i][j];
          }
          bodies.getLast().series(fleet.labels(host).get(picked.get(host)[j]), times, row);
        }
      }
      for (RemoteWriteBody body : bodies) {
        byte[] bytes = body.compressed();
        for (URI peer : peers.values()) {
          write(peer, bytes);
        }
      }
    }
    // Gateways reduce what has come within the next second; blocks are written by and by.
    TimeUnit.SECONDS.sleep(15);
  }

  private double[] pick(int host, double[] all) {
    return Arrays.stream(picked.get(host)).mapToDouble(i -> all[i]).toArray();
  }

  private byte[] frame(int host, long time, double[] values) {
    List<Labels> labels = new ArrayList<>();
    for (int i : picked.get(host)) {
      labels.add(fleet.labels(host).get(i));
    }
    return encoders.get(host).encode(new Tick(time, labels, values));
  }

  private void send(int host, byte[] frames) throws Exception {
    for (int attempt = 0; ; attempt++) {
      URI gateway = gateways.get((host + attempt) % gateways.size());
      HttpRequest request =
          HttpRequest.newBuilder(gateway.resolve(IntakeProtocol.path(fleet.hosts().get(host))))
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

  // --- the questions ---

  private long last() {
    return first + (ticks - 1) * TICK;
  }

  private URI question(URI server, String text, long end, Window window, String more) {
    long to = end / 1000 / window.step() * window.step();
    return server.resolve(
        "/api/v1/query_range?query="
            + URLEncoder.encode(text, StandardCharsets.UTF_8)
            + "&start="
            + (to - window.length())
            + "&end="
            + to
            + "&step="
            + window.step()
            + more);
  }

  /**
   * How long an answer takes, ms; fails unless there is one. The asking thread reads it itself:
   * what a client does beside would be counted as each system's.
   */
  private double ask(URI question, String... headers) throws Exception {
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

  private static double quantile(List<Double> values, double q) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    return sorted[(int) Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
  }

  private void cold() throws Exception {
    out.printf("%ncold, one client: p50 in ms (ratio: of the faster of the others to ours)%n");
    out.printf(
        "%-26s %-12s %8s %11s %9s %7s%n",
        "panel", "window", "ours", "prometheus", "victoria", "ratio");
    Map<String, List<Double>> all = new LinkedHashMap<>();
    warmUp();
    for (int round = -2; round < rounds; round++) {
      // The whole dashboard of one system and then of the next, as who looks at it would.
      rest();
      dashboard("ours", round, all, query, "", "Cache-Control", NO_STORE);
      for (var peer : peers.entrySet()) {
        rest();
        String more = peer.getKey().equals("prometheus") ? "" : "&nocache=1";
        dashboard(peer.getKey(), round, all, peer.getValue(), more);
      }
    }
    for (Window window : Dashboard.WINDOWS) {
      for (Panel panel : Dashboard.PANELS) {
        line(all, panel.title(), window.name(), window.name() + panel.title());
      }
    }
    line(all, "all", "", "");
    out.flush();
  }

  /** Until whoever was asked before has cleared up behind itself. */
  private static void rest() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(500);
  }

  private void dashboard(
      String name,
      int round,
      Map<String, List<Double>> all,
      URI server,
      String more,
      String... headers)
      throws Exception {
    for (Window window : Dashboard.WINDOWS) {
      for (Panel panel : Dashboard.PANELS) {
        double took = ask(question(server, panel.query(), last(), window, more), headers);
        if (round >= 0) {
          add(all, name + window.name() + panel.title(), took);
          add(all, name, took);
        }
      }
    }
  }

  /**
   * Lets the compilers of our processes see what they will run, until they rest: on two cores they
   * compete with it for long. Caches are passed by.
   */
  private void warmUp() throws Exception {
    for (int round = 0; round < WARM_UP; round++) {
      for (Window window : Dashboard.WINDOWS) {
        for (Panel panel : Dashboard.PANELS) {
          if (panel.rewritten() || round % 4 == 0) {
            ask(question(query, panel.query(), last(), window, ""), "Cache-Control", NO_STORE);
          }
        }
      }
    }
  }

  private static void add(Map<String, List<Double>> all, String key, double value) {
    all.computeIfAbsent(key, none -> new ArrayList<>()).add(value);
  }

  private void line(Map<String, List<Double>> all, String title, String window, String key) {
    double mine = quantile(all.get("ours" + key), 0.5);
    double prometheus = quantile(all.get("prometheus" + key), 0.5);
    double victoria = quantile(all.get("victoria-metrics" + key), 0.5);
    out.printf(
        "%-26s %-12s %8.2f %11.2f %9.2f %7.1f%n",
        title, window, mine, prometheus, victoria, Math.min(prometheus, victoria) / mine);
  }

  private void warm() throws Exception {
    List<Double> took = new ArrayList<>();
    for (int round = -rounds; round < rounds; round++) {
      for (Window window : Dashboard.WINDOWS) {
        for (Panel panel : Dashboard.PANELS) {
          double millis = ask(question(query, panel.query(), last(), window, ""));
          if (round >= 0) {
            took.add(millis);
          }
        }
      }
    }
    out.printf(
        "%nwarm, one client: p50 %.2f ms, p99 %.2f ms%n",
        quantile(took, 0.5), quantile(took, 0.99));
    out.flush();
  }

  private double ourCpu() throws IOException {
    double seconds = 0;
    for (Process process : ours) {
      seconds += ProcessCost.of(process.pid()).cpuSeconds();
    }
    return seconds;
  }

  private void cpu() throws Exception {
    out.printf("%nCPU of a rewritten query, of all our processes, in ms%n");
    List<Double> raw = new ArrayList<>();
    for (Window window : Dashboard.WINDOWS) {
      raw.add(cpuOfRewritten(window, 20, Math.max(4, rounds / 3), "X-Fleetgauge-Plan", "raw"));
    }
    for (Window window : Dashboard.WINDOWS) {
      double rewritten = cpuOfRewritten(window, WARM_UP / 3, 6 * rounds, "Cache-Control", NO_STORE);
      double mine = raw.removeFirst();
      out.printf(
          "  %-12s rewritten %.2f, raw %.1f: ratio %.0f%n",
          window.name(), rewritten, mine, mine / rewritten);
    }
    out.flush();
  }

  /** CPU of a query, ms, in the last of some rounds: what is new is compiled first. */
  private double cpuOfRewritten(Window window, int first, int times, String... headers)
      throws Exception {
    List<Panel> panels = Dashboard.PANELS.stream().filter(Panel::rewritten).toList();
    double before = 0;
    for (int round = 0; round < first + times; round++) {
      if (round == first) {
        before = ourCpu();
      }
      for (Panel panel : panels) {
        ask(question(query, panel.query(), last(), window, ""), headers);
      }
    }
    return (ourCpu() - before) / times / panels.size() * 1_000;
  }

  // --- many who look ---

  private void viewers() throws Exception {
    out.printf("%nviewers of the dashboard (1 h), refresh 5 s, all hosts sending%n");
    AtomicBoolean over = new AtomicBoolean();
    Thread sender = Thread.ofPlatform().name("ticks").start(() -> keepSending(over));
    try {
      TimeUnit.SECONDS.sleep(2);
      look(200, 15, new ArrayList<>()); // warms up
      List<Double> one = new ArrayList<>();
      double cpuOfOne = look(1, 20, one);
      List<Double> many = new ArrayList<>();
      double cpuOfMany = look(200, 20, many);
      out.printf(
          "  one: CPU %.2f s in 20 s; 200: %.2f s, ratio %.2f, p50 %.1f ms, p99 %.1f ms, %d"
              + " answers%n",
          cpuOfOne,
          cpuOfMany,
          cpuOfMany / cpuOfOne,
          quantile(many, 0.5),
          quantile(many, 0.99),
          many.size());
      out.flush();
    } finally {
      over.set(true);
      sender.join();
    }
  }

  /** A tick of every host in 15 s, spread over them. */
  private void keepSending(AtomicBoolean over) {
    try {
      long begin = System.currentTimeMillis();
      for (int sent = 0; !over.get(); sent++) {
        long due = begin + sent * TICK / hosts;
        long now = System.currentTimeMillis();
        if (due > now) {
          TimeUnit.MILLISECONDS.sleep(due - now);
        }
        int host = sent % hosts;
        send(host, frame(host, System.currentTimeMillis(), pick(host, fleet.next(host))));
      }
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** CPU seconds of all our processes while so many look for so long. */
  private double look(int count, int seconds, List<Double> took) throws Exception {
    double before = ourCpu();
    Window window = Dashboard.WINDOWS.getFirst();
    AtomicInteger failed = new AtomicInteger();
    CountDownLatch done = new CountDownLatch(count);
    for (int i = 0; i < count; i++) {
      long offset = i * 5_000L / count;
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  TimeUnit.MILLISECONDS.sleep(offset);
                  for (int refresh = 0; refresh < seconds / 5; refresh++) {
                    long begin = System.currentTimeMillis();
                    for (Panel panel : Dashboard.PANELS) {
                      double millis =
                          ask(
                              question(query, panel.query(), begin, window, ""),
                              // As Grafana does.
                              "Accept-Encoding",
                              "gzip");
                      synchronized (took) {
                        took.add(millis);
                      }
                    }
                    TimeUnit.MILLISECONDS.sleep(
                        Math.max(0, 5_000 - (System.currentTimeMillis() - begin)));
                  }
                } catch (Exception e) {
                  failed.incrementAndGet();
                } finally {
                  done.countDown();
                }
              });
    }
    done.await();
    if (failed.get() > 0) {
      throw new IOException(failed + " viewers got no answer");
    }
    return ourCpu() - before;
  }

  // --- one that asks too much ---

  private void noisyTenant() throws Exception {
    out.printf("%nfour tenants, and a fifth that asks ten times as much, without bounds%n");
    tenants(true, 30, new ArrayList<>()); // warms up
    List<Double> alone = new ArrayList<>();
    tenants(false, 15, alone);
    List<Double> beside = new ArrayList<>();
    List<Double> refusals = tenants(true, 15, beside);
    out.printf(
        "  p99 of the four: alone %.1f ms, beside %.1f ms, ratio %.2f (p50 %.1f and %.1f)%n",
        quantile(alone, 0.99),
        quantile(beside, 0.99),
        quantile(beside, 0.99) / quantile(alone, 0.99),
        quantile(alone, 0.5),
        quantile(beside, 0.5));
    if (!refusals.isEmpty()) {
      out.printf(
          "  %d refusals: p50 %.1f ms, p99 %.1f ms%n",
          refusals.size(), quantile(refusals, 0.5), quantile(refusals, 0.99));
    }
    out.flush();
  }

  private List<Double> tenants(boolean noisy, int seconds, List<Double> took) throws Exception {
    List<Double> refusals = new ArrayList<>();
    List<Thread> all = new ArrayList<>();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    for (int tenant = 0; tenant < 4; tenant++) {
      String name = "tenant-" + tenant;
      all.add(Thread.ofVirtual().start(() -> keepAsking(name, 20, end, took, refusals)));
    }
    if (noisy) {
      for (int i = 0; i < 10; i++) {
        all.add(Thread.ofVirtual().start(() -> keepAsking("noisy", 20, end, null, refusals)));
      }
    }
    for (Thread thread : all) {
      thread.join();
    }
    return refusals;
  }

  private void keepAsking(
      String tenant, int pauseMillis, long end, List<Double> took, List<Double> refusals) {
    int asked = tenant.hashCode() & 0xff;
    while (System.nanoTime() < end) {
      asked++;
      boolean unbounded = took == null && asked % 3 == 0;
      Panel panel = Dashboard.PANELS.get(asked % Dashboard.PANELS.size());
      Window window = Dashboard.WINDOWS.get(asked / 12 % 2);
      String text = unbounded ? "count(max_over_time({__name__=~\".+\"}[6h]))" : panel.query();
      HttpRequest request =
          HttpRequest.newBuilder(question(query, text, last(), window, ""))
              .headers("X-Scope-OrgID", tenant, "Cache-Control", NO_STORE)
              .build();
      try {
        long begin = System.nanoTime();
        int status = client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        double millis = (System.nanoTime() - begin) / 1e6;
        synchronized (refusals) {
          if (status == 429 || status == 503) {
            refusals.add(millis);
          } else if (took != null) {
            took.add(millis);
          }
        }
        TimeUnit.MILLISECONDS.sleep(pauseMillis);
      } catch (IOException | InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Override
  public void close() {
    children.reversed().forEach(Runnable::run);
    client.close();
  }
}
