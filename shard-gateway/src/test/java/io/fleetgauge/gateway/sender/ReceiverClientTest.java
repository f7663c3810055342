package io.fleetgauge.gateway.sender;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fleetgauge.gateway.sender.Receiver.Kind;
import io.fleetgauge.gateway.sender.Receiver.Outcome;
import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.runtime.http.ExternalAccess;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.http.WebRequests;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.prometheus.RemoteWriteWriter;
import io.fleetgauge.sample.relabel.Relabelling;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xerial.snappy.Snappy;

/** Requests on the wire, and answers as receivers give them by their documentation and source. */
class ReceiverClientTest {
  private static final Series SERIES =
      new Series(
          Labels.of(Labels.NAME, "m", "Hostname", "h1"),
          new long[] {1_000, 2_000},
          new double[] {1, 2});

  /** 2026-11-28T00:00:00Z. */
  private static final long NOW = 1_795_824_000_000L;

  private final Vertx vertx = Vertx.vertx();
  private final BlockingQueue<Capture> captured = new LinkedBlockingQueue<>();
  private final BlockingQueue<Answer> script = new LinkedBlockingQueue<>();
  private HttpServer server;
  private WebRequests http;

  @TempDir Path folder;

  private record Capture(String path, Map<String, List<String>> headers, byte[] body) {
    String header(String name) {
      List<String> values = headers.get(name);
      return values == null ? "" : String.join(", ", values);
    }
  }

  private record Answer(int status, Map<String, String> headers, String text) {}

