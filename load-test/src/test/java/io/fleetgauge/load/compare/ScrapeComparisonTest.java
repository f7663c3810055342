package io.fleetgauge.load.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.PeerPrograms;
import io.fleetgauge.load.fleet.QueryClient;
import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.probe.sampling.NodeLabels;
import io.fleetgauge.probe.sampling.Sampler;
import io.fleetgauge.probe.sampling.TickSink;
import io.fleetgauge.probe.scrape.Scrapes;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.prometheus.Numbers;
import io.fleetgauge.sample.relabel.Relabelling;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The probe and the real Prometheus scrape the same pages, those of the real node_exporter too. */
@Tag("slow")
@ExtendWith(VertxExtension.class)
class ScrapeComparisonTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final long SEED = 20_261_124;
  private static final String TEXT = "text/plain; version=0.0.4";
  private static final String OPENMETRICS = "application/openmetrics-text; version=1.0.0";
  private static final String PIECES = "\"\\{}=,# \n\t\rn1eé😀_.+-Na09azTYPEHELP";
  private static final int DAMAGED = 1_200;
  private static final int TARGETS = 100;

  private record Page(String contentType, byte[] body) {}

  /** A job of both. */
  private record Job(String name, boolean honorLabels, boolean honorTimestamps, String rules) {}

  @TempDir private Path folder;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Map<String, Page> pages = new ConcurrentHashMap<>();
  private final List<Sampler> samplers = new ArrayList<>();
  private final List<Scrapes> scrapes = new ArrayList<>();
  private HttpServer server;
  private String target;

  @BeforeEach
  void serve() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
    target = "127.0.0.1:" + server.getAddress().getPort();
  }

  @AfterEach
  void stop() {
    samplers.forEach(Sampler::close);
    scrapes.forEach(Scrapes::close);
    server.stop(0);
    threads.shutdownNow();
  }

  private void answer(HttpExchange http) throws IOException {
    Page page = pages.get(http.getRequestURI().getPath().substring(1));
    if (page == null) {
      http.sendResponseHeaders(404, -1);
    } else {
      http.getResponseHeaders().set("Content-Type", page.contentType());
      http.sendResponseHeaders(200, page.body().length == 0 ? -1 : page.body().length);
      http.getResponseBody().write(page.body());
    }
    http.close();
  }

  /** Ours, of at most {@link #TARGETS} jobs. */
  private Sampler probe(Vertx vertx, List<Job> jobs) throws Exception {
    Map<String, Object> sections = new LinkedHashMap<>();
    for (Job job : jobs) {
      Map<String, Object> section = new LinkedHashMap<>();
      section.put("url", "http://" + target + "/" + job.name());
      section.put("instance", target);
      section.put("honorLabels", job.honorLabels());
      section.put("honorTimestamps", job.honorTimestamps());
      section.put("metricRelabel", JSON.readTree(job.rules()));
      sections.put(job.name(), section);
    }
    ProbeConfig config =
        ProbeConfig.read(
            "f", "{hostname: n1, tick: 1m, scrape: " + JSON.writeValueAsString(sections) + "}");
    Scrapes all = new Scrapes(vertx, config.scrape(), "n1", Duration.ofMinutes(1));
    scrapes.add(all);
    all.start();
    Sampler sampler =
        new Sampler(
            List.copyOf(all.readers()),
            new NodeLabels(Labels.EMPTY, Relabelling.NONE),
            () -> GpuOwners.NONE,
            "probe",
            Duration.ofMinutes(1),
            () -> 0,
            TickSink.NONE);
    samplers.add(sampler);
    return sampler;
  }

  private PrometheusServer prometheus(List<Job> jobs, int port) throws Exception {
    StringBuilder config = new StringBuilder("global: {scrape_interval: 1s}\nscrape_configs:\n");
    for (Job job : jobs) {
      config
          .append("- job_name: " + job.name() + "\n  metrics_path: /" + job.name())
          .append("\n  honor_labels: " + job.honorLabels())
          .append("\n  honor_timestamps: " + job.honorTimestamps())
          .append("\n  metric_relabel_configs: " + job.rules())
          .append("\n  static_configs: [{targets: ['" + target + "']}]\n");
    }
    Files.writeString(folder.resolve("prometheus.yml"), config);
    return PrometheusServer.of(folder, port);
  }

  /**
   * Series that are left out: durations, and those that are new when one begins later than the
   * other.
   */
  private static boolean isCompared(String metric) {
    return !metric.equals("scrape_duration_seconds")
        && !metric.equals("scrape_series_added")
        && !metric.startsWith("probe_");
  }

  private static void add(Map<Labels, String> to, Tick tick) {
    for (int i = 0; i < tick.size(); i++) {
      Labels labels = tick.series().get(i);
      if (Staleness.isMarker(tick.values()[i])) {
        to.remove(labels);
      } else if (isCompared(labels.metric()) && !labels.value("job").equals("probe")) {
        to.put(labels, Numbers.text(tick.values()[i]));
      }
    }
  }

  private static TreeMap<Labels, String> theirs(QueryClient client, String query) throws Exception {
    TreeMap<Labels, String> values = new TreeMap<>();
    for (JsonNode each : client.query(query).path("data").path("result")) {
      Map<String, String> labels = new TreeMap<>();
      each.path("metric").properties().forEach(l -> labels.put(l.getKey(), l.getValue().asText()));
      if (isCompared(labels.get("__name__"))) {
        values.put(Labels.of(labels), each.path("value").path(1).asText());
      }
    }
    return values;
  }

  private static byte[] page(int port, String path, String accept) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("Accept", accept)
                .build(),
            HttpResponse.BodyHandlers.ofByteArray())
        .body();
  }

  /** Pages of node_exporter and Prometheus in both formats, and one of a GPU exporter. */
  private Map<String, Page> realPages() throws Exception {
    Map<String, Page> real = new LinkedHashMap<>();
    int port = LocalPorts.free(1).getFirst();
    Process exporter =
        new ProcessBuilder(
                PeerPrograms.program("prometheus-node-exporter").toString(),
                "--web.listen-address=127.0.0.1:" + port)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("exporter.log").toFile())
            .start();
    try {
      await()
          .atMost(SOON)
          .ignoreExceptions()
          .until(() -> page(port, "/metrics", TEXT).length > 10_000);
      real.put("node_text", new Page(TEXT, page(port, "/metrics", TEXT)));
      real.put("node_om", new Page(OPENMETRICS, page(port, "/metrics", OPENMETRICS)));
    } finally {
      exporter.destroy();
      exporter.onExit().join();
    }
    Path home = Files.createDirectories(folder.resolve("served"));
    try (PrometheusServer own = new PrometheusServer(home, java.util.Set.of())) {
      int at = own.address().getPort();
      real.put("prometheus_text", new Page(TEXT, page(at, "/metrics", TEXT)));
      real.put("prometheus_om", new Page(OPENMETRICS, page(at, "/metrics", OPENMETRICS)));
    }
    real.put("gpu", new Page(TEXT, GPU.getBytes(StandardCharsets.UTF_8)));
    return real;
  }

  private static final String GPU =
      """
      # HELP DCGM_FI_DEV_GPU_UTIL GPU utilization (in %).
      # TYPE DCGM_FI_DEV_GPU_UTIL gauge
      DCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="GPU-0",Hostname="n1",namespace="ml",pod="p",job="own"} 98
      DCGM_FI_DEV_GPU_UTIL{gpu="1",UUID="GPU-1",Hostname="n1",namespace="",pod="",instance=""} 0
      DCGM_FI_DEV_GPU_UTIL{gpu="1",UUID="GPU-1",Hostname="n1",namespace="",pod="",instance=""} 7
      # TYPE DCGM_FI_DEV_POWER_USAGE gauge
      DCGM_FI_DEV_POWER_USAGE{gpu="0",exported_job="x",job="y",instance="z"} 693.417000
      # TYPE h histogram
      h_bucket{le="1"} 4
      h_bucket{le="1000000"} 4
      h_bucket{le="+Inf"} 4
      # TYPE s summary
      s{quantile="0.50"} -1.5e-7
        blanks{a="b"} 1
      spaced { a = "b" c="d" , } 0x
      """
          .replace("spaced { a = \"b\" c=\"d\" , } 0x", "spaced { a = \"b\" c=\"d\" , } -0");

  @Test
  void ofRealPagesTheSameSeriesComeWithTheSameValuesAndTheyEndAlike(Vertx vertx) throws Exception {
    Map<String, Page> real = realPages();
    List<Job> jobs = new ArrayList<>();
    String rules =
        "[{\"action\":\"drop\",\"source_labels\":[\"__name__\"],\"regex\":\"go_.*|.*_bucket\"},"
            + "{\"source_labels\":[\"device\",\"gpu\"],\"regex\":\"(.*);(.*)\","
            + "\"target_label\":\"part\",\"replacement\":\"${1}-$2\"},"
            + "{\"action\":\"labeldrop\",\"regex\":\"UUID|exported_.*\"}]";
    for (String name : real.keySet()) {
      for (boolean honor : new boolean[] {false, true}) {
        for (String with : List.of("[]", rules)) {
          String job = name + (honor ? "_honor" : "") + (with.equals("[]") ? "" : "_rules");
          jobs.add(new Job(job, honor, true, with));
          pages.put(job, real.get(name));
        }
      }
    }
    int port = LocalPorts.free(1).getFirst();
    Sampler sampler = probe(vertx, jobs);
    TreeMap<Labels, String> ours = new TreeMap<>();
    try (PrometheusServer _ = prometheus(jobs, port)) {
      QueryClient client = new QueryClient(port);
      add(ours, sampler.readAt(60_000));
      assertThat(ours).hasSizeGreaterThan(3_000);
      await().atMost(SOON).untilAsserted(() -> same(theirs(client, "{__name__!=\"\"}"), ours));
      // Half of the lines go, then one page is damaged, one is away, and at last all are.
      for (String job : new TreeSet<>(pages.keySet())) {
        pages.compute(job, (name, page) -> new Page(page.contentType(), half(page.body())));
      }
      pages.remove("gpu");
      pages.put("gpu_honor", new Page(TEXT, "a 1\nb\n".getBytes(StandardCharsets.UTF_8)));
      int before = ours.size();
      add(ours, sampler.readAt(120_000));
      assertThat(ours.size()).isBetween(before / 3, 2 * before / 3);
      await().atMost(SOON).untilAsserted(() -> same(theirs(client, "{__name__!=\"\"}"), ours));
      server.stop(0);
      add(ours, sampler.readAt(180_000));
      assertThat(ours).as("only what is known of the targets").hasSize(3 * jobs.size());
      await().atMost(SOON).untilAsserted(() -> same(theirs(client, "{__name__!=\"\"}"), ours));
    }
  }

  private static byte[] half(byte[] page) {
    StringBuilder half = new StringBuilder();
    int number = 0;
    for (String line : new String(page, StandardCharsets.UTF_8).split("\n")) {
      if (line.startsWith("#") || ++number % 2 == 0) {
        half.append(line).append('\n');
      }
    }
    return half.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static void same(Map<Labels, String> theirs, Map<Labels, String> ours) {
    List<String> different = new ArrayList<>();
    theirs.forEach(
        (labels, value) -> {
          if (!value.equals(ours.get(labels))) {
            different.add(labels + ": theirs " + value + ", ours " + ours.get(labels));
          }
        });
    ours.forEach(
        (labels, value) -> {
          if (!theirs.containsKey(labels)) {
            different.add(labels + ": only ours, " + value);
          }
        });
    assertThat(different).isEmpty();
  }

  @Test
  void aDamagedPageIsRefusedExactlyIfPrometheusRefusesItAndHasTheSameValuesOtherwise(Vertx vertx)
      throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    List<Page> seeds = new ArrayList<>();
    for (Page page : realPages().values()) {
      // A page may not say that it is of another node; Prometheus knows no such rule.
      String plain = new String(page.body(), StandardCharsets.UTF_8).replace("Hostname", "host");
      String[] lines = plain.split("\n");
      boolean strict = page.contentType().equals(OPENMETRICS);
      for (int i = 0; i < 6; i++) {
        int from = random.nextInt(Math.max(1, lines.length - 15));
        String part =
            String.join("\n", Arrays.copyOfRange(lines, from, Math.min(lines.length, from + 15)));
        part = strict ? part.replace("# EOF", "a 1") + "\n# EOF\n" : part + "\n";
        seeds.add(new Page(page.contentType(), part.getBytes(StandardCharsets.UTF_8)));
      }
    }
    String exemplars =
        """
        # TYPE foo_seconds counter
        # UNIT foo_seconds seconds
        # HELP foo_seconds Some \\"help\\".
        foo_seconds_total{a="b"} 17.0 1.5 # {id="x",span="y"} 0.67 1520879607.1
        foo_seconds_created{a="b"} 1520430000.123
        # TYPE bar histogram
        bar_bucket{le="10"} 5 # {} 1
        {"a.b",c="d\\n",} +Inf
        # EOF
        """;
    for (int i = 0; i < 10; i++) {
      seeds.add(new Page(OPENMETRICS, exemplars.getBytes(StandardCharsets.UTF_8)));
    }
    List<Job> jobs = new ArrayList<>();
    for (int i = 0; i < DAMAGED; i++) {
      Page seed = seeds.get(i % seeds.size());
      jobs.add(new Job("d" + i, i % 3 == 0, false, "[]"));
      pages.put("d" + i, new Page(seed.contentType(), damaged(seed.body(), random)));
    }
    TreeMap<Labels, String> ours = new TreeMap<>();
    for (int from = 0; from < DAMAGED; from += TARGETS) {
      add(ours, probe(vertx, jobs.subList(from, from + TARGETS)).readAt(60_000));
    }
    long up =
        ours.entrySet().stream()
            .filter(each -> each.getKey().metric().equals("up") && each.getValue().equals("1"))
            .count();
    assertThat(up).isBetween(DAMAGED / 5L, DAMAGED * 4L / 5);
    int port = LocalPorts.free(1).getFirst();
    try (PrometheusServer _ = prometheus(jobs, port)) {
      QueryClient client = new QueryClient(port);
      await()
          .atMost(Duration.ofMinutes(10))
          .untilAsserted(
              () -> {
                TreeMap<Labels, String> theirs = theirs(client, "{__name__!=\"\"}");
                Map<String, String> told = new TreeMap<>();
                List.of(theirs, ours)
                    .forEach(
                        side ->
                            side.forEach(
                                (labels, value) -> {
                                  String job = labels.value("job");
                                  if (labels.metric().equals("up") && pages.containsKey(job)) {
                                    told.merge(job, value, (a, b) -> a.equals(b) ? a : a + b);
                                  }
                                }));
                List<String> unlike = new ArrayList<>();
                told.forEach(
                    (job, both) -> {
                      if (both.length() > 1) {
                        unlike.add(
                            both + " " + new String(pages.get(job).body(), StandardCharsets.UTF_8));
                      }
                    });
                assertThat(unlike).as("Prometheus's up, ours").isEmpty();
                same(theirs, ours);
              });
    }
  }

  private static byte[] damaged(byte[] page, SplittableRandom random) {
    byte[] damaged = page.clone();
    for (int hits = 1 + random.nextInt(2); hits > 0 && damaged.length > 1; hits--) {
      int at = random.nextInt(damaged.length);
      byte[] piece =
          PIECES.substring(random.nextInt(PIECES.length() - 1)).getBytes(StandardCharsets.UTF_8);
      switch (random.nextInt(6)) {
        case 0 -> damaged[at] = (byte) (1 + random.nextInt(255));
        case 1, 2 -> damaged[at] = piece[0];
        case 3 -> damaged = random.nextInt(4) == 0 ? Arrays.copyOf(damaged, at + 1) : damaged;
        case 4 -> damaged = joined(damaged, at, Arrays.copyOf(piece, 1), at);
        default -> damaged = joined(damaged, at, new byte[0], Math.min(damaged.length, at + 1));
      }
    }
    return damaged;
  }

  private static byte[] joined(byte[] page, int to, byte[] with, int from) {
    byte[] all = new byte[to + with.length + page.length - from];
    System.arraycopy(page, 0, all, 0, to);
    System.arraycopy(with, 0, all, to, with.length);
    System.arraycopy(page, from, all, to + with.length, page.length - from);
    return all;
  }

  @Test
  void timestampsOfThePageAreTakenAsPrometheusTakesThem(Vertx vertx) throws Exception {
    long now = System.currentTimeMillis();
    StringBuilder page = new StringBuilder("plain 1\n");
    page.append("a 1 " + (now - 20_000) + "\nb{x=\"y\"} 2 " + (now - 20_000) + "\n");
    page.append("a 2 " + (now - 10_000) + "\na 3 " + (now - 15_000) + "\n");
    page.append("far 1 " + (now + 3_600_000) + "\n");
    pages.put("dated", new Page(TEXT, page.toString().getBytes(StandardCharsets.UTF_8)));
    String strict = "# TYPE o gauge\no 1 " + (now - 12_345) / 1000.0 + "\n# EOF\n";
    pages.put("strict", new Page(OPENMETRICS, strict.getBytes(StandardCharsets.UTF_8)));
    List<Job> jobs =
        List.of(new Job("dated", false, true, "[]"), new Job("strict", false, true, "[]"));
    Sampler sampler = probe(vertx, jobs);
    TreeSet<String> ours = new TreeSet<>();
    sampler.readAt(now);
    for (Tick tick : sampler.dated()) {
      for (int i = 0; i < tick.size(); i++) {
        ours.add(tick.series().get(i) + " " + Numbers.text(tick.values()[i]) + " " + tick.time());
      }
    }
    assertThat(ours).hasSize(4);
    int port = LocalPorts.free(1).getFirst();
    try (PrometheusServer _ = prometheus(jobs, port)) {
      QueryClient client = new QueryClient(port);
      await()
          .atMost(SOON)
          .untilAsserted(
              () -> {
                TreeSet<String> theirs = new TreeSet<>();
                JsonNode result = client.query("{__name__=~\"a|b|o|far\"}[5m]").at("/data/result");
                for (JsonNode series : result) {
                  Map<String, String> labels = new TreeMap<>();
                  series
                      .path("metric")
                      .properties()
                      .forEach(l -> labels.put(l.getKey(), l.getValue().asText()));
                  for (JsonNode sample : series.path("values")) {
                    theirs.add(
                        Labels.of(labels)
                            + " "
                            + sample.path(1).asText()
                            + " "
                            + Math.round(sample.path(0).asDouble() * 1000));
                  }
                }
                assertThat(theirs).isEqualTo(ours);
              });
    }
  }
}
