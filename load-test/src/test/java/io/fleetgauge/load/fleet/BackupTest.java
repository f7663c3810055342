package io.fleetgauge.load.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fleetgauge.operator.backup.BackupCommand;
import io.fleetgauge.operator.backup.Manifest;
import io.fleetgauge.operator.backup.Repositories;
import io.fleetgauge.operator.backup.RestoreCommand;
import io.fleetgauge.operator.rules.RulesCommand;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.sample.Labels;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Two gateways are backed up while they take samples, and three others get what they had. */
class BackupTest {
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final Duration RETENTION = Duration.ofDays(1);

  /** Blocks have half of it. */
  private static final Duration MEMORY = Duration.ofSeconds(20);

  private static final List<String> HOSTS = List.of("n1", "n2", "n3", "a/b", "..");

  @TempDir private Path folder;
  private final HttpClient client = HttpClient.newHttpClient();
  private final List<LocalFleet> fleets = new ArrayList<>();
  private final ConcurrentLinkedQueue<Acknowledgement> acknowledged = new ConcurrentLinkedQueue<>();
  private String secret;

  /** A sample that a gateway has taken. */
  private record Acknowledgement(Labels series, long time, double value, long at) {}

  @BeforeEach
  void writeSecret() throws IOException {
    secret = Files.writeString(folder.resolve("secret"), "0123456789abcdef").toString();
  }

  @AfterEach
  void stop() {
    fleets.forEach(LocalFleet::close);
    client.close();
  }

  private LocalFleet fleet(String name, int gateways) throws Exception {
    return fleet(name, gateways, 0);
  }

  /**
   * @param ahead of the clock, ms
   */
  private LocalFleet fleet(String name, int gateways, long ahead) throws Exception {
    LocalFleet fleet =
        new LocalFleet(
            name + "-" + System.nanoTime(),
            LocalPorts.free(gateways + 1),
            folder.resolve(name),
            () -> System.currentTimeMillis() + ahead);
    fleet.secure(
        Optional.empty(), TrustSettings.ofSecret(Optional.of(Path.of(secret))), Optional.empty());
    fleets.add(fleet);
    for (int i = 0; i < gateways; i++) {
      fleet.startGateway(0, RETENTION, MEMORY);
    }
    return fleet;
  }

  private record CommandResult(int status, String text) {}

  static CommandResult run(Object command, String... arguments) {
    StringWriter text = new StringWriter();
    int status =
        new CommandLine(command)
            .setOut(new PrintWriter(text, true))
            .setErr(new PrintWriter(text, true))
            .execute(arguments);
    return new CommandResult(status, text.toString());
  }

  private CommandResult backup(LocalFleet fleet, String to, String... more) {
    List<String> all = new ArrayList<>(List.of("create", "--to", to, "--secret-file", secret));
    all.addAll(List.of("--gateway", fleet.gatewayAddresses().getFirst().toString()));
    all.addAll(List.of(more));
    return run(new BackupCommand(), all.toArray(String[]::new));
  }

  private CommandResult restore(LocalFleet fleet, String from, String... more) {
    List<String> all = new ArrayList<>(List.of("--from", from, "--secret-file", secret));
    all.addAll(List.of("--gateway", fleet.gatewayAddresses().getLast().toString()));
    all.addAll(List.of(more));
    return run(new RestoreCommand(), all.toArray(String[]::new));
  }

  /** Series of a host at a time: numbers of all kinds, and a GPU that changes its owner. */
  private static Map<Labels, Double> tick(String host, long time) {
    Random random = new Random(host.hashCode() * 31L + time);
    Map<Labels, Double> tick = new TreeMap<>();
    tick.put(Labels.of("__name__", "m_counter", "Hostname", host), (double) (time / 7));
    tick.put(Labels.of("__name__", "m_double", "Hostname", host), random.nextGaussian());
    tick.put(Labels.of("__name__", "m_same", "Hostname", host), 0.25);
    String job = "j" + time / 25_000 % 3;
    tick.put(
        Labels.of("Hostname", host, "UUID", "GPU-1", "__name__", "m_gpu", "hpc_job", job),
        Math.rint(random.nextDouble() * 100));
    return tick;
  }

  private void write(LocalFleet fleet, long time) throws Exception {
    for (String host : HOSTS) {
      RemoteWriteBody body = RemoteWriteBody.v2();
      Map<Labels, Double> tick = tick(host, time);
      tick.forEach((labels, value) -> body.series(labels, time, value));
      HttpRequest request =
          HttpRequest.newBuilder(fleet.gatewayAddresses().getFirst().resolve("/api/v1/write"))
              .header("Content-Encoding", "snappy")
              .header("Content-Type", RemoteWriteBody.V2_TYPE)
              .POST(HttpRequest.BodyPublishers.ofByteArray(body.compressed()))
              .build();
      await()
          .atMost(SOON)
          .ignoreExceptions()
          .until(
              () ->
                  client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 204);
      long now = System.currentTimeMillis();
      tick.forEach(
          (labels, value) -> acknowledged.add(new Acknowledgement(labels, time, value, now)));
    }
  }

