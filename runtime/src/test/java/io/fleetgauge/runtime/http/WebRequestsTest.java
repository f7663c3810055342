package io.fleetgauge.runtime.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Requests over real connections. */
@ExtendWith(VertxExtension.class)
class WebRequestsTest {
  private static final long LONG = 600_000;
  private static final HttpClients.Limits LIMITS = new HttpClients.Limits(10_000, 60, 1, 10);
  private static final ClientTls TLS = ClientTls.ofCluster(TrustSettings.NONE);

  private Vertx vertx;
  private WebRequests requests;
  private Credentials credentials = Credentials.NONE;

  @BeforeEach
  void start(Vertx loops) {
    vertx = loops;
  }

  @AfterEach
  void stop() {
    if (requests != null) {
      requests.close();
    }
  }

  private URI serve(Handler<HttpServerRequest> handler) throws Exception {
    HttpServer server = vertx.createHttpServer().requestHandler(handler);
    int port = server.listen(0, "127.0.0.1").await(10, TimeUnit.MINUTES).actualPort();
    return URI.create("http://127.0.0.1:" + port);
  }

  private WebRequest to(HttpMethod method, URI target, long timeoutMillis) {
    if (requests == null) {
      requests = new WebRequests(vertx, TLS, credentials, LIMITS);
    }
    return requests.to(method, target, timeoutMillis);
  }

  private static HttpAnswer answer(WebRequest request) throws Exception {
    return request.send().await(10, TimeUnit.MINUTES);
  }

  private static HttpFailure failure(WebRequest request) {
    Throwable failure = catchThrowable(() -> answer(request));
    assertThat(failure).isInstanceOf(HttpFailure.class);
    return (HttpFailure) failure;
  }

  private static Credentials secret(String... secrets) {
    return Credentials.ofCluster(new RequestSigner(ClusterKey.of(() -> List.of(secrets)), () -> 5));
  }

  @Test
  void aRequestIsSignedForItsServerAndTheSecretIsNotInIt() throws Exception {
    URI server =
        serve(
            request ->
                request
                    .response()
                    .setStatusCode(202)
                    .end(request.method() + " " + request.uri() + " " + request.headers()));
    credentials = secret("a-secret-without-spaces");
    HttpAnswer answer =
        answer(to(HttpMethod.POST, server.resolve("/v1/leave?a=%20"), LONG).body(new byte[] {1}));
    assertThat(answer.status()).isEqualTo(202);
    assertThat(answer.text())
        .startsWith("POST /v1/leave?a=%20 ")
        .containsIgnoringCase("x-fleetgauge-signature=1 " + server.getAuthority() + " 5 ")
        .doesNotContain("a-secret");
  }

  @Test
  void withoutASecretItIsNotSignedAndAnAnswerMayBeEmpty() throws Exception {
    URI server =
        serve(
            request ->
                request
                    .response()
                    .setStatusCode(request.getHeader(RequestSigner.HEADER) == null ? 204 : 500)
                    .end());
    credentials = secret();
    HttpAnswer answer = answer(to(HttpMethod.GET, server, LONG));
    assertThat(answer.status()).isEqualTo(204);
    assertThat(answer.text()).isEmpty();
  }

  @Test
  void aRequestHasItsHeadersItsBodyAndItsCredentials() throws Exception {
    URI server =
        serve(
            request ->
                request
                    .body()
                    .onSuccess(
                        body ->
                            request
                                .response()
                                .end(
                                    String.join(
                                        " ",
                                        request.getHeader("User-Agent"),
                                        request.getHeader("Authorization"),
                                        request.getHeader("X-One"),
                                        body.toString()))));
    credentials = (head, target, body) -> Map.of("Authorization", "Bearer t" + body.length());
    WebRequest request = to(HttpMethod.PUT, server, LONG).header("X-One", "1");
    assertThat(answer(request.body("abc".getBytes())).text())
        .isEqualTo("fleetgauge Bearer t3 1 abc");
  }

  @Test
  void aRedirectIsNotFollowedBecauseCredentialsAreForOneServer() throws Exception {
    URI server =
        serve(
            request ->
                request
                    .response()
                    .setStatusCode(request.path().equals("/") ? 302 : 200)
                    .putHeader("Location", "/other")
                    .end());
    assertThat(answer(to(HttpMethod.GET, server, LONG)).status()).isEqualTo(302);
  }

