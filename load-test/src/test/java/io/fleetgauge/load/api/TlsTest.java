package io.fleetgauge.load.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.load.fleet.LocalFleet;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.probe.uplink.Uplink;
import io.fleetgauge.probe.uplink.UplinkSettings;
import io.fleetgauge.query.QueryProcess;
import io.fleetgauge.runtime.config.TlsSettings;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsTest {
  private static final Duration SOON = Duration.ofMinutes(10);

  @TempDir private Path folder;
  private final Vertx vertx = Vertx.vertx();
  private Certificates.Pair server;
  private Certificates.Pair own;
  private Path ca;
  private LocalFleet fleet;
  private QueryProcess query;
  private SSLContext trusting;

  @BeforeEach
  void start() throws Exception {
    server = Certificates.make(folder, "server");
    own = Certificates.make(folder, "own");
    Certificates.Pair next = Certificates.make(folder, "next");
    ca =
        Certificates.together(
            folder.resolve("ca.pem"), List.of(server.certificate(), next.certificate()));
    fleet =
        new LocalFleet(
            "tls" + System.nanoTime(),
            LocalPorts.free(3),
            folder.resolve("g"),
            System::currentTimeMillis);
    fleet.secure(
        Optional.empty(),
        trust(ca, own),
        Optional.of(
            new TlsSettings(server.certificate(), server.key(), Optional.of(own.certificate()))));
    fleet.startGateway(0, Duration.ofHours(24));
    fleet.startGateway(0, Duration.ofHours(24));
    query = fleet.startQuery(base -> base);
    trusting = context(ca);
  }

  private static TrustSettings trust(Path ca, Certificates.Pair own) {
    return new TrustSettings(
        Optional.of(ca),
        Optional.of(own.certificate()),
        Optional.of(own.key()),
        Optional.empty(),
        TrustSettings.NONE.clockSkew());
  }

  private static SSLContext context(Path ca) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    try (InputStream in = Files.newInputStream(ca)) {
      int number = 0;
      for (var certificate : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        store.setCertificateEntry("" + number++, certificate);
      }
    }
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  @AfterEach
  void stop() throws Exception {
    fleet.close();
    vertx.close().await(120, java.util.concurrent.TimeUnit.SECONDS);
  }

  private Uplink uplink(TrustSettings trust) {
    Supplier<String> noToken = () -> "";
    return new Uplink(
        vertx,
        "n1",
        fleet.gatewayAddresses(),
        UplinkSettings.DEFAULT,
        Optional.empty(),
        new OutgoingHttp(vertx, trust, RequestSigner.NONE, Uplink.HTTP_LIMITS),
        noToken,
        7);
  }

  private static Tick tick() {
    Tick.Builder tick = new Tick.Builder();
    tick.add(Labels.of("__name__", "up", "Hostname", "n1"), 1);
    return tick.at(System.currentTimeMillis());
  }

  private HttpResponse<String> get(String path) throws Exception {
    try (HttpClient client = HttpClient.newBuilder().sslContext(trusting).build()) {
      return client.send(
          HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + query.port() + path)).build(),
          HttpResponse.BodyHandlers.ofString());
    }
  }

  @Test
  void samplesAndQueriesGoOverTlsAndProcessesShowTheirCertificates() throws Exception {
    assertThat(fleet.gatewayAddresses()).allMatch(each -> each.getScheme().equals("https"));
    try (Uplink uplink = uplink(trust(ca, own))) {
      uplink.offer(tick());
      await().atMost(SOON).until(() -> uplink.unacknowledgedTicks() == 0);
    }
    await().atMost(SOON).until(() -> get("/api/v1/query?query=count(up)").body().contains("\"1\""));
    assertThatThrownBy(
            () -> {
              try (HttpClient client = HttpClient.newHttpClient()) {
                client.send(
                    HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + query.port() + "/-/healthy"))
                        .build(),
                    HttpResponse.BodyHandlers.ofString());
              }
            })
        .isInstanceOf(IOException.class);
    // Who has no certificate of the cluster's own is none of its processes.
    URI gateway = fleet.gatewayAddresses().getFirst();
    try (HttpClient client = HttpClient.newBuilder().sslContext(trusting).build()) {
      HttpResponse<String> answer =
          client.send(
              HttpRequest.newBuilder(gateway.resolve("/v1/hosts/n1/samples?from=0&to=9")).build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(401);
    }
  }

  @Test
  void streamsBetweenGatewaysGoOverTlsToo() throws Exception {
    try (Uplink uplink = uplink(trust(ca, own));
        OutgoingHttp http =
            new OutgoingHttp(vertx, trust(ca, own), RequestSigner.NONE, Uplink.HTTP_LIMITS)) {
      uplink.offer(tick());
      await()
          .atMost(SOON)
          .untilAsserted(
              () -> {
                double copied = 0;
                for (URI gateway : fleet.gatewayAddresses()) {
                  String metrics =
                      http.to(gateway, HttpMethod.GET, "/metrics", 60_000)
                          .send()
                          .await()
                          .body()
                          .toString();
                  assertThat(metrics).containsPattern("fleetgauge_gateway_streams [1-9]");
                  copied += copiedFrames(metrics);
                }
                assertThat(copied).isPositive();
              });
    }
  }

  private static double copiedFrames(String metrics) {
    return metrics
        .lines()
        .filter(line -> line.startsWith("fleetgauge_gateway_copied_frames_total "))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  @Test
  void aGatewayThatIsNotTrustedGetsNoRequest() throws Exception {
    Certificates.Pair other = Certificates.make(folder, "other");
    try (OutgoingHttp http =
        new OutgoingHttp(
            vertx, trust(other.certificate(), own), RequestSigner.NONE, Uplink.HTTP_LIMITS)) {
      URI gateway = fleet.gatewayAddresses().getFirst();
      assertThatThrownBy(
              () -> http.to(gateway, HttpMethod.GET, "/-/healthy", 60_000).send().await())
          .isInstanceOf(SSLHandshakeException.class);
    }
  }

  @Test
  void anAddressThatSaysHttpIsReachedByTlsAllTheSame() throws Exception {
    try (OutgoingHttp http =
        new OutgoingHttp(vertx, trust(ca, own), RequestSigner.NONE, Uplink.HTTP_LIMITS)) {
      URI gateway = fleet.gatewayAddresses().getFirst();
      URI claimed = URI.create("http://" + gateway.getAuthority());
      assertThat(
              http.to(claimed, HttpMethod.GET, "/-/healthy", 60_000)
                  .send()
                  .await()
                  .body()
                  .toString())
          .isEqualTo("healthy\n");
    }
  }

  private BigInteger serial() throws Exception {
    try (SSLSocket socket =
        (SSLSocket) trusting.getSocketFactory().createSocket("127.0.0.1", query.port())) {
      socket.startHandshake();
      return ((X509Certificate) socket.getSession().getPeerCertificates()[0]).getSerialNumber();
    }
  }

  @Test
  void aRenewedCertificateIsTakenWithoutARestart() throws Exception {
    BigInteger before = serial();
    Files.copy(
        folder.resolve("next.crt"), server.certificate(), StandardCopyOption.REPLACE_EXISTING);
    Files.copy(folder.resolve("next.key"), server.key(), StandardCopyOption.REPLACE_EXISTING);
    await().atMost(SOON).until(() -> !serial().equals(before));
    assertThat(get("/-/healthy").statusCode()).isEqualTo(200);
  }
}
