package io.fleetgauge.probe.scrape;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.probe.sampling.NodeLabels;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Sampler;
import io.fleetgauge.probe.sampling.TickSink;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.relabel.Relabelling;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.GZIPOutputStream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Targets over HTTP; ticks are played. */
@ExtendWith(VertxExtension.class)
class ScrapesTest {
  private static final long TICK = 60_000;
  private static final long START = 1_760_000_040_000L;
  private static final String TEXT = "text/plain; version=0.0.4";

  @TempDir private Path folder;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private HttpServer server;
  private String scheme = "http";
  private volatile String page = "";
  private volatile String contentType = TEXT;
  private volatile int status = 200;
  private volatile boolean packed;
  private volatile CountDownLatch held = new CountDownLatch(0);
  private volatile com.sun.net.httpserver.Headers asked;
  private Sampler sampler;
  private Scrapes scrapes;

  @BeforeEach
  void serve() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/metrics", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    held.countDown();
    sampler.close();
    scrapes.close();
    server.stop(0);
    threads.shutdownNow();
  }

  private void answer(HttpExchange http) throws IOException {
    asked = http.getRequestHeaders();
    try {
      held.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
    byte[] body = page.getBytes(StandardCharsets.UTF_8);
    if (packed) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
        gzip.write(body);
      }
      body = out.toByteArray();
      http.getResponseHeaders().set("Content-Encoding", "gzip");
    }
    if (!contentType.isEmpty()) {
      http.getResponseHeaders().set("Content-Type", contentType);
    }
    http.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    http.getResponseBody().write(body);
    http.close();
  }

  private void scrape(Vertx vertx, String keys) throws Exception {
    ProbeConfig config =
        ProbeConfig.read(
            "f",
            "{hostname: n1, instance: i1, tick: 1m, scrape: {t: {url: '%s://127.0.0.1:%d', job: j, instance: i%s}}}"
                .formatted(scheme, server.getAddress().getPort(), keys));
    scrapes = new Scrapes(vertx, config.scrape(), "n1", Duration.ofMillis(TICK));
    scrapes.start();
    List<Reader> readers = scrapes.readers();
    sampler =
        new Sampler(
            readers,
            new NodeLabels(Labels.of("Hostname", "n1", "instance", "i1"), Relabelling.NONE),
            () -> GpuOwners.NONE,
            "probe",
            Duration.ofMillis(TICK),
            () -> 0,
            TickSink.NONE);
  }

  /** What a tick says of the target; null where a series ends. */
  private TreeMap<String, Double> tick(int number) throws InterruptedException {
    return values(sampler.readAt(START + number * TICK));
  }

  private static TreeMap<String, Double> values(Tick tick) {
    TreeMap<String, Double> values = new TreeMap<>();
    for (int i = 0; i < tick.size(); i++) {
      Labels labels = tick.series().get(i);
      String metric = labels.metric();
      if (labels.value("job").equals("probe")
          || metric.startsWith("probe_")
          || metric.equals("scrape_duration_seconds")) {
        continue;
      }
      assertThat(labels.value("Hostname")).isEqualTo("n1");
      double value = tick.values()[i];
      values.put(labels.without("Hostname").toString(), Staleness.isMarker(value) ? null : value);
    }
    return values;
  }

  private static Map<String, Double> about(int up, int scraped, int kept, int added) {
    TreeMap<String, Double> about = new TreeMap<>();
    String target = "{instance=\"i\", job=\"j\"}";
    about.put("up" + target, (double) up);
    about.put("scrape_samples_scraped" + target, (double) scraped);
    about.put("scrape_samples_post_metric_relabeling" + target, (double) kept);
    about.put("scrape_series_added" + target, (double) added);
    return about;
  }

  private static TreeMap<String, Double> with(Map<String, Double> about, Object... samples) {
    TreeMap<String, Double> all = new TreeMap<>(about);
    for (int i = 0; i < samples.length; i += 2) {
      all.put((String) samples[i], (Double) samples[i + 1]);
    }
    return all;
  }

  private String metrics() {
    Meters meters = new Meters("fleetgauge_probe");
    scrapes.declare(meters);
    return new String(meters.exposition(), StandardCharsets.UTF_8);
  }

  private static String failures(String reason) {
    return "fleetgauge_probe_scrape_failures_total{reason=\"" + reason + "\",target=\"t\"} 1.0";
  }

  @Test
  void aSeriesThatLeavesThePageEndsAndAFailedScrapeEndsThemAll(Vertx vertx) throws Exception {
    scrape(vertx, "");
    page = "a 1\nb{x=\"y\"} 2\n";
    String a = "a{instance=\"i\", job=\"j\"}";
    String b = "b{instance=\"i\", job=\"j\", x=\"y\"}";
    assertThat(tick(0)).isEqualTo(with(about(1, 2, 2, 2), a, 1.0, b, 2.0));
    page = "a 3\n";
    assertThat(tick(1)).isEqualTo(with(about(1, 1, 1, 0), a, 3.0, b, null));
    status = 500;
    assertThat(tick(2)).isEqualTo(with(about(0, 0, 0, 0), a, null));
    assertThat(tick(3)).isEqualTo(about(0, 0, 0, 0));
    status = 200;
    page = "a 4\nc\n";
    assertThat(tick(4)).as("an error is on it").isEqualTo(about(0, 1, 1, 0));
    page = "a 4\n";
    assertThat(tick(5)).as("what was known is not new").isEqualTo(with(about(1, 1, 1, 0), a, 4.0));
    server.stop(0);
    assertThat(tick(6)).isEqualTo(with(about(0, 0, 0, 0), a, null));
    assertThat(metrics())
        .contains(failures("status").replace("1.0", "2.0"))
        .contains(failures("page"))
        .contains(failures("connection"));
  }

  @Test
  void labelsOfThePageAreRenamedOrHonoredAndNoneNamesAnotherNode(Vertx vertx) throws Exception {
    scrape(vertx, "");
    page =
        "a{job=\"own\",instance=\"\",exported_job=\"e\"} 1\n"
            + "b{Hostname=\"n1\",x=\"1\"} 2\n"
            + "c{Hostname=\"n2\",x=\"1\"} 3\n";
    assertThat(tick(0))
        .isEqualTo(
            with(
                about(1, 3, 3, 3),
                "a{exported_exported_job=\"own\", exported_job=\"e\", instance=\"i\", job=\"j\"}",
                1.0,
                "b{instance=\"i\", job=\"j\", x=\"1\"}",
                2.0,
                "c{exported_Hostname=\"n2\", instance=\"i\", job=\"j\", x=\"1\"}",
                3.0));
    stopReading();
    scrape(vertx, ", honorLabels: true");
    assertThat(tick(1))
        .isEqualTo(
            with(
                about(1, 3, 3, 3),
                "a{exported_job=\"e\", instance=\"i1\", job=\"own\"}",
                1.0,
                "b{instance=\"i\", job=\"j\", x=\"1\"}",
                2.0,
                "c{exported_Hostname=\"n2\", instance=\"i\", job=\"j\", x=\"1\"}",
                3.0));
  }

  private void stopReading() {
    sampler.close();
    scrapes.close();
  }

  @Test
  void samplesAreRelabelledAndThoseThatAreDroppedAreNotKept(Vertx vertx) throws Exception {
    scrape(
        vertx,
        ", metricRelabel: [{action: drop, source_labels: [__name__], regex: go_.*}, {target_label:"
            + " kind, replacement: '${1}', source_labels: [__name__], regex: '(.).*'}]");
    page = "go_x 1\na 2\n";
    for (int i = 0; i < 3; i++) {
      assertThat(tick(i))
          .isEqualTo(
              with(
                  about(1, 2, 1, i == 0 ? 1 : 0), "a{instance=\"i\", job=\"j\", kind=\"a\"}", 2.0));
    }
  }

  @Test
  void timestampsOfThePageMakeTicksOfTheirOwnWithoutMarkers(Vertx vertx) throws Exception {
    scrape(vertx, "");
    long time = START - 5_000;
    String a = "a{instance=\"i\", job=\"j\"}";
    page = "a 1 " + time + "\nb 2\nold 1 " + (START - 3_700_000) + "\nfar 1 " + (START + 700_000);
    assertThat(tick(0)).isEqualTo(with(about(1, 4, 4, 2), "b{instance=\"i\", job=\"j\"}", 2.0));
    List<Tick> dated = sampler.dated();
    assertThat(dated).hasSize(1);
    assertThat(dated.getFirst().time()).isEqualTo(time);
    assertThat(values(dated.getFirst())).isEqualTo(Map.of(a, 1.0));
    page = "a 1 " + time + "\nb 2\n";
    tick(1);
    assertThat(sampler.dated()).as("it is known").isEmpty();
    page = "a 2 " + time + "\na 3 " + (time - 1) + "\na 4 " + (time + 1) + "\n";
    assertThat(tick(2)).containsEntry("b{instance=\"i\", job=\"j\"}", null);
    assertThat(sampler.dated()).hasSize(1);
    page = "";
    assertThat(tick(3)).as("no marker for it").isEqualTo(about(1, 0, 0, 0));
    assertThat(metrics())
        .contains("refused_total{reason=\"out_of_bounds\",target=\"t\"} 2.0")
        .contains("refused_total{reason=\"duplicate\",target=\"t\"} 1.0")
        .contains("refused_total{reason=\"out_of_order\",target=\"t\"} 1.0");
    stopReading();
    scrape(vertx, ", honorTimestamps: false");
    page = "a 1 " + time;
    assertThat(tick(4)).containsEntry(a, 1.0);
    assertThat(sampler.dated()).isEmpty();
  }

  @Test
  void aPageMayBePackedAndSecretsAreSentAndReadAgain(Vertx vertx) throws Exception {
    Path user = Files.writeString(folder.resolve("user"), "u:a b\n");
    scrape(vertx, ", userFile: " + user);
    page = "a 1\n".repeat(20_000) + "b 2\n";
    packed = true;
    assertThat(tick(0)).containsAllEntriesOf(about(1, 20_001, 20_001, 2));
    assertThat(asked.getFirst("Authorization")).isEqualTo("Basic dTphIGI=");
    assertThat(asked.getFirst("Accept-Encoding")).isEqualTo("gzip");
    assertThat(asked.getFirst("X-Prometheus-Scrape-Timeout-Seconds")).isEqualTo("10.0");
    Files.writeString(user, "u:c");
    scrapes.look();
    tick(1);
    assertThat(asked.getFirst("Authorization")).isEqualTo("Basic dTpj");
    packed = false;
    stopReading();
    Path token = Files.writeString(folder.resolve("token"), "short");
    scrape(vertx, ", tokenFile: " + token);
    tick(2);
    assertThat(asked.getFirst("Authorization")).isEqualTo("Bearer short");
    Files.writeString(token, "");
    assertThatThrownBy(() -> scrape(vertx, ", tokenFile: " + token))
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("scrape.t.tokenFile");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "maxSamples: 2|a 1;b 2;c 3|sample_limit",
        "maxLabels: 3|a{x='1'} 1|label_limit",
        "maxLabelName: 7|a 1|label_limit",
        "maxLabelValue: 2|a{x='éé'} 1|label_limit",
        "maxBody: 1KiB|LONG|body_limit"
      })
  void aPageBeyondALimitIsAFailedScrape(String key, String text, String reason, Vertx vertx)
      throws Exception {
    scrape(vertx, ", " + key);
    page =
        text.replace(';', '\n').replace('\'', '"').replace("LONG", "# " + "x".repeat(1_022)) + "\n";
    assertThat(tick(0)).containsEntry("up{instance=\"i\", job=\"j\"}", 0.0);
    assertThat(metrics()).contains(failures(reason));
    packed = true;
    assertThat(tick(1)).containsEntry("up{instance=\"i\", job=\"j\"}", 0.0);
  }

  @Test
  void aPageAsLargeAsItsLimitsIsRead(Vertx vertx) throws Exception {
    scrape(
        vertx, ", maxSamples: 2, maxLabels: 4, maxLabelName: 8, maxLabelValue: 4, maxBody: 1KiB");
    page = "a{x=\"éé\"} 1\nb 2\n";
    page += "#" + "x".repeat(1_021 - page.getBytes(StandardCharsets.UTF_8).length) + "\n";
    assertThat(tick(0)).containsAllEntriesOf(about(1, 2, 2, 2));
  }

  @Test
  void aPageWithoutAKnownTypeNeedsAFallback(Vertx vertx) throws Exception {
    scrape(vertx, "");
    page = "a 1\n";
    contentType = "";
    assertThat(tick(0)).isEqualTo(about(0, 0, 0, 0));
    page = "";
    assertThat(tick(1)).as("nothing needs no type").isEqualTo(about(1, 0, 0, 0));
    assertThat(metrics()).contains(failures("content_type"));
    stopReading();
    scrape(vertx, ", fallbackFormat: openmetrics");
    page = "# TYPE a counter\n# HELP a Some help.\na_total 1\n# EOF\n";
    contentType = "text/html";
    assertThat(tick(2)).containsEntry("a_total{instance=\"i\", job=\"j\"}", 1.0);
    assertThat(scrapes.families().get("a_total").type()).isEqualTo("counter");
    assertThat(scrapes.families().get("a_total").help()).isEqualTo("Some help.");
  }

  @Test
  void anExporterThatIsSlowIsReadAtALaterTickAndOneThatHangsFails(Vertx vertx) throws Exception {
    ProbeConfig config =
        ProbeConfig.read(
            "f",
            "{tick: 1s, scrape: {t: {url: 'http://127.0.0.1:%d', job: j, instance: i, interval: 1m, timeout: 5s}}}"
                .formatted(server.getAddress().getPort()));
    scrapes = new Scrapes(vertx, config.scrape(), "n1", Duration.ofSeconds(1));
    scrapes.start();
    sampler =
        new Sampler(
            List.copyOf(scrapes.readers()),
            new NodeLabels(Labels.of("Hostname", "n1"), Relabelling.NONE),
            () -> GpuOwners.NONE,
            "probe",
            Duration.ofSeconds(1),
            () -> 0,
            TickSink.NONE);
    page = "a 1\n";
    held = new CountDownLatch(1);
    assertThat(values(sampler.readAt(START))).as("nothing is known yet").isEmpty();
    assertThat(values(sampler.readAt(START + 1_000))).isEmpty();
    held.countDown();
    await()
        .atMost(Duration.ofMinutes(10))
        .until(() -> !values(sampler.readAt(START + 2_000)).isEmpty());
    assertThat(values(sampler.readAt(START + 3_000))).as("not due").isEmpty();
    held = new CountDownLatch(1);
    List<TreeMap<String, Double>> ticks = new ArrayList<>();
    await()
        .atMost(Duration.ofMinutes(10))
        .until(
            () -> {
              ticks.add(values(sampler.readAt(START + TICK + 1_000 * ticks.size())));
              return !ticks.getLast().isEmpty();
            });
    assertThat(ticks.getLast())
        .isEqualTo(with(about(0, 0, 0, 0), "a{instance=\"i\", job=\"j\"}", null));
    assertThat(metrics()).contains(failures("timeout"));
  }

  private static void keytool(String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
  }

  @Test
  void overTlsAnExporterIsReadIfItsCertificateIsTrustedOrNotLookedAt(Vertx vertx) throws Exception {
    Path store = folder.resolve("store");
    Path ca = folder.resolve("ca.pem");
    String subject = "-genkeypair -alias a -keyalg EC -dname CN=x -ext san=ip:127.0.0.1";
    List<String> arguments = new ArrayList<>(List.of(subject.split(" ")));
    arguments.addAll(List.of("-keystore", store.toString(), "-storepass", "secret"));
    keytool(arguments.toArray(String[]::new));
    keytool(
        "-exportcert",
        "-rfc",
        "-alias",
        "a",
        "-keystore",
        store.toString(),
        "-storepass",
        "secret",
        "-file",
        ca.toString());
    KeyStore keys = KeyStore.getInstance(store.toFile(), "secret".toCharArray());
    KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
    factory.init(keys, "secret".toCharArray());
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(factory.getKeyManagers(), null, null);
    server.stop(0);
    HttpsServer secure =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    secure.setHttpsConfigurator(new HttpsConfigurator(tls));
    secure.setExecutor(threads);
    secure.createContext("/metrics", this::answer);
    secure.start();
    server = secure;
    page = "a 1\n";
    String a = "a{instance=\"i\", job=\"j\"}";
    scheme = "https";
    scrape(vertx, "");
    assertThat(tick(0)).isEqualTo(about(0, 0, 0, 0));
    assertThat(metrics()).contains(failures("connection"));
    stopReading();
    scrape(vertx, ", tls: {ca: " + ca + "}");
    assertThat(tick(1)).isEqualTo(with(about(1, 1, 1, 1), a, 1.0));
    stopReading();
    scrape(vertx, ", tls: {insecure: true}");
    assertThat(tick(2)).isEqualTo(with(about(1, 1, 1, 1), a, 1.0));
  }

  /** What is remembered of a page, beside the tick and the assembly that hold its series too. */
  @Test
  void aPageOfTenThousandSamplesTakesAFewMebibytes(Vertx vertx) throws Exception {
    scrape(vertx, "");
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 10_000; i++) {
      text.append("metric_").append(i / 100).append("{UUID=\"GPU-5fd4f087-86f3-7a43-b711-");
      text.append(i % 100).append("\",device=\"nvidia0\",modelName=\"NVIDIA H100 80GB HBM3\",");
      text.append("namespace=\"ml\",pod=\"train-0\",container=\"main\"} ").append(i).append('\n');
    }
    page = text.toString();
    text.setLength(0);
    text.trimToSize();
    long before = used();
    assertThat(tick(0)).containsAllEntriesOf(about(1, 10_000, 10_000, 10_000));
    assertThat(tick(1)).containsAllEntriesOf(about(1, 10_000, 10_000, 0));
    long held = used() - before;
    assertThat(held).as("bytes").isLessThan(16L << 20);
  }

  private static long used() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
