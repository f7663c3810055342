package io.fleetgauge.load.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.gateway.GatewayProcess;
import io.fleetgauge.gateway.config.GatewayConfig;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.QueryClient;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.probe.uplink.Uplink;
import io.fleetgauge.probe.uplink.UplinkSettings;
import io.fleetgauge.query.QueryProcess;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.process.EventLoops;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.vertx.core.Vertx;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Traffic between gateways, a query API and a probe, recorded on the way. */
class SignedTrafficTest {
  private static final String SECRET = "xq7-the-secret-of-this-cluster";
  private static final String BEHIND = "127.0.0.1";

  /** Where others reach the gateways: a recorder listens there, and passes everything on. */
  private static final String PUBLIC = "127.0.0.2";

  private static final Duration SOON = Duration.ofMinutes(10);

  @TempDir private Path folder;
  private final List<AutoCloseable> started = new ArrayList<>();

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable each : started.reversed()) {
      each.close();
    }
  }

  private <T extends AutoCloseable> T begin(T part) {
    started.add(part);
    return part;
  }

  private String cluster(List<Integer> ports, int own, Path secret) {
    String members =
        String.join(", ", ports.stream().map(port -> "'" + BEHIND + ":" + port + "'").toList());
    return "cluster: {name: t%d, host: %s, port: %d, members: [%s], secretFile: '%s'}\n"
        .formatted(ports.getFirst(), BEHIND, ports.get(own), members, secret);
  }

  @Test
  void noByteBetweenProcessesHasTheSecretInIt() throws Exception {
    Path secret = Files.writeString(folder.resolve("secret"), SECRET);
    List<Integer> members = LocalPorts.free(5);
    Recorder recorder = begin(new Recorder());
    List<URI> gateways = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      int port = members.get(3 + i);
      String yaml =
          """
          id: g%d
          http: {host: %s, port: %d, advertisedHost: %s}
          store: {folder: '%s'}
          """
              .formatted(i, BEHIND, port, PUBLIC, folder.resolve("g" + i));
      begin(
          GatewayProcess.start(
              GatewayConfig.read("g" + i, yaml + cluster(members.subList(0, 3), i, secret)),
              System::currentTimeMillis));
      recorder.pass(PUBLIC, BEHIND, port);
      gateways.add(URI.create("http://" + PUBLIC + ":" + port));
    }
    QueryProcess query =
        begin(
            QueryProcess.start(
                QueryConfig.read(
                    "q",
                    "http: {host: 127.0.0.1, port: 0}\n"
                        + cluster(members.subList(0, 3), 2, secret)),
                System::currentTimeMillis));
    write(gateways.getFirst());
    sendTick(gateways.getLast());
    QueryClient client = new QueryClient(query.port());
    await()
        .atMost(SOON)
        .until(() -> client.values("count by (job) (up)", "job").toString().contains("j=20.0"));
    await()
        .atMost(SOON)
        .until(
            () -> {
              String all = recorder.text();
              return all.contains("GET /v1/stream HTTP/1.1")
                  && all.contains("/frames HTTP/1.1")
                  && all.contains("POST /v1/fragments HTTP/1.1")
                  && all.contains("h-probe");
            });
    String all = recorder.text();
    for (String request : List.of("/v1/stream HTTP/1.1", "/v1/fragments HTTP/1.1")) {
      int at = all.indexOf(request);
      assertThat(all.substring(at, all.indexOf("\r\n\r\n", at)))
          .containsIgnoringCase(RequestSigner.HEADER + ": 1 " + PUBLIC + ":");
    }
    byte[] bytes = SECRET.getBytes(StandardCharsets.UTF_8);
    for (String form :
        List.of(
            SECRET,
            HexFormat.of().formatHex(bytes),
            Base64.getEncoder().withoutPadding().encodeToString(bytes))) {
      assertThat(all).doesNotContain(form);
    }
    String counts =
        get(URI.create("http://" + BEHIND + ":" + gateways.getFirst().getPort() + "/metrics"));
    assertThat(counts.lines().filter(line -> line.contains("signatures_rejected_total{")))
        .isNotEmpty()
        .allMatch(line -> line.endsWith(" 0.0"));
  }

  private static String get(URI address) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client
          .send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString())
          .body();
    }
  }

  private static void write(URI gateway) throws Exception {
    RemoteWriteBody body = RemoteWriteBody.v1();
    for (int host = 0; host < 20; host++) {
      body.series(
          Labels.of("__name__", "up", "Hostname", "h" + host, "job", "j"),
          System.currentTimeMillis(),
          1);
    }
    try (HttpClient client = HttpClient.newHttpClient()) {
      await()
          .atMost(SOON)
          .until(
              () ->
                  client
                          .send(
                              HttpRequest.newBuilder(gateway.resolve("/api/v1/write"))
                                  .header("Content-Type", RemoteWriteBody.V1_TYPE)
                                  .POST(HttpRequest.BodyPublishers.ofByteArray(body.compressed()))
                                  .build(),
                              HttpResponse.BodyHandlers.discarding())
                          .statusCode()
                      == 204);
    }
  }

  private void sendTick(URI gateway) {
    Vertx vertx = EventLoops.start();
    begin(() -> vertx.close().await(120, TimeUnit.SECONDS));
    RequestSigner signer =
        new RequestSigner(ClusterKey.of(() -> List.of(SECRET)), System::currentTimeMillis);
    Supplier<String> noToken = () -> "";
    Uplink uplink =
        begin(
            new Uplink(
                vertx,
                "h-probe",
                List.of(gateway),
                UplinkSettings.DEFAULT,
                Optional.empty(),
                new OutgoingHttp(vertx, TrustSettings.NONE, signer, Uplink.HTTP_LIMITS),
                noToken,
                7));
    Tick.Builder tick = new Tick.Builder();
    tick.add(Labels.of("__name__", "up", "Hostname", "h-probe", "job", "probe"), 1);
    uplink.offer(tick.at(System.currentTimeMillis()));
    await().atMost(SOON).until(() -> uplink.unacknowledgedTicks() == 0);
  }
}
