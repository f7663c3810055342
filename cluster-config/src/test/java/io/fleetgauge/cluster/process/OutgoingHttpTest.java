package io.fleetgauge.cluster.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.config.TrustSettings;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(VertxExtension.class)
class OutgoingHttpTest {
  private static final String SECRET = "0123456789abcdef";
  private static final OutgoingHttp.Limits LIMITS = new OutgoingHttp.Limits(1_000, 10, 2, 10);

  @TempDir private Path folder;

  // Referred to until the test ends: a client that is collected closes its connections.
  private OutgoingHttp used;

  private SecretFile secret() throws Exception {
    return SecretFile.open(
        "cluster.secretFile", Optional.of(Files.writeString(folder.resolve("secret"), SECRET)));
  }

  @Test
  void aRequestHasTheAddressThePathTheTimeoutAndTheSecret(Vertx vertx) throws Exception {
    try (OutgoingHttp http = new OutgoingHttp(vertx, TrustSettings.NONE, secret(), LIMITS)) {
      RequestOptions request =
          http.to(URI.create("http://10.0.0.1:9400"), HttpMethod.PUT, "/v1/x?a=b", 700);
      assertThat(request.getHost()).isEqualTo("10.0.0.1");
      assertThat(request.getPort()).isEqualTo(9400);
      assertThat(request.getMethod()).isEqualTo(HttpMethod.PUT);
      assertThat(request.getURI()).isEqualTo("/v1/x?a=b");
      assertThat(request.getTimeout()).isEqualTo(700);
      assertThat(request.isSsl()).isFalse();
      assertThat(request.getHeaders().get(OutgoingHttp.SECRET)).isEqualTo(SECRET);
    }
  }

  @Test
  void anHttpsAddressIsReachedByTlsAndWithoutASecretNoneIsSent(Vertx vertx) {
    try (OutgoingHttp http = new OutgoingHttp(vertx, TrustSettings.NONE, SecretFile.NONE, LIMITS)) {
      RequestOptions request = http.to(URI.create("https://a:1"), HttpMethod.GET, "/", 700);
      assertThat(request.isSsl()).isTrue();
      assertThat(request.getHeaders() == null || request.getHeaders().isEmpty()).isTrue();
    }
  }

  @Test
  void aSecretThatWasReadAgainIsSentWithTheNextRequest(Vertx vertx) throws Exception {
    SecretFile secret = secret();
    try (OutgoingHttp http = new OutgoingHttp(vertx, TrustSettings.NONE, secret, LIMITS)) {
      Files.writeString(folder.resolve("secret"), SECRET + "-new");
      secret.look();
      assertThat(
              http.to(URI.create("http://a:1"), HttpMethod.GET, "/", 1)
                  .getHeaders()
                  .get(OutgoingHttp.SECRET))
          .isEqualTo(SECRET + "-new");
    }
  }

  @Test
  void aServersNameOrAddressMustStandInItsCertificate() {
    ClientSSLOptions options = OutgoingHttp.ssl(TrustSettings.NONE);
    assertThat(options.getHostnameVerificationAlgorithm()).isEqualTo("HTTPS");
    assertThat(options.getTrustOptions()).as("the authorities of the JDK").isNull();
    assertThat(options.getKeyCertOptions()).isNull();
  }

  @Test
  void trustNamesTheAuthorityAndTheCertificateOfThisProcess() {
    Path any = folder.resolve("any.pem");
    ClientSSLOptions options =
        OutgoingHttp.ssl(
            new TrustSettings(
                Optional.of(any), Optional.of(any), Optional.of(any), Optional.empty()));
    assertThat(((PemTrustOptions) options.getTrustOptions()).getCertPaths())
        .containsExactly(any.toString());
    PemKeyCertOptions own = (PemKeyCertOptions) options.getKeyCertOptions();
    assertThat(own.getCertPath()).isEqualTo(any.toString());
    assertThat(own.getKeyPath()).isEqualTo(any.toString());
  }

  @Test
  void aRequestReachesAServer(Vertx vertx, VertxTestContext test) throws Exception {
    int port =
        vertx
            .createHttpServer()
            .requestHandler(
                request ->
                    request
                        .response()
                        .setStatusCode(
                            SECRET.equals(request.getHeader(OutgoingHttp.SECRET)) ? 204 : 401)
                        .end())
            .listen(0, "127.0.0.1")
            .await(10, TimeUnit.SECONDS)
            .actualPort();
    used = new OutgoingHttp(vertx, TrustSettings.NONE, secret(), LIMITS);
    used.client()
        .request(used.to(URI.create("http://127.0.0.1:" + port), HttpMethod.GET, "/", 5_000))
        .compose(request -> request.send())
        .map(HttpClientResponse::statusCode)
        .onComplete(
            test.succeeding(
                status ->
                    test.verify(
                        () -> {
                          assertThat(status).isEqualTo(204);
                          test.completeNow();
                        })));
  }
}