  /** Writes a tick for each second of a minute that has passed: most of it will be in blocks. */
  private void writeHistory(LocalFleet fleet) throws Exception {
    writeHistory(fleet, System.currentTimeMillis(), 90);
  }

  private void writeHistory(LocalFleet fleet, long now, int seconds) throws Exception {
    for (int i = seconds; i >= 0; i--) {
      write(fleet, (now / 1_000 - i) * 1_000);
    }
  }

  /** All samples of a fleet, by series and time. */
  private static TreeMap<Labels, TreeMap<Long, Double>> samples(QueryClient asking)
      throws Exception {
    TreeMap<Labels, TreeMap<Long, Double>> found = new TreeMap<>();
    JsonNode answer = asking.query("{__name__=~\"m_.*\"}[30m]");
    for (JsonNode each : answer.path("data").path("result")) {
      List<String> labels = new ArrayList<>();
      each.path("metric")
          .properties()
          .forEach(label -> labels.addAll(List.of(label.getKey(), label.getValue().asText())));
      TreeMap<Long, Double> samples = new TreeMap<>();
      for (JsonNode sample : each.path("values")) {
        assertThat(
                samples.put(
                    Math.round(sample.path(0).asDouble() * 1_000),
                    Double.parseDouble(sample.path(1).asText())))
            .isNull();
      }
      found.put(Labels.of(labels.toArray(String[]::new)), samples);
    }
    assertThat(answer.path("warnings")).isEmpty();
    return found;
  }

  private void assertRestored(QueryClient asking, long taken) throws Exception {
    TreeMap<Labels, TreeMap<Long, Double>> found = samples(asking);
    int compared = 0;
    for (Acknowledgement each : acknowledged) {
      if (each.at < taken) {
        assertThat(found.get(each.series))
            .as("%s", each.series)
            .containsEntry(each.time, each.value);
        compared++;
      }
    }
    assertThat(compared).isGreaterThan(90 * HOSTS.size() * 4);
  }

  private long blocks(String name) throws IOException {
    try (Stream<Path> files = Files.walk(folder.resolve(name))) {
      return files
          .filter(file -> file.toString().endsWith(".block"))
          .filter(file -> !file.toString().contains("snapshots"))
          .count();
    }
  }

