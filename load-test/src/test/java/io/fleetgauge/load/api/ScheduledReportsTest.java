package io.fleetgauge.load.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.fleetgauge.gateway.GatewayProcess;
import io.fleetgauge.load.fleet.LocalFleet;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.query.QueryProcess;
import io.fleetgauge.query.config.ReportSettings;
import io.fleetgauge.query.config.ScheduledReportSettings;
import io.fleetgauge.query.config.ScheduledReportSettings.Every;
import io.fleetgauge.query.config.ScheduledReportSettings.Format;
import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.sample.Labels;
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
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reports by a timer, of a real query API whose time the test turns. */
class ScheduledReportsTest {
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final long END = Instant.parse("2026-11-28T00:00:00Z").toEpochMilli();

  /** A minute before the report of 27 November is due. */
  private final AtomicLong clock = new AtomicLong(END + Duration.ofMinutes(74).toMillis());

  private final BlockingQueue<String> requests = new LinkedBlockingQueue<>();
  private final HttpClient client = HttpClient.newHttpClient();
  private HttpServer server;
  private LocalFleet fleet;
  private GatewayProcess gateway;

  @TempDir private Path folder;

  @BeforeEach
  void start() throws Exception {
    fleet = new LocalFleet("reports-" + System.nanoTime(), LocalPorts.free(5), folder, clock::get);
    gateway = fleet.startGateway(0, Duration.ofDays(30));
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          requests.add(
              exchange.getRequestHeaders().getFirst("Idempotency-Key")
                  + " "
                  + exchange.getRequestHeaders().getFirst("Content-Disposition")
                  + " "
                  + exchange.getRequestHeaders().getFirst("Content-Type")
                  + " "
                  + exchange.getRequestHeaders().containsKey("X-Fleetgauge-Signature")
                  + "\n"
                  + body);
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    server.start();
    RemoteWriteBody body = RemoteWriteBody.v1();
    for (long time = END - 2 * 3_600_000; time <= END + 3_600_000; time += 60_000) {
      body.series(
          Labels.of(
              Labels.NAME, "gpu_allocated", "Hostname", "n1", "UUID", "G1", "hpc_job", "4711"),
          time,
          1);
    }
    write(body);
  }

