package io.fleetgauge.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.probe.uplink.UplinkSettings;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.RequestHead;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.fleetgauge.runtime.trust.RequestVerifier;
import io.vertx.core.Vertx;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A running probe without a gateway. */
@Tag("slow")
class ProbeProcessTest {
  private static final Duration SOON = Duration.ofMinutes(10);

  @TempDir private Path folder;
  private final HttpClient http = HttpClient.newHttpClient();

  @Test
  void aSpoolThatIsRemovedWhileTheProbeRunsIsToldOfUntilItIsBack() throws Exception {
    Path spool = folder.resolve("spool");
    Path away = folder.resolve("away");
    try (ProbeProcess probe =
        ProbeProcess.start(config(", folder: " + spool), System::currentTimeMillis)) {
      assertThat(get(probe, "/-/ready").statusCode()).isEqualTo(200);
      await().atMost(SOON).until(() -> probe.counts().diskBytes() > 0);
      Files.move(spool, away);
      await().atMost(SOON).until(() -> get(probe, "/-/ready").statusCode() == 503);
      assertThat(get(probe, "/-/ready").body()).contains(spool + " was removed");
      await("the next look at the folder")
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(get(probe, "/metrics").body())
                      .contains("fleetgauge_probe_folder_lost 1.0")
                      .contains("fleetgauge_probe_disk_trouble 1.0"));
      long read = probe.counts().read();
      await("it goes on reading").atMost(SOON).until(() -> probe.counts().read() > read);
      assertThat(probe.counts().dropped()).as("memory has place").isZero();
      Files.move(away, spool);
      await().atMost(SOON).until(() -> get(probe, "/-/ready").statusCode() == 200);
      await("the next look at the folder")
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(get(probe, "/metrics").body())
                      .contains("fleetgauge_probe_folder_lost 0.0")
                      .contains("fleetgauge_probe_disk_trouble 0.0"));
    }
  }

  @Test
  void aSpoolWhoseLockIsRemovedIsToldOfToo() throws Exception {
    Path spool = folder.resolve("spool");
    try (ProbeProcess probe =
        ProbeProcess.start(config(", folder: " + spool), System::currentTimeMillis)) {
      Path lock = spool.resolve("lock");
      Files.delete(lock);
      await().atMost(SOON).until(() -> get(probe, "/-/ready").statusCode() == 503);
      assertThat(get(probe, "/-/ready").body()).contains(lock + " was removed");
    }
  }

  @Test
  void ticksInMemoryNeverGetMoreThanAQuarterOfTheHeap() {
    long heap = 64L << 20;
    assertThat(UplinkPart.maxBytes(UplinkSettings.DEFAULT.maxBytes(), heap))
        .as("the default is within it")
        .isEqualTo(UplinkSettings.DEFAULT.maxBytes());
    assertThat(UplinkPart.maxBytes(heap, heap)).isEqualTo(heap / 4);
  }

  @Test
  void aProbeWithoutASpoolIsReadyAndHasNoTrouble() throws Exception {
    try (ProbeProcess probe =
        ProbeProcess.start(config(", enabled: false"), System::currentTimeMillis)) {
      assertThat(get(probe, "/-/ready").statusCode()).isEqualTo(200);
      assertThat(get(probe, "/metrics").body())
          .contains("fleetgauge_probe_folder_lost 0.0")
          .contains("fleetgauge_probe_disk_trouble 0.0");
    }
  }

  @Test
  void aTokenAndASecretThatAreReplacedWhileTheProbeRunsAreUsed() throws Exception {
    String oldSecret = "the-secret-of-before";
    String newSecret = "the-secret-of-now-on";
    Path token = Files.writeString(folder.resolve("token"), "the-token-of-before");
    Path secret = Files.writeString(folder.resolve("cluster-secret"), oldSecret);
    Map<String, RequestVerifier> verifiers = new HashMap<>();
    for (String each : List.of(oldSecret, newSecret)) {
      verifiers.put(
          each,
          new RequestVerifier(
              ClusterKey.of(() -> List.of(each)),
              Duration.ofMinutes(1),
              System::currentTimeMillis));
    }
    Set<String> shown = ConcurrentHashMap.newKeySet();
    Set<String> proven = ConcurrentHashMap.newKeySet();
    Vertx vertx = Vertx.vertx();
    int port =
        vertx
            .createHttpServer()
            .requestHandler(
                request -> {
                  shown.add(String.valueOf(request.getHeader("Authorization")));
                  verifiers.forEach(
                      (each, verifier) -> {
                        RequestVerifier.Verdict verdict =
                            verifier.verify(
                                Optional.ofNullable(request.getHeader(RequestSigner.HEADER)),
                                new RequestHead(
                                    request.method().name(),
                                    request.uri(),
                                    request.headers().entries()),
                                "127.0.0.1",
                                request.localAddress().port(),
                                0);
                        if (verdict instanceof RequestVerifier.Verdict.Proven) {
                          proven.add(each);
                        }
                      });
                  request.response().setStatusCode(401).end();
                })
            .listen(0, "127.0.0.1")
            .await(120, TimeUnit.SECONDS)
            .actualPort();
    String yaml =
        """
        hostname: n1
        gateways: [http://127.0.0.1:%d]
        tick: 1s
        gpu: {enabled: false}
        http: {host: 127.0.0.1, port: 0}
        spool: {enabled: false}
        tokenFile: '%s'
        cluster: {secretFile: '%s'}
        """
            .formatted(port, token, secret);
    try (ProbeProcess probe =
        ProbeProcess.start(ProbeConfig.read("test", yaml), System::currentTimeMillis)) {
      await()
          .atMost(SOON)
          .until(() -> shown.contains("Bearer the-token-of-before") && proven.contains(oldSecret));
      assertThat(proven).containsExactly(oldSecret);
      Files.writeString(token, "the-token-of-now-on");
      Files.writeString(secret, newSecret);
      await()
          .atMost(SOON)
          .until(() -> shown.contains("Bearer the-token-of-now-on") && proven.contains(newSecret));
      assertThat(probe.counts().kept()).isZero();
    } finally {
      vertx.close().await(120, TimeUnit.SECONDS);
    }
  }

  private static ProbeConfig config(String spool) throws Exception {
    return ProbeConfig.read(
        "test",
        """
        hostname: n1
        gateways: [http://127.0.0.1:1]
        tick: 1s
        gpu: {enabled: false}
        http: {host: 127.0.0.1, port: 0}
        spool: {retention: 1h%s}
        """
            .formatted(spool));
  }

  private HttpResponse<String> get(ProbeProcess probe, String path) throws Exception {
    return http.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + probe.port() + path)).build(),
        HttpResponse.BodyHandlers.ofString());
  }
}
