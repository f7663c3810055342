package io.fleetgauge.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.TlsSettings;
import io.fleetgauge.runtime.http.HttpListener;
import io.fleetgauge.runtime.http.MountedRoutes;
import io.fleetgauge.runtime.process.EventLoops;
import io.fleetgauge.sample.Tick;
import io.vertx.core.Vertx;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The guard of each route that is mounted. */
class RoutesTest {
  private static final char[] PASSWORD = "changeit".toCharArray();
  private static final Set<String> OPEN = Set.of("GET /-/healthy", "GET /-/ready");

  /** They ask for a token besides, and without one in the configuration for nothing else. */
  private static final Set<String> ALLOCATIONS =
      Set.of(
          "ANY /v1/allocations",
          "GET /v1/allocations",
          "POST /v1/allocations",
          "DELETE /v1/allocations/:id");

  private static final Set<String> READINGS = Set.of("GET /metrics", "GET /v1/recent");

  @TempDir private Path folder;

  private ProbeConfig config(String more) throws Exception {
    return ProbeConfig.read(
        "test",
        """
        hostname: n1
        gateways: [http://127.0.0.1:1]
        gpu: {enabled: false}
        spool: {enabled: false}
        """
            + more);
  }

  /** Allocations are told over a socket of the machine. */
  private String local() {
    return "attribution: {allocations: {socket: '" + folder.resolve("socket") + "'}}";
  }

  @Test
  void withAClientCaNothingButItsHealthIsShownWithoutACertificate() throws Exception {
    TlsSettings tls = certificate();
    String http =
        """
        http:
          host: 127.0.0.1
          port: 0
          tls: {certificate: '%s', key: '%s', clientCa: '%s'}
        %s
        """
            .formatted(tls.certificate(), tls.key(), tls.certificate(), local());
    try (ProbeProcess probe = ProbeProcess.start(config(http), System::currentTimeMillis);
        MountedRoutes routes =
            new MountedRoutes(
                client(), URI.create("https://127.0.0.1:" + probe.port()), probe.router())) {
      assertThat(routes.all())
          .containsAll(OPEN)
          .containsAll(READINGS)
          .containsAll(ALLOCATIONS)
          .hasSize(OPEN.size() + READINGS.size() + ALLOCATIONS.size());
      assertThat(routes.refused(OPEN)).isEmpty();
      for (String[] headers : MountedRoutes.forgeries().values()) {
        Set<String> guarded = new TreeSet<>(routes.all());
        guarded.removeAll(OPEN);
        assertThat(routes.refused(guarded, headers))
            .containsOnlyKeys(guarded)
            .allSatisfy((route, status) -> assertThat(status).as(route).isEqualTo(401));
      }
    }
  }

  @Test
  void allocationsNeedTheTokenThatIsConfiguredAndWithoutOneNobodyMayTellThem() throws Exception {
    Path token = Files.writeString(folder.resolve("token"), "the-token-of-16-or-more");
    String http = "http: {host: 127.0.0.1, port: 0}\n";
    try (ProbeProcess probe =
            ProbeProcess.start(config(http + local()), System::currentTimeMillis);
        MountedRoutes routes =
            new MountedRoutes(
                HttpClient.newHttpClient(),
                URI.create("http://127.0.0.1:" + probe.port()),
                probe.router())) {
      for (String[] headers : MountedRoutes.forgeries().values()) {
        assertThat(routes.refused(routes.all(), headers))
            .containsOnlyKeys(ALLOCATIONS)
            .allSatisfy((route, status) -> assertThat(status).as(route).isEqualTo(403));
      }
    }
    try (ProbeProcess probe =
            ProbeProcess.start(
                config(http + "attribution: {allocations: {tokenFile: '" + token + "'}}"),
                System::currentTimeMillis);
        MountedRoutes routes =
            new MountedRoutes(
                HttpClient.newHttpClient(),
                URI.create("http://127.0.0.1:" + probe.port()),
                probe.router())) {
      for (String[] headers : MountedRoutes.forgeries().values()) {
        assertThat(routes.refused(routes.all(), headers))
            .containsOnlyKeys(ALLOCATIONS)
            .allSatisfy((route, status) -> assertThat(status).as(route).isEqualTo(401));
      }
      assertThat(routes.refused(routes.all(), "Authorization", "Bearer the-token-of-16-or-more"))
          .isEmpty();
      assertThat(routes.refused(routes.all(), "Authorization", "bearer the-token-of-16-or-more x"))
          .containsOnlyKeys(ALLOCATIONS);
    }
  }

  @Test
  void theMemoryOfContainersIsShownToThoseWithACertificateWhereOneIsNeeded() throws Exception {
    HttpSettings settings = new HttpSettings("127.0.0.1", 0, false, Optional.of(certificate()));
    Vertx vertx = EventLoops.startFew();
    var router = UsedGpuMemoryRoute.router(vertx, settings, () -> new Tick.Builder().at(0));
    try (HttpListener listener = HttpListener.start(vertx, settings, "port", router);
        MountedRoutes routes =
            new MountedRoutes(
                client(), URI.create("https://127.0.0.1:" + listener.port()), router)) {
      assertThat(routes.refused(routes.all())).isEqualTo(Map.of("GET /metrics", 401));
    } finally {
      vertx.close().await(2, TimeUnit.MINUTES);
    }
  }

  // --- certificates ---

  private KeyStore store() throws Exception {
    Path file = folder.resolve("keys.p12");
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      keys.load(in, PASSWORD);
    }
    return keys;
  }

  /** One that signs itself, which is the authority of clients, too. */
  private TlsSettings certificate() throws Exception {
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "own",
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-keystore",
                folder.resolve("keys.p12").toString(),
                "-storepass",
                new String(PASSWORD),
                "-dname",
                "CN=probe",
                "-ext",
                "SAN=ip:127.0.0.1",
                "-ext",
                "BC=ca:true")
            .redirectErrorStream(true)
            .start();
    String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(keytool.waitFor()).as(output).isZero();
    KeyStore keys = store();
    Path certificate =
        Files.writeString(
            folder.resolve("probe.crt"),
            pem("CERTIFICATE", keys.getCertificate("own").getEncoded()));
    Path key =
        Files.writeString(
            folder.resolve("probe.key"),
            pem("PRIVATE KEY", keys.getKey("own", PASSWORD).getEncoded()));
    return new TlsSettings(certificate, key, Optional.of(certificate));
  }

  private static String pem(String kind, byte[] bytes) {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    return "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n";
  }

  /** Trusts the probe, and has no certificate of its own. */
  private HttpClient client() throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, PASSWORD);
    trusted.setCertificateEntry("probe", store().getCertificate("own"));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(null, trust.getTrustManagers(), null);
    return HttpClient.newBuilder().sslContext(tls).build();
  }
}
