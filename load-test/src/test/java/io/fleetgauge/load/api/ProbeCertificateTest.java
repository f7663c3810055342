package io.fleetgauge.load.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.ProbeProcess;
import io.fleetgauge.probe.config.ProbeConfig;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A probe with {@code http.tls.clientCa}. */
@ExtendWith(VertxExtension.class)
class ProbeCertificateTest {
  private static final String TOKEN = "0123456789abcdef";

  /** The answer to a request. */
  private record Answer(int status, String body) {}

  @TempDir private Path folder;
  private Certificates.Pair server;

  @Test
  void whatAProbeKnowsIsToldOnlyToClientsThatShowACertificateOfItsAuthority(Vertx vertx)
      throws Exception {
    server = Certificates.make(folder, "server");
    Certificates.Pair own = Certificates.make(folder, "own");
    Certificates.Pair other = Certificates.make(folder, "other");
    HttpClientAgent nobody = client(vertx, Optional.empty());
    HttpClientAgent trusted = client(vertx, Optional.of(own));
    HttpClientAgent stranger = client(vertx, Optional.of(other));
    try (ProbeProcess probe = ProbeProcess.start(config(own), System::currentTimeMillis)) {
      for (String path : List.of("/-/healthy", "/-/ready")) {
        assertThat(get(nobody, probe.port(), path).status).as(path).isEqualTo(200);
      }
      for (String path : List.of("/metrics", "/v1/recent", "/v1/allocations")) {
        Answer refused = get(nobody, probe.port(), path);
        assertThat(refused.status).as(path).isEqualTo(401);
        assertThat(refused.body).contains("http.tls.clientCa");
        assertThat(get(trusted, probe.port(), path).status).as(path).isNotEqualTo(401);
      }
      assertThat(get(trusted, probe.port(), "/metrics").body).contains("fleetgauge_probe");
      assertThat(get(trusted, probe.port(), "/v1/allocations", "").body)
          .as("the token is needed all the same")
          .contains("attribution.allocations.tokenFile");
      assertThat(get(nobody, probe.usedGpuMemoryPort(), "/metrics").status).isEqualTo(401);
      assertThat(get(trusted, probe.usedGpuMemoryPort(), "/metrics").status).isEqualTo(200);
      assertThat(get(stranger, probe.port(), "/metrics").status)
          .as("a client shows no certificate of an authority that it is not asked for")
          .isEqualTo(401);
    }
  }

  private ProbeConfig config(Certificates.Pair own) throws Exception {
    Files.writeString(folder.resolve("token"), TOKEN);
    return ProbeConfig.read(
        "test",
        """
        hostname: n1
        gateways: [http://127.0.0.1:1]
        tick: 1s
        gpu: {library: %1$s/none.so}
        attribution:
          processes: {port: 0}
          allocations: {tokenFile: %1$s/token}
        http:
          host: 127.0.0.1
          port: 0
          tls: {certificate: %2$s, key: %3$s, clientCa: %4$s}
        spool: {enabled: false}
        """
            .formatted(folder, server.certificate(), server.key(), own.certificate()));
  }

  private HttpClientAgent client(Vertx vertx, Optional<Certificates.Pair> shown) {
    HttpClientOptions options = new HttpClientOptions();
    options
        .setSsl(true)
        .setTrustOptions(new PemTrustOptions().addCertPath(server.certificate().toString()));
    shown.ifPresent(
        pair ->
            options.setKeyCertOptions(
                new PemKeyCertOptions()
                    .addCertPath(pair.certificate().toString())
                    .addKeyPath(pair.key().toString())));
    return vertx.createHttpClient(options);
  }

  private static Answer get(HttpClientAgent client, int port, String path) throws Exception {
    return get(client, port, path, TOKEN);
  }

  private static Answer get(HttpClientAgent client, int port, String path, String token)
      throws Exception {
    return client
        .request(HttpMethod.GET, port, "127.0.0.1", path)
        .compose(
            request ->
                request
                    .putHeader("Authorization", "Bearer " + token)
                    .send()
                    .compose(
                        response ->
                            response
                                .body()
                                .map(body -> new Answer(response.statusCode(), body + ""))))
        .await(120, TimeUnit.SECONDS);
  }
}
