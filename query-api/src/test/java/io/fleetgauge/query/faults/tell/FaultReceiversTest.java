package io.fleetgauge.query.faults.tell;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.fleetgauge.query.config.FaultReceiverSettings;
import io.fleetgauge.query.config.FaultReceiverSettings.Form;
import io.fleetgauge.query.faults.detect.Subject;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.FaultKind;
import io.fleetgauge.sample.gpu.Severity;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FaultReceiversTest {
  private static final long NOW = 1_790_000_000_123L;

  private final Vertx vertx = Vertx.vertx();
  private final BlockingQueue<Request> requests = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> taken = new LinkedBlockingQueue<>();
  private final AtomicInteger failures = new AtomicInteger();
  private HttpServer server;
  private FaultReceivers receivers;

  @TempDir private Path folder;

  private record Request(String signature, String idempotency, String body) {
    JsonObject json() {
      return new JsonObject(body);
    }
  }

  @BeforeEach
  void listen() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          boolean fails = failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
          exchange.sendResponseHeaders(fails ? 503 : 204, -1);
          exchange.close();
          requests.add(
              new Request(
                  exchange.getRequestHeaders().getFirst("X-Fleetgauge-Signature"),
                  exchange.getRequestHeaders().getFirst("Idempotency-Key"),
                  body));
        });
    server.start();
  }

  @AfterEach
  void stop() throws Exception {
    if (receivers != null) {
      receivers.close();
    }
    server.stop(0);
    vertx.close().await(1, TimeUnit.MINUTES);
  }

  private void start(FaultReceiverSettings... settings) throws Exception {
    receivers =
        FaultReceivers.start(
            vertx,
            List.of(settings),
            () -> NOW,
            (receiver, episode, state) -> taken.add(receiver + " " + episode + " " + state));
  }

  private FaultReceiverSettings to(Form form, Optional<Path> secret) {
    return new FaultReceiverSettings(
        "main",
        form,
        URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/in"),
        Duration.ofMinutes(1),
        secret,
        Severity.WARNING,
        List.of(),
        List.of(),
        AccessSettings.NONE);
  }

  private static Episode episode(FaultKind kind, String cause, OptionalLong over, boolean shadow) {
    Labels labels = Labels.of("gpu", "3", "job", "train-7", "tenant", "atlas", "rack", "r1");
    return new Episode(
        "20260101T000000Z-" + kind.text() + "-h1-gpu3",
        kind,
        kind.severity(),
        new Subject("h1", "GPU-3", "", "", labels),
        cause,
        true,
        1_790_000_000_000L,
        1_790_000_000_000L,
        1_790_000_015_000L,
        over,
        over.isPresent() ? "its sign has been missing for 600 s" : "",
        2,
        "XID " + cause + " of GPU 3",
        List.of(),
        List.of(),
        "",
        List.of(),
        shadow);
  }

  private void tell(Episode episode, String... lines) {
    for (String receiver : receivers.wanting(episode)) {
      byte[] json = ("{\"id\":\"" + episode.id() + "\"}").getBytes(StandardCharsets.UTF_8);
      receivers.tell(receiver, new Told(episode, List.of(lines), json), () -> true);
    }
  }

  private Request next() throws InterruptedException {
    Request next = requests.poll(10, TimeUnit.MINUTES);
    assertThat(next).isNotNull();
    return next;
  }

  @Test
  void aWebhookGetsEachFaultOpenAndOverSignedAndWithTheSameKeyWhenItIsRepeated() throws Exception {
    Path file = Files.writeString(folder.resolve("secret"), "a shared secret\n");
    start(to(Form.WEBHOOK, Optional.of(file)));
    failures.set(1);
    tell(episode(FaultKind.XID, "79", OptionalLong.empty(), false));
    Request refused = next();
    Request again = next();
    assertThat(again.body()).isEqualTo(refused.body());
    assertThat(again.idempotency())
        .isEqualTo(refused.idempotency())
        .isEqualTo("20260101T000000Z-xid-h1-gpu3/open");
    assertThat(again.json().getString("state")).isEqualTo("open");
    assertThat(again.json().getJsonObject("fault").getString("id"))
        .isEqualTo("20260101T000000Z-xid-h1-gpu3");
    assertThat(again.signature()).isEqualTo("t=1790000000,v1=" + hmac(again.body()));
    assertThat(taken.poll(10, TimeUnit.MINUTES))
        .isEqualTo("main 20260101T000000Z-xid-h1-gpu3 open");
    tell(episode(FaultKind.XID, "79", OptionalLong.of(1_790_000_600_000L), false));
    assertThat(next().json().getString("state")).isEqualTo("over");
  }

  private static String hmac(String body) throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec("a shared secret".getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    return HexFormat.of()
        .formatHex(mac.doFinal(("1790000000." + body).getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void aFaultInShadowModeOrBelowTheSeverityIsNotTold() throws Exception {
    start(to(Form.WEBHOOK, Optional.empty()));
    assertThat(receivers.wanting(episode(FaultKind.XID, "79", OptionalLong.empty(), true)))
        .isEmpty();
    assertThat(
            receivers.wanting(
                episode(FaultKind.XID_APPLICATION, "31", OptionalLong.empty(), false)))
        .isEmpty();
    assertThat(receivers.wanting(episode(FaultKind.XID, "79", OptionalLong.empty(), false)))
        .containsExactly("main");
  }

  @Test
  void aHealthEventOfNvsentinelNamesNodeGpuCodeAndAction() throws Exception {
    start(to(Form.NVSENTINEL, Optional.empty()));
    tell(episode(FaultKind.XID, "79", OptionalLong.empty(), false));
    JsonObject event = next().json().getJsonArray("events").getJsonObject(0);
    assertThat(event.getString("nodeName")).isEqualTo("h1");
    assertThat(event.getBoolean("isFatal")).isTrue();
    assertThat(event.getBoolean("isHealthy")).isFalse();
    assertThat(event.getJsonArray("errorCode").encode()).isEqualTo("[\"79\"]");
    assertThat(event.getString("recommendedAction")).isEqualTo("COMPONENT_RESET");
    assertThat(event.getJsonArray("entitiesImpacted").encode())
        .contains("{\"entityType\":\"GPU_UUID\",\"entityValue\":\"GPU-3\"}");
    assertThat(event.getString("generatedTimestamp")).isEqualTo("2026-09-21T14:13:20Z");
    tell(episode(FaultKind.XID, "79", OptionalLong.of(1_790_000_600_000L), false));
    JsonObject over = next().json().getJsonArray("events").getJsonObject(0);
    assertThat(over.getBoolean("isHealthy")).isTrue();
    assertThat(over.getString("recommendedAction")).isEqualTo("NONE");
  }

  @Test
  void lokiGetsTheFaultAndTheKernelsLinesWithHostGpuAndJobAsLabels() throws Exception {
    start(to(Form.LOKI, Optional.empty()));
    tell(episode(FaultKind.XID, "79", OptionalLong.empty(), false), "NVRM: Xid (PCI:1): 79, lost");
    List<JsonObject> streams =
        next().json().getJsonArray("streams").stream().map(JsonObject.class::cast).toList();
    assertThat(streams).hasSize(2);
    for (JsonObject stream : streams) {
      assertThat(stream.getJsonObject("stream").getMap())
          .containsEntry("Hostname", "h1")
          .containsEntry("gpu", "3")
          .containsEntry("job", "train-7");
    }
    assertThat(streams.get(1).getJsonObject("stream").getString("source")).isEqualTo("kernel");
    assertThat(streams.get(1).getJsonArray("values").getJsonArray(0).encode())
        .isEqualTo("[\"1790000000000000000\",\"NVRM: Xid (PCI:1): 79, lost\"]");
  }

  @Test
  void openTelemetryGetsALogRecordWithSeverityAndAttributes() throws Exception {
    start(to(Form.OTLP, Optional.empty()));
    tell(episode(FaultKind.XID, "79", OptionalLong.empty(), false), "NVRM: Xid (PCI:1): 79, lost");
    JsonObject of = next().json().getJsonArray("resourceLogs").getJsonObject(0);
    assertThat(of.getJsonObject("resource").encode()).contains("host.name", "h1");
    List<JsonObject> records =
        of.getJsonArray("scopeLogs").getJsonObject(0).getJsonArray("logRecords").stream()
            .map(JsonObject.class::cast)
            .toList();
    assertThat(records).hasSize(2);
    assertThat(records.getFirst().getInteger("severityNumber")).isEqualTo(17);
    assertThat(records.getFirst().getString("timeUnixNano")).isEqualTo("1790000000000000000");
    assertThat(records.getFirst().encode()).contains("fault.kind", "train-7", "GPU-3");
    assertThat(records.get(1).getJsonObject("body").getString("stringValue"))
        .isEqualTo("NVRM: Xid (PCI:1): 79, lost");
  }
}
