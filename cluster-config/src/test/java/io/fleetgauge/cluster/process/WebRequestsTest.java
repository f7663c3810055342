package io.fleetgauge.cluster.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.config.TrustSettings;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(VertxExtension.class)
class WebRequestsTest {
  @TempDir private Path folder;
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
            .await(10, TimeUnit.SECONDS)
            .actualPort();
    return URI.create("http://127.0.0.1:" + port);
  }

  private WebRequests requests(Vertx vertx, String secret) throws Exception {
    Path file = Files.writeString(folder.resolve("secret"), secret);
    requests =
        new WebRequests(
            vertx,
            TrustSettings.NONE,
            secret.isEmpty()
                ? SecretFile.NONE
                : SecretFile.open("cluster.secretFile", Optional.of(file)));
    return requests;
  }

  @Test
  void aRequestCarriesTheSecretAndItsResponseIsText(Vertx vertx, VertxTestContext test)
      throws Exception {
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
                            + request.path()
                            + " "
                            + request.getHeader(OutgoingHttp.SECRET)));
    requests(vertx, "a secret without-spaces".replace(' ', '-'))
        .send(HttpMethod.POST, server.resolve("/v1/leave"), 5_000)
        .onComplete(
            test.succeeding(
                response ->
                    test.verify(
                        () -> {
                          assertThat(response.status()).isEqualTo(202);
                          assertThat(response.body())
                              .isEqualTo("POST /v1/leave a-secret-without-spaces");
                          test.completeNow();
                        })));
  }

  @Test
  void withoutASecretNoneIsSentAndAnEmptyBodyIsEmptyText(Vertx vertx, VertxTestContext test)
      throws Exception {
    URI server =
        serve(
            vertx,
            request ->
                request
                    .response()
                    .setStatusCode(request.getHeader(OutgoingHttp.SECRET) == null ? 204 : 500)
                    .end());
    requests(vertx, "")
        .send(HttpMethod.GET, server.resolve("/"), 5_000)
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