  @Test
  void anAnswerMayHaveTheLimitAndNotMoreAndTheNextRequestIsServed() throws Exception {
    URI server =
        serve(
            request ->
                request
                    .response()
                    .end(Buffer.buffer(new byte[Integer.parseInt(request.path().substring(1))])));
    WebRequest longest = to(HttpMethod.GET, server.resolve("/100000"), LONG);
    assertThat(answer(longest.longestAnswer(100_000)).body().length()).isEqualTo(100_000);
    WebRequest tooLong = to(HttpMethod.GET, server.resolve("/100001"), LONG);
    HttpFailure failure = failure(tooLong.longestAnswer(100_000));
    assertThat(failure.kind()).isEqualTo(HttpFailure.Kind.TOO_LONG);
    assertThat(failure.status()).isEqualTo(200);
    assertThat(failure).hasMessage(server + "/100001: the response is longer than 100000 bytes");
    assertThat(answer(to(HttpMethod.GET, server.resolve("/1"), LONG)).body().length()).isEqualTo(1);
  }

  @Test
  void anAnswerWithoutEndIsGivenUpAndItsConnectionClosed() throws Exception {
    Promise<Void> closed = Promise.promise();
    URI server =
        serve(
            request -> {
              request.connection().closeHandler(closed::tryComplete);
              request.response().setChunked(true).write("begin");
            });
    HttpFailure failure = failure(to(HttpMethod.GET, server.resolve("/x?y=z"), 50));
    assertThat(failure.kind()).isEqualTo(HttpFailure.Kind.TIMEOUT);
    assertThat(failure).hasMessage(server + "/x: the response is not complete after 50 ms");
    closed.future().await(10, TimeUnit.MINUTES);
  }

  @Test
  void aServerThatDoesNotAnswerInTimeIsAFailureAndIsAskedAgain() throws Exception {
    URI server =
        serve(
            request -> {
              if (request.path().equals("/now")) {
                request.response().end();
              }
            });
    assertThat(failure(to(HttpMethod.GET, server, 50)).kind()).isEqualTo(HttpFailure.Kind.TIMEOUT);
    assertThat(answer(to(HttpMethod.GET, server.resolve("/now"), LONG)).status()).isEqualTo(200);
  }

  @Test
  void aConnectionThatBreaksIsAFailure() throws Exception {
    URI server = serve(request -> request.connection().close());
    HttpFailure failure = failure(to(HttpMethod.GET, server, LONG));
    assertThat(failure.kind()).isEqualTo(HttpFailure.Kind.UNREACHABLE);
  }

  @Test
  void whereNothingListensTheMessageNamesTheAddressAndWhatToLookAt() throws Exception {
    URI server = serve(request -> {});
    HttpServer other = vertx.createHttpServer().requestHandler(request -> {});
    int port = other.listen(0, "127.0.0.1").await(10, TimeUnit.MINUTES).actualPort();
    other.close().await(10, TimeUnit.MINUTES);
    HttpFailure failure = failure(to(HttpMethod.GET, URI.create("http://127.0.0.1:" + port), LONG));
    assertThat(failure.kind()).isEqualTo(HttpFailure.Kind.UNREACHABLE);
    assertThat(failure.getMessage())
        .startsWith("http://127.0.0.1:" + port + "/: ")
        .containsIgnoringCase("refused")
        .endsWith("is it running, is the address correct, and do firewalls allow requests?");
    assertThat(server.getPort()).isNotEqualTo(port);
  }

  @Test
  void aServerThatSpeaksNoTlsIsNotTrustedAndTheKeysAreNamed() throws Exception {
    URI server = serve(request -> request.response().end());
    URI secured = URI.create("https://" + server.getAuthority());
    HttpFailure failure = failure(to(HttpMethod.GET, secured, LONG));
    assertThat(failure.kind()).isEqualTo(HttpFailure.Kind.UNTRUSTED);
    assertThat(failure.getMessage()).endsWith("; see trust.ca, trust.certificate or trust.key");
  }

  @Test
  void aClientThatWasClosedFailsTheRequest() throws Exception {
    URI server = serve(request -> request.response().end());
    WebRequest request = to(HttpMethod.GET, server, LONG);
    requests.close();
    failure(request);
  }
}