  @Test
  void everySampleThatWasAcknowledgedBeforeABackupIsInTheClusterThatItIsRestoredInto()
      throws Exception {
    LocalFleet first = fleet("first", 2);
    writeHistory(first);
    await()
        .atMost(SOON)
        .ignoreException(UncheckedIOException.class) // a block is finished while they are counted
        .until(() -> blocks("first") >= 2L * HOSTS.size() * 5);
    AtomicBoolean goesOn = new AtomicBoolean(true);
    Thread writer =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    long time = System.currentTimeMillis();
                    while (goesOn.get()) {
                      write(first, ++time);
                    }
                  } catch (Exception e) {
                    throw new IllegalStateException(e);
                  }
                });
    String to = folder.resolve("backups").toString();
    CommandResult made = backup(first, to, "--verify");
    CommandResult again = backup(first, to, "--max-rate", "100MiB");
    goesOn.set(false);
    writer.join();
    assertThat(made.text()).contains("5 hosts of 2 gateways", "are unchanged");
    assertThat(made.status()).as(made.text()).isZero();
    assertThat(again.status()).as(again.text()).isZero();
    assertThat(
            Files.walk(folder.resolve("first"))
                .filter(file -> file.toString().contains("snapshots/")))
        .as("snapshots that are left")
        .isEmpty();
    Manifest manifest = Repositories.read(Repositories.open(to, null), "");
    assertThat(manifest.hosts()).allMatch(Manifest.Host::whole);
    try (S3Server s3 = S3Server.start(folder)) {
      if (s3 != null) {
        CommandResult there = backup(first, s3.place(), s3.options());
        assertThat(there.status()).as(there.text()).isZero();
      }
      first.close();
      fleets.remove(first);
      LocalFleet second = fleet("second", 3);
      CommandResult some = restore(second, to, "--host", "n1", "--host", "..");
      assertThat(some.status()).as(some.text()).isZero();
      assertThat(some.text()).contains("restored 2 hosts");
      CommandResult all =
          s3 == null ? restore(second, to) : restore(second, s3.place(), s3.options());
      assertThat(all.status()).as(all.text()).isZero();
      assertThat(all.text()).contains("restored 5 hosts");
      QueryClient asking = new QueryClient(second.startQuery("127.0.0.1", 0).port());
      assertRestored(asking, manifest.taken());
      CommandResult twice = restore(second, to);
      assertThat(twice.status()).as(twice.text()).isZero();
      assertThat(twice.text()).contains("blocks 0 new", "0 united, 0 merged");
      assertRestored(asking, manifest.taken());
    }
  }

  @Test
  void samplesThatWereInMemoryAreRestoredWhereTheirTimeIsInBlocks() throws Exception {
    LocalFleet first = fleet("first", 1);
    writeHistory(first);
    String to = folder.resolve("backups").toString();
    CommandResult made = backup(first, to);
    assertThat(made.status()).as(made.text()).isZero();
    first.close();
    fleets.remove(first);
    // Later: the probes have gone on, and the first of what they sent is in blocks. Requests of
    // the cluster are signed with their time, so it cannot be more than a minute later.
    long ahead = 45_000;
    LocalFleet second = fleet("second", 2, ahead);
    writeHistory(second, System.currentTimeMillis() + ahead, 40);
    await().atMost(SOON).until(() -> blocks("second") >= 2L * HOSTS.size());
    CommandResult all = restore(second, to);
    assertThat(all.status()).as(all.text()).isZero();
    QueryClient asking = new QueryClient(second.startQuery("127.0.0.1", 0).port());
    assertRestored(asking, Long.MAX_VALUE);
    CommandResult twice = restore(second, to);
    assertThat(twice.status()).as(twice.text()).isZero();
    assertThat(twice.text()).contains("blocks 0 new", "0 united, 0 merged");
  }

  @Test
  void theResultsOfRulesAreFilledInWhereTheirHostsHaveGoneOnForLonger() throws Exception {
    LocalFleet fleet = fleet("filled", 2);
    long now = System.currentTimeMillis();
    writeHistory(fleet, now, 90);
    await().atMost(SOON).until(() -> blocks("filled") >= 2L * HOSTS.size() * 5);
    int query = fleet.startQuery("127.0.0.1", 0).port();
    Path rules = folder.resolve("rules.yaml");
    Files.writeString(
        rules,
        """
        groups:
          - name: g
            interval: 5s
            rules:
              - {record: r_host, expr: "sum by (Hostname) (m_double)"}
              - {record: r_all, expr: sum(r_host)}
              - {record: r_jobs, expr: count by (hpc_job) (m_gpu)}
        """);
    String from = Long.toString(now / 1_000 - 85);
    for (int i = 0; i < 2; i++) {
      CommandResult filled =
          run(
              new RulesCommand(),
              "backfill",
              "--start",
              from,
              "--end",
              Long.toString(now / 1_000),
              "--url",
              "http://127.0.0.1:" + query,
              "--gateway",
              fleet.gatewayAddresses().getLast().toString(),
              "--secret-file",
              secret,
              rules.toString());
      assertThat(filled.status()).as(filled.text()).isZero();
      assertThat(filled.text()).contains("rules.yaml;g: 3 rules");
    }
    QueryClient asking = new QueryClient(query);
    Map<String, String> same =
        Map.of(
            "r_host",
            "sum by (Hostname) (m_double)",
            "r_all",
            "sum(m_double)",
            "r_jobs",
            "count by (hpc_job) (m_gpu)");
    for (Map.Entry<String, String> each : same.entrySet()) {
      TreeMap<String, TreeMap<String, String>> filled = byTime(asking, each.getKey() + "[20m]");
      assertThat(filled.size()).as(each.getKey()).isBetween(16, 18);
      for (Map.Entry<String, TreeMap<String, String>> slot : filled.entrySet()) {
        String at = "&time=" + slot.getKey();
        assertThat(slot.getValue())
            .as("%s at %s", each.getKey(), slot.getKey())
            .isEqualTo(byTime(asking, each.getValue() + at).get(slot.getKey()));
      }
    }
  }

  /**
   * The values of a selector's samples or of a query's result: by time, and labels but the name.
   */
  private static TreeMap<String, TreeMap<String, String>> byTime(QueryClient asking, String query)
      throws Exception {
    String encoded =
        URLEncoder.encode(query.replaceAll("&time=.*", ""), StandardCharsets.UTF_8)
            + query.replaceFirst("^[^&]*", "");
    JsonNode answer = asking.json("/api/v1/query?query=" + encoded);
    assertThat(answer.path("warnings")).as(query).isEmpty();
    TreeMap<String, TreeMap<String, String>> found = new TreeMap<>();
    for (JsonNode series : answer.path("data").path("result")) {
      ObjectNode labels = (ObjectNode) series.path("metric");
      labels.remove("__name__");
      JsonNode values = series.has("value") ? array(series.path("value")) : series.path("values");
      for (JsonNode sample : values) {
        found
            .computeIfAbsent(sample.path(0).asText(), none -> new TreeMap<>())
            .put(labels.toString(), sample.path(1).asText());
      }
    }
    return found;
  }

  private static JsonNode array(JsonNode one) {
    return JsonNodeFactory.instance.arrayNode().add(one);
  }
}