  @BeforeEach
  void start() throws Exception {
    server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    captured.add(
        new Capture(
            exchange.getRequestURI().getPath(),
            Map.copyOf(exchange.getRequestHeaders()),
            exchange.getRequestBody().readAllBytes()));
    Answer answer = script.remove();
    answer.headers.forEach(exchange.getResponseHeaders()::set);
    byte[] body = answer.text.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(answer.status, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  @AfterEach
  void stop() throws Exception {
    server.stop(0);
    if (http != null) {
      http.close();
    }
    vertx.close().await(10, TimeUnit.MINUTES);
  }

  private ReceiverClient client(
      String path, Version version, Map<String, String> headers, AccessSettings access) {
    try {
      http =
          ExternalAccess.open("remoteWrite.r", access)
              .requests(vertx, new HttpClients.Limits(5_000, 60, 4, 4));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    return new ReceiverClient(
        new SenderSettings(
            "r",
            URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path),
            version,
            headers,
            List.of(),
            false,
            true,
            Relabelling.NONE,
            Duration.ofMinutes(10),
            Duration.ofSeconds(10),
            100,
            4,
            1_000,
            access),
        http,
        () -> NOW);
  }

  private Outcome send(ReceiverClient client, int status, Map<String, String> headers, String text)
      throws Exception {
    script.add(new Answer(status, headers, text));
    return client.send(List.of(SERIES)).await(10, TimeUnit.MINUTES);
  }

  private static byte[] content(Capture request) {
    try {
      return Snappy.uncompress(request.body);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void assertIsVersion1(Capture request) {
    assertThat(request.header("Content-type")).isEqualTo("application/x-protobuf");
    assertThat(request.header("Content-encoding")).isEqualTo("snappy");
    assertThat(request.header("X-prometheus-remote-write-version")).isEqualTo("0.1.0");
    assertThat(request.header("User-agent")).isEqualTo("fleetgauge");
    assertThat(content(request))
        .isEqualTo(new RemoteWriteWriter(Version.V1).series(SERIES).toBytes());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          /api/v1/push         | X-Scope-OrgID | gpu
          /api/v1/receive      | THANOS-TENANT | gpu
          /api/v1/prometheus   | X-Cluster     | c1
          /insert/0/prometheus | X-Other       | x y
          """)
  void aReceiverGetsItsPathAndItsTenant(String path, String header, String value) throws Exception {
    ReceiverClient client = client(path, Version.V1, Map.of(header, value), AccessSettings.NONE);
    assertThat(send(client, 200, Map.of(), "")).isEqualTo(Outcome.ACCEPTED);
    Capture request = captured.remove();
    assertThat(request.path).isEqualTo(path);
    String name = header.charAt(0) + header.substring(1).toLowerCase(java.util.Locale.ROOT);
    assertThat(request.header(name)).isEqualTo(value);
    assertIsVersion1(request);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      textBlock =
          """
          # Mimir
          200 | -                             | -                                        | ACCEPTED | 0
          400 | -                             | err-mimir-sample-out-of-order            | REFUSED  | 0
          400 | -                             | err-mimir-max-label-names-per-series     | REFUSED  | 0
          413 | -                             | err-mimir-distributor-max-write-message-size | REFUSED | 0
          429 | 7                             | err-mimir-tenant-max-ingestion-rate      | AGAIN    | 7000
          401 | -                             | no org id                                | AGAIN    | 0
          503 | Sat, 28 Nov 2026 00:00:30 GMT | at least 2 live replicas required        | AGAIN    | 30000
          # Thanos Receive
          409 | -                             | add 1 series: out of order sample        | ACCEPTED | 0
          429 | -                             | too many requests                        | AGAIN    | 0
          503 | -                             | hashring not ready                       | AGAIN    | 0
          500 | -                             | store locally for endpoint               | AGAIN    | 0
          # DeepFlow
          404 | -                             | Not Found                                | AGAIN    | 0
          # proxies
          302 | -                             | -                                        | AGAIN    | 0
          403 | -                             | forbidden                                | AGAIN    | 0
          502 | soon                          | bad gateway                              | AGAIN    | 0
          429 | 99999                         | slow down                                | AGAIN    | 600000
          """)
  void anAnswerMeansWhatTheReceiverMeans(
      int status, String retryAfter, String text, Kind kind, long waitMillis) throws Exception {
    ReceiverClient client = client("/w", Version.V1, Map.of(), AccessSettings.NONE);
    Map<String, String> headers = retryAfter == null ? Map.of() : Map.of("Retry-After", retryAfter);
    Outcome outcome = send(client, status, headers, text == null ? "" : text);
    assertThat(outcome.kind()).isEqualTo(kind);
    assertThat(outcome.waitMillis()).isEqualTo(waitMillis);
    assertThat(outcome.refused()).isEqualTo(status == 409 ? 2 : 0);
    if (text != null) {
      assertThat(outcome.why()).isEqualTo("status " + status + ": " + text);
    }
  }

  @Test
  void ofAReceiverThatIsAwayNothingIsLost() throws Exception {
    ReceiverClient client = client("/w", Version.V1, Map.of(), AccessSettings.NONE);
    server.stop(0);
    Outcome outcome = client.send(List.of(SERIES)).await(10, TimeUnit.MINUTES);
    assertThat(outcome.kind()).isEqualTo(Kind.AGAIN);
    assertThat(outcome.why()).contains("/w");
  }

  @Test
  void aRequestOfVersion2HasMetadataAndTheReceiverCounts() throws Exception {
    ReceiverClient client = client("/w", Version.V2, Map.of(), AccessSettings.NONE);
    MetricMetadata metadata = new MetricMetadata("gauge", "Some help.", "seconds");
    client.describe(Map.of("m", metadata));
    String written = "X-Prometheus-Remote-Write-Samples-Written";
    assertThat(send(client, 204, Map.of(written, "2"), "")).isEqualTo(Outcome.ACCEPTED);
    Capture request = captured.remove();
    assertThat(request.header("Content-type"))
        .isEqualTo("application/x-protobuf;proto=io.prometheus.write.v2.Request");
    assertThat(request.header("X-prometheus-remote-write-version")).isEqualTo("2.0.0");
    assertThat(content(request))
        .isEqualTo(new RemoteWriteWriter(Version.V2).series(SERIES, metadata).toBytes());
    assertThat(send(client, 400, Map.of(written, "1"), "out of order sample"))
        .as("the other sample is stored and must not be sent again")
        .isEqualTo(new Outcome(Kind.ACCEPTED, 1, 0, "status 400: out of order sample"));
    assertThat(send(client, 500, Map.of(written, "0"), "").kind()).isEqualTo(Kind.AGAIN);
  }

  @ParameterizedTest
  @CsvSource({"204", "200", "415"})
  void aReceiverThatDoesNotKnowVersion2GetsVersion1(int status) throws Exception {
    ReceiverClient client = client("/w", Version.V2, Map.of(), AccessSettings.NONE);
    // VictoriaMetrics and DeepFlow accept it, and store nothing.
    assertThat(send(client, status, Map.of(), "").kind()).isEqualTo(Kind.AGAIN);
    captured.remove();
    assertThat(send(client, 204, Map.of(), "")).isEqualTo(Outcome.ACCEPTED);
    assertIsVersion1(captured.remove());
  }

  @Test
  void metadataOfVersion1IsAMessageOfItsOwn() throws Exception {
    ReceiverClient client = client("/w", Version.V1, Map.of(), AccessSettings.NONE);
    send(client, 204, Map.of(), "");
    captured.remove();
    script.add(new Answer(204, Map.of(), ""));
    MetricMetadata metadata = new MetricMetadata("counter", "Some help.", "");
    client.describe(Map.of("m", metadata, "unsent", metadata));
    Capture request = captured.poll(10, TimeUnit.MINUTES);
    assertThat(content(request))
        .isEqualTo(new RemoteWriteWriter(Version.V1).metadata("m", metadata).toBytes());
  }

  @Test
  void credentialsAreThoseOfTheFiles() throws Exception {
    Path token = Files.writeString(folder.resolve("token"), "secret\n");
    Path user = Files.writeString(folder.resolve("user"), "a:b\n");
    send(
        client("/w", Version.V1, Map.of(), access(Optional.of(token), Optional.empty())),
        204,
        Map.of(),
        "");
    assertThat(captured.remove().header("Authorization")).isEqualTo("Bearer secret");
    http.close();
    send(
        client("/w", Version.V1, Map.of(), access(Optional.empty(), Optional.of(user))),
        204,
        Map.of(),
        "");
    assertThat(captured.remove().header("Authorization")).isEqualTo("Basic YTpi");
  }

  private static AccessSettings access(Optional<Path> token, Optional<Path> user) {
    return new AccessSettings(
        token, user, Optional.empty(), Optional.empty(), Optional.empty(), false);
  }
}
