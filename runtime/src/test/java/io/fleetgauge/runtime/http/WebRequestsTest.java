package io.fleetgauge.runtime.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.Timeout;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.net.URI;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
@Timeout(120_000)
class WebRequestsTest {
  // A client that nothing refers to is collected, and its connections are closed.
  private WebRequests requests;

  @AfterEach
  void close() {
    requests.close();
  }

  private static URI serve(Vertx vertx, io.vertx.core.Handler<HttpServerRequest> handler)
      throws Exception {
    int port =
        vertx
            .createHttpServer()
            .requestHandler(handler)
            .listen(0, "127.0.0.1")
            .await(120, TimeUnit.SECONDS)
            .actualPort();
    return URI.create("http://127.0.0.1:" + port);
  }

  private WebRequests requests(Vertx vertx, String secret) {
    List<String> secrets = secret.isEmpty() ? List.of() : List.of(secret);
    requests =
        new WebRequests(
            vertx, TrustSettings.NONE, new RequestSigner(ClusterKey.of(() -> secrets), () -> 5));
    return requests;
  }

  @Test
  void aRequestIsSignedAndItsResponseIsText(Vertx vertx, VertxTestContext test) throws Exception {
    URI server =
        serve(
            vertx,
            request ->
                request
                    .response()
                    .setStatusCode(202)
                    .end(
                        request.method()
                            + " "
                            + request.uri()
                            + " "
                            + request.getHeader(RequestSigner.HEADER)));
    requests(vertx, "a-secret-without-spaces")
        .send(HttpMethod.POST, server.resolve("/v1/leave?a=%20"), 120_000)
        .onComplete(
            test.succeeding(
                response ->
                    test.verify(
                        () -> {
                          assertThat(response.status()).isEqualTo(202);
                          assertThat(response.body())
                              .startsWith("POST /v1/leave?a=%20 1 " + server.getAuthority() + " 5 ")
                              .doesNotContain("a-secret");
                          test.completeNow();
                        })));
  }

  @Test
  void withoutASecretItIsNotSignedAndAnEmptyBodyIsEmptyText(Vertx vertx, VertxTestContext test)
      throws Exception {
    URI server =
        serve(
            vertx,
            request ->
                request
                    .response()
                    .setStatusCode(request.getHeader(RequestSigner.HEADER) == null ? 204 : 500)
                    .end());
    requests(vertx, "")
        .send(HttpMethod.GET, server.resolve("/"), 120_000)
        .onComplete(
            test.succeeding(
                response ->
                    test.verify(
                        () -> {
                          assertThat(response).isEqualTo(new WebRequests.Response(204, ""));
                          test.completeNow();
                        })));
  }

  @Test
  void aServerThatDoesNotAnswerInTimeIsAFailure(Vertx vertx, VertxTestContext test)
      throws Exception {
    URI server = serve(vertx, request -> {});
    requests(vertx, "")
        .send(HttpMethod.GET, server.resolve("/"), 50)
        .onComplete(test.failing(failure -> test.completeNow()));
  }
}