  private void write(RemoteWriteBody body) throws Exception {
    HttpResponse<String> answer =
        client.send(
            HttpRequest.newBuilder(fleet.gatewayAddresses().getFirst().resolve("/api/v1/write"))
                .header("Content-Type", RemoteWriteBody.V1_TYPE)
                .header("Content-Encoding", "snappy")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body.compressed()))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 204);
  }

  @AfterEach
  void stop() {
    fleet.close();
    server.stop(0);
    client.close();
  }

  private QueryProcess query(ScheduledReportSettings... reports) throws Exception {
    return fleet.startQuery(base -> base.with(ReportSettings.scheduled(List.of(reports))));
  }

  private ScheduledReportSettings toFolder() {
    return ScheduledReportSettings.toFolder("daily", Every.DAY, folder.resolve("reports"));
  }

  private ScheduledReportSettings toReceiver() throws Exception {
    Path secret = Files.writeString(folder.resolve("secret"), "a secret of the receiver");
    return new ScheduledReportSettings(
        "daily",
        Every.DAY,
        ZoneOffset.UTC,
        List.of("job"),
        List.of(),
        Format.JSON,
        Optional.of(folder.resolve("reports")),
        Optional.of(URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/")),
        Duration.ofMinutes(1),
        Optional.of(secret),
        AccessSettings.NONE);
  }

  private List<String> files() throws Exception {
    if (!Files.exists(folder.resolve("reports"))) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(folder.resolve("reports"))) {
      return all.map(each -> each.getFileName().toString()).sorted().toList();
    }
  }

  private String metrics(QueryProcess query) throws Exception {
    return client
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + query.port() + "/metrics"))
                .build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  @Test
  void aDaysReportIsWrittenWhenItIsDueAndNotAgainByWhoeverGoesOn() throws Exception {
    clock.addAndGet(Duration.ofMinutes(1).toMillis());
    QueryProcess first = query(toFolder());
    Path file = folder.resolve("reports/daily-2026-11-27.csv");
    await().atMost(SOON).until(() -> Files.exists(file));
    assertThat(Files.readString(file))
        .contains("2026-11-27T00:00:00Z,2026-11-28T00:00:00Z,2,", ",7200,");
    assertThat(metrics(first)).contains("scheduled_reports_made_total{report=\"daily\"} 1.0");
    Files.writeString(file, "mine");
    first.close();
    QueryProcess second = query(toFolder());
    clock.addAndGet(Duration.ofDays(1).toMillis());
    await().atMost(SOON).until(() -> files().contains("daily-2026-11-28.csv"));
    assertThat(Files.readString(file)).isEqualTo("mine");
    assertThat(files()).hasSize(2);
    assertThat(metrics(second)).contains("scheduled_reports_made_total{report=\"daily\"} 1.0");
  }

  @Test
  void aReportThatCannotBeMadeIsTriedAgain() throws Exception {
    QueryProcess query = query(toFolder());
    await().atMost(SOON).until(() -> query.view().table().hosts().size() == 1);
    gateway.close();
    clock.addAndGet(Duration.ofMinutes(1).toMillis());
    await().atMost(SOON).until(() -> failed(query) > 0);
    int before = failed(query);
    clock.addAndGet(Duration.ofMinutes(1).toMillis());
    await().atMost(SOON).until(() -> failed(query) > before);
    assertThat(files()).doesNotContain("daily-2026-11-27.csv");
  }

  private int failed(QueryProcess query) throws Exception {
    return counted("failed", query);
  }

  private int counted(String what, QueryProcess query) throws Exception {
    Matcher found =
        Pattern.compile("scheduled_reports_" + what + "_total\\{report=\"daily\"} (\\d+)")
            .matcher(metrics(query));
    return found.find() ? Integer.parseInt(found.group(1)) : 0;
  }

  @Test
  void ofTwoQueryApisOneMakesEachReportAndTheOtherGoesOnWhenItStops() throws Exception {
    clock.addAndGet(Duration.ofMinutes(1).toMillis());
    QueryProcess one = query(toReceiver());
    // A file is there when the receiver has taken the report.
    await().atMost(SOON).until(() -> files().size() == 1);
    QueryProcess two = query(toReceiver());
    clock.addAndGet(Duration.ofDays(1).toMillis());
    await().atMost(SOON).until(() -> files().size() == 2);
    assertThat(counted("made", one) + counted("made", two)).isEqualTo(2);
    QueryProcess left = counted("made", two) > 0 ? one : two;
    int before = counted("made", left);
    (left == one ? two : one).close();
    clock.addAndGet(Duration.ofDays(1).toMillis());
    await().atMost(SOON).until(() -> files().size() == 3);
    assertThat(counted("made", left)).isEqualTo(before + 1);
    assertThat(requests)
        .extracting(each -> each.substring(0, "daily-2026-11-27".length()))
        .containsExactly("daily-2026-11-27", "daily-2026-11-28", "daily-2026-11-29");
  }

  @Test
  void aReceiverGetsTheReportWithAnIdentityAndTheFileSaysThatItWasTaken() throws Exception {
    clock.addAndGet(Duration.ofMinutes(1).toMillis());
    query(toReceiver());
    assertThat(requests.poll(10, TimeUnit.MINUTES))
        .startsWith(
            "daily-2026-11-27 attachment; filename=\"daily-2026-11-27.json\""
                + " application/json true\n{")
        .contains("\"4711\"");
    await().atMost(SOON).until(() -> files().equals(List.of("daily-2026-11-27.json")));
    assertThat(requests).isEmpty();
  }

  @Test
  void aReportWithASelectorHasNothingOfAnotherTenantInAnyFormat() throws Exception {
    Path reports = folder.resolve("reports");
    RemoteWriteBody body = RemoteWriteBody.v1();
    // Of the one an hour, of the other 77 minutes.
    for (int minute = 0; minute <= 77; minute++) {
      long time = END - 2 * 3_600_000 + minute * 60_000L;
      for (String tenant : minute <= 60 ? List.of("a", "b") : List.of("b")) {
        String mark = tenant.equals("b") ? "zzqx" : "";
        Labels gpu =
            Labels.of("Hostname", "n2", "UUID", "G-of-" + tenant, "tenant", tenant)
                .with(Labels.of("hpc_job", "train" + mark, "user", "u" + mark));
        body.series(gpu.with(Labels.NAME, "gpu_allocated"), time, 1);
        body.series(gpu.with(Labels.NAME, "DCGM_FI_DEV_FB_USED"), time, mark.isEmpty() ? 1 : 77);
      }
    }
    write(body);
    clock.addAndGet(Duration.ofMinutes(1).toMillis());
    query(
        Stream.of(Format.values())
            .map(
                format ->
                    new ScheduledReportSettings(
                        format.name(),
                        Every.DAY,
                        ZoneOffset.UTC,
                        List.of("tenant", "job", "user", "host", "gpu"),
                        List.of(io.fleetgauge.promql.expr.Matcher.equal("tenant", "a")),
                        format,
                        Optional.of(reports),
                        Optional.empty(),
                        Duration.ofMinutes(1),
                        Optional.empty(),
                        AccessSettings.NONE))
            .toArray(ScheduledReportSettings[]::new));
    await().atMost(SOON).until(() -> files().size() == 3);
    for (String file : files()) {
      assertThat(Files.readString(reports.resolve(file)))
          .as(file)
          .contains("train", "G-of-a")
          .doesNotContain("zzqx", "G-of-b", "4711", "80740352"); // 77 MiB
    }
  }
}
