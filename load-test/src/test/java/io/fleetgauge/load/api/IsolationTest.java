package io.fleetgauge.load.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.load.fleet.LocalFleet;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.query.QueryProcess;
import io.fleetgauge.query.config.ReportSettings;
import io.fleetgauge.query.faults.detect.Evidence;
import io.fleetgauge.query.faults.detect.Subject;
import io.fleetgauge.query.faults.detect.Suspect;
import io.fleetgauge.query.faults.detect.Verdict;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.query.faults.record.FaultSeries;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.FaultKind;
import io.fleetgauge.sample.gpu.Severity;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.xerial.snappy.Snappy;

/**
 * Answers to a tenant are those that it would get were it alone: a fleet with two tenants is asked
 * with the token of one, and a fleet that has only this one's samples is asked the same.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class IsolationTest {
  private static final int REQUESTS = 3_000;
  private static final long SEED = 20_261_122;

  /** In every name and value of the other tenant, and in nothing that is asked. */
  private static final String SECRET = "zzqx";

  /** So are the digits of all its samples. */
  private static final double SECRET_VALUE = 77_312_777;

  static final long NOW = 1_795_300_000_000L;
  static final String METRIC = "DCGM_FI_DEV_GPU_TEMP";

  private final HttpClient client = HttpClient.newHttpClient();
  private LocalFleet shared;
  private LocalFleet alone;
  private URI ofBoth;
  private URI ofOne;
  private Path prices;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    Path secret =
        Files.writeString(folder.resolve("secret"), "a secret of the cluster".replace(' ', '-'));
    Path tenants =
        Files.writeString(
            folder.resolve("tenants.yaml"),
            """
            tenants:
              a: {scope: '{tenant="a"}', tokens: {t: {sha256: %s}}}
              b: {scope: '{tenant="b"}', tokens: {t: {sha256: %s}}}
              old: {tokens: {t: {sha256: %s, expires: 2001-01-01}}}
              probes: {tokens: {t: {sha256: %s, rights: [write]}}}
              slow:
                scope: '{tenant="a"}'
                tokens:
                  t: {argon2id: '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'}
              stamped:
                scope: '{tenant="stamped"}'
                write: {labels: {tenant: stamped}, stamp: true}
                tokens: {t: {sha256: %s, rights: [read, write]}}
              matched:
                scope: '{tenant="matched"}'
                write: {labels: {tenant: matched}}
                tokens: {t: {sha256: %s, rights: [read, write]}}
            """
                .formatted(
                    hash("token-a"),
                    hash("token-b"),
                    hash("token-old"),
                    hash("token-write"),
                    hash("token-stamp"),
                    hash("token-match")));
    shared = fleet(folder.resolve("both"), "both");
    shared.secure(
        Optional.of(tenants), TrustSettings.ofSecret(Optional.of(secret)), Optional.empty());
    prices =
        Files.writeString(
            folder.resolve("prices.yaml"),
            """
            prices:
              - {name: %s, tenant: b, price: 77312777}
              - {name: of a, tenant: a, price: 2}
            """
                .formatted(SECRET));
    ofBoth = started(shared);
    alone = fleet(folder.resolve("one"), "one");
    ofOne = started(alone);
    write(shared, samples(true), "token-write");
    write(alone, samples(false), "");
    await()
        .atMost(Duration.ofMinutes(10))
        .until(
            () ->
                get(ofBoth, "/api/v1/query?query=count(" + METRIC + ")", "token-b")
                        .body()
                        .contains("\"12\"")
                    && get(ofOne, "/api/v1/query?query=count(" + METRIC + ")", "")
                        .body()
                        .contains("\"12\""));
  }

  private static LocalFleet fleet(Path folder, String name) {
    return new LocalFleet(name + System.nanoTime(), LocalPorts.free(3), folder, () -> NOW);
  }

  private URI started(LocalFleet fleet) throws Exception {
    fleet.startGateway(0, Duration.ofHours(24));
    fleet.startGateway(0, Duration.ofHours(24));
    QueryProcess query =
        fleet.startQuery(
            base ->
                base.with(
                    new ReportSettings(
                        100_000,
                        Optional.of(prices),
                        Optional.empty(),
                        BigDecimal.ONE,
                        List.of())));
    return URI.create("http://127.0.0.1:" + query.port());
  }

  @AfterAll
  void stop() {
    shared.close();
    alone.close();
    client.close();
  }

  private static String hash(String token) throws Exception {
    return HexFormat.of()
        .formatHex(
            MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
  }

  /** Hosts 0 and 1 have GPUs of a, hosts 1 and 2 of b. */
  private static RemoteWriteBody samples(boolean both) {
    RemoteWriteBody body = RemoteWriteBody.v1();
    for (String tenant : both ? List.of("a", "b") : List.of("a")) {
      boolean b = tenant.equals("b");
      String mark = b ? SECRET : "";
      for (int host = b ? 1 : 0; host < (b ? 3 : 2); host++) {
        for (int gpu = b ? 4 : 0; gpu < (b ? 8 : 4); gpu++) {
          for (String metric : List.of(METRIC, "shared", "only_" + tenant + mark)) {
            long[] times = new long[80];
            double[] values = new double[80];
            for (int i = 0; i < 80; i++) {
              times[i] = NOW - (79 - i) * 15_000L;
              values[i] = b ? SECRET_VALUE : 20 + host + gpu / 4.0 + i % 5;
            }
            body.series(
                Labels.of(
                    "__name__",
                    metric,
                    "Hostname",
                    host == 1 ? "h1" : "h" + host + mark,
                    "UUID",
                    "GPU-" + host + "-" + gpu + mark,
                    "gpu",
                    gpu + mark,
                    "job",
                    "train" + mark,
                    "rack",
                    "r" + host + mark,
                    "lbl é" + mark,
                    "v" + mark,
                    "tenant",
                    tenant),
                times,
                values);
          }
          usage(body, tenant, mark, host, gpu);
        }
      }
      body.series(
          Labels.of(
              "__name__",
              "target_info",
              "Hostname",
              "h1",
              "instance",
              "i",
              "job",
              "train" + mark,
              "version",
              "v" + mark,
              "tenant",
              tenant),
          NOW,
          1);
    }
    for (String tenant : both ? List.of("a", "b") : List.of("a")) {
      fault(body, tenant, tenant.equals("b") ? SECRET : "", FaultKind.XID);
      fault(body, tenant, tenant.equals("b") ? SECRET : "", FaultKind.IDLE_ALLOCATION);
    }
    // As many of each: a second metric to count.
    for (int i = 0; i < 4; i++) {
      for (String tenant : both ? List.of("a", "b") : List.of("a")) {
        String mark = tenant.equals("b") ? SECRET : "";
        body.series(
            Labels.of(
                "__name__", METRIC, "Hostname", "h1", "gpu", "x" + i + mark, "tenant", tenant),
            NOW,
            tenant.equals("b") ? SECRET_VALUE : i);
      }
    }
    return body;
  }

  /** What a GPU was used for. */
  private static void usage(RemoteWriteBody body, String tenant, String mark, int host, int gpu) {
    Labels labels =
        Labels.of("Hostname", host == 1 ? "h1" : "h" + host + mark, "tenant", tenant)
            .with(Labels.of("UUID", "GPU-" + host + "-" + gpu + mark, "rack", "r" + host + mark))
            .with("job", "train" + mark)
            .with(Labels.of("hpc_job", "1" + mark, "job_name", "n" + mark, "pod", "p" + mark))
            .with(Labels.of("user", "u" + mark, "account", "acc" + mark, "modelName", "m" + mark));
    for (int i = 0; i < 40; i++) {
      long time = NOW - (39 - i) * 30_000L;
      body.series(labels.with(Labels.NAME, "gpu_allocated"), time, 1);
      body.series(
          labels.with(Labels.NAME, "DCGM_FI_DEV_FB_USED"),
          time,
          mark.isEmpty() ? 1_000 + gpu : 77_312.777);
      body.series(labels.with(Labels.NAME, "DCGM_FI_DEV_GPU_UTIL"), time, gpu * 10);
    }
  }

  /** A fault of a GPU on the host that both share. */
  private static void fault(RemoteWriteBody body, String tenant, String mark, FaultKind kind) {
    Labels place =
        Labels.of("gpu", "0" + mark, "job", "train" + mark, "tenant", tenant)
            .with(Labels.of("user", "u" + mark, "contact", "mail" + mark));
    Episode episode =
        new Episode(
            kind.text() + mark,
            kind,
            Severity.CRITICAL,
            new Subject("h1", "GPU-1-0" + mark, "", "", place),
            "79",
            true,
            NOW - 60_000,
            NOW - 60_000,
            NOW,
            OptionalLong.empty(),
            "",
            1,
            "seen" + mark,
            List.of(new Evidence("events" + mark, Double.NaN, 1)),
            List.of(new Suspect("h1", "GPU-1-0" + mark, 0, "first" + mark)),
            "",
            List.of(kind.text() + mark),
            false);
    body.series(FaultSeries.active(episode, "h1"), NOW, 1);
    body.series(FaultSeries.episode(episode, "h1"), NOW - 60_000, 1);
    if (kind != FaultKind.XID) {
      return; // one verdict is enough
    }
    Verdict verdict = Verdict.unknown(FaultKind.STRAGGLER, "unknown" + mark);
    body.series(FaultSeries.verdict("train" + mark, place.without("gpu"), "h1", verdict), NOW, 1);
  }

  private int write(LocalFleet fleet, RemoteWriteBody body, String token) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(fleet.gatewayAddresses().getFirst().resolve("/api/v1/write"))
            .header("Content-Encoding", "snappy")
            .header("Content-Type", RemoteWriteBody.V1_TYPE)
            .POST(HttpRequest.BodyPublishers.ofByteArray(body.compressed()));
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString()).statusCode();
  }

  private HttpResponse<String> get(URI server, String path, String token) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server + path));
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private record Answer(int status, String body, String headers) {}

  private Answer send(HttpRequest request, boolean snappy) throws Exception {
    HttpResponse<byte[]> answer = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
    byte[] body = answer.body();
    if (snappy && answer.headers().firstValue("Content-Encoding").orElse("").equals("snappy")) {
      body = Snappy.uncompress(body);
    }
    return new Answer(
        answer.statusCode(),
        new String(body, StandardCharsets.ISO_8859_1),
        answer.headers().map().toString());
  }

  private static void saysNothing(Answer answer, String asked) {
    assertThat(answer.body()).as(asked).doesNotContain(SECRET).doesNotContain("77312777");
    assertThat(answer.headers()).as(asked).doesNotContain(SECRET);
    assertThat(answer.body()).as(asked).doesNotContain("7.7312777e+07");
  }

  @Test
  void aTenantIsAnsweredAsIfItWereAlone() throws Exception {
    RandomRequests requests = new RandomRequests(SEED);
    int good = 0;
    for (int i = 0; i < REQUESTS; i++) {
      RandomRequests.Request asked = requests.next();
      boolean read = asked.path().equals("/api/v1/read");
      HttpRequest.Builder withToken = asked.at(ofBoth).header("Authorization", "Bearer token-a");
      Answer ours = send(withToken.build(), read);
      saysNothing(ours, asked.toString());
      Answer wanted = send(asked.at(ofOne).build(), read);
      assertThat(ours.status()).as("%s: %s", asked, ours.body()).isEqualTo(wanted.status());
      // absent() makes labels of matchers, and those of the scope are among them.
      boolean names = asked.toString().contains("absent");
      if (!names && !asked.path().contains("status") && !asked.path().contains("targets")) {
        // Lines of a scrape come as the gateways have them.
        boolean scrape = asked.path().startsWith("/federate");
        assertThat(scrape ? FleetAndPrometheus.lines(ours.body()).toString() : ours.body())
            .as(asked.toString())
            .isEqualTo(scrape ? FleetAndPrometheus.lines(wanted.body()).toString() : wanted.body());
      }
      good += ours.status() == 200 ? 1 : 0;
    }
    System.out.printf("%d of %d requests were answered with 200%n", good, REQUESTS);
    assertThat(good).isGreaterThan(REQUESTS / 2);
  }

  @Test
  void whatExplainsAndCountsSaysNothingOfOthers() throws Exception {
    for (String path :
        List.of(
            "/api/v1/explain?query=sum(shared)",
            "/api/v1/explain?format=text&query=topk(2,shared)",
            "/api/v1/status/tsdb",
            "/api/v1/status/config",
            "/api/v1/status/flags",
            "/api/v1/targets",
            "/metrics",
            "/",
            "/api/openapi.yaml")) {
      Answer answer =
          send(
              HttpRequest.newBuilder(URI.create(ofBoth + path))
                  .header("Authorization", "Bearer token-a")
                  .build(),
              false);
      saysNothing(answer, path);
    }
    assertThat(get(ofBoth, "/metrics", "token-a").statusCode()).isEqualTo(403);
    assertThat(get(ofBoth, "/api/v1/status/tsdb", "token-a").body()).contains("\"numSeries\":58");
  }

  @Test
  void whoShowsNoGoodTokenIsTold401AndNothingElse() throws Exception {
    List<HttpRequest.Builder> requests =
        List.of(
            HttpRequest.newBuilder(URI.create(ofBoth + "/api/v1/query?query=up")),
            HttpRequest.newBuilder(URI.create(ofBoth + "/api/v1/query?query=up&token=token-a")),
            HttpRequest.newBuilder(
                URI.create(ofBoth + "/api/v1/query?query=up&access_token=token-a")),
            HttpRequest.newBuilder(URI.create(ofBoth + "/federate?match%5B%5D=up"))
                .header("X-Scope-OrgID", "a"),
            HttpRequest.newBuilder(URI.create(ofBoth + "/api/v1/labels"))
                .header("Authorization", "token-a"),
            HttpRequest.newBuilder(URI.create(ofBoth + "/api/v1/labels"))
                .header("Authorization", "Bearer token-old"),
            HttpRequest.newBuilder(URI.create(ofBoth + "/api/v1/labels"))
                .header("Authorization", "Bearer token-a")
                .header("Authorization", "Bearer token-b"),
            HttpRequest.newBuilder(URI.create(ofBoth + "/api/v1/labels"))
                .header("Authorization", "Bearer token-A"),
            HttpRequest.newBuilder(URI.create(ofBoth + "/api/v1/labels"))
                .header("X-Fleetgauge-Secret", "a-secret-of-the-cluster"),
            HttpRequest.newBuilder(URI.create(ofBoth + "/grafana/query"))
                .POST(HttpRequest.BodyPublishers.ofString("{}")),
            HttpRequest.newBuilder(URI.create(ofBoth + "/api/v1/read"))
                .POST(HttpRequest.BodyPublishers.noBody()));
    for (HttpRequest.Builder request : requests) {
      Answer answer = send(request.build(), false);
      assertThat(answer.status()).isEqualTo(401);
      assertThat(answer.body())
          .isEqualTo(
              "{\"status\":\"error\",\"errorType\":\"unauthorized\",\"error\":\"unauthorized\"}");
    }
    Answer other =
        send(
            HttpRequest.newBuilder(URI.create(ofBoth + "/api/v1/labels"))
                .header("Authorization", "Bearer token-a")
                .header("X-Scope-OrgID", "b")
                .build(),
            false);
    assertThat(other.status()).isEqualTo(403);
    assertThat(get(ofBoth, "/api/v1/labels", "token-write").statusCode()).isEqualTo(403);
    assertThat(get(ofBoth, "/-/healthy", "").statusCode()).isEqualTo(200);
    assertThat(get(ofBoth, "/-/ready", "").statusCode()).isEqualTo(200);
  }

  @Test
  void aTokenThatPeopleMadeUpIsGoodForFormsAndForBasicAuthenticationToo() throws Exception {
    for (String authorization : List.of("Bearer password", "Basic YW55OnBhc3N3b3Jk")) {
      RandomRequests.Request asked =
          RandomRequests.Request.form("/api/v1/query", "query=count(shared)&time=" + NOW / 1_000);
      Answer answer = send(asked.at(ofBoth).header("Authorization", authorization).build(), false);
      assertThat(answer.body()).contains("\"8\"");
    }
  }

  @Test
  void gatewaysAnswerTheClustersOwnProcessesOnly() throws Exception {
    URI gateway = shared.gatewayAddresses().getFirst();
    for (String path :
        List.of(
            "/v1/table",
            "/v1/stream",
            "/v1/hosts/h1/samples?from=0&to=9999999999999",
            "/v1/hosts/h1/digest?fine=0&coarse=1&until=1",
            "/v1/hosts/h1/blocks",
            "/metrics")) {
      assertThat(get(gateway, path, "").statusCode()).as(path).isEqualTo(401);
      assertThat(get(gateway, path, "token-a").statusCode()).as(path).isIn(401, 403);
    }
    for (String path : List.of("/v1/fragments", "/v1/hosts/h1/offers")) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(gateway + path))
              .header("Authorization", "Bearer token-a")
              .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[] {1}));
      assertThat(send(request.build(), false).status()).as(path).isEqualTo(401);
    }
    assertThat(write(shared, RemoteWriteBody.v1(), "")).isEqualTo(401);
    assertThat(write(shared, RemoteWriteBody.v1(), "token-a")).isEqualTo(403);
  }

  @Test
  void aTokenThatWritesStampsOrHasToMatchItsLabels() throws Exception {
    Labels theirs = Labels.of("__name__", "written", "Hostname", "h1", "tenant", "a");
    assertThat(write(shared, RemoteWriteBody.v1().series(theirs, NOW, 1), "token-stamp"))
        .isEqualTo(204);
    assertThat(get(ofBoth, "/api/v1/query?query=written", "token-stamp").body())
        .contains("\"tenant\":\"stamped\"");
    assertThat(get(ofBoth, "/api/v1/query?query=written", "token-a").body())
        .contains("\"result\":[]");
    assertThat(write(shared, RemoteWriteBody.v1().series(theirs, NOW, 1), "token-match"))
        .isEqualTo(400);
    assertThat(get(ofBoth, "/api/v1/query?query=written", "token-a").body())
        .contains("\"result\":[]");
    write(
        shared,
        RemoteWriteBody.v1().series(theirs.with("tenant", "matched"), NOW, 1),
        "token-match");
    assertThat(get(ofBoth, "/api/v1/query?query=written", "token-match").body())
        .contains("\"tenant\":\"matched\"");
  }
}
