package io.fleetgauge.runtime.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.discovery.NameServer;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.dns.AddressResolverOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.RequestOptions;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(VertxExtension.class)
class OutgoingHttpTest {
  private static final String SECRET = "0123456789abcdef";
  private static final HttpClients.Limits LIMITS = new HttpClients.Limits(1_000, 10, 2, 10);

  @TempDir private Path folder;

  // Referred to until the test ends: a client that is collected closes its connections.
  private OutgoingHttp used;

  @Test
  void aRequestHasTheAddressThePathAndTheTimeout(Vertx vertx) {
    try (OutgoingHttp http =
        new OutgoingHttp(vertx, TrustSettings.NONE, RequestSigner.NONE, LIMITS)) {
      RequestOptions request =
          http.options(URI.create("http://10.0.0.1:9400"), HttpMethod.PUT, "/v1/x?a=b", 700);
      assertThat(request.getHost()).isEqualTo("10.0.0.1");
      assertThat(request.getPort()).isEqualTo(9400);
      assertThat(request.getMethod()).isEqualTo(HttpMethod.PUT);
      assertThat(request.getURI()).isEqualTo("/v1/x?a=b");
      assertThat(request.getTimeout()).isEqualTo(700);
      assertThat(request.isSsl()).isFalse();
      assertThat(http.options(URI.create("https://a:1"), HttpMethod.GET, "/", 700).isSsl())
          .isTrue();
    }
  }

  @Test
  void withTrustCaEveryAddressIsReachedByTlsWhateverItsSchemeSays(Vertx vertx) throws Exception {
    Path ca = Files.writeString(folder.resolve("ca.pem"), "");
    TrustSettings trust =
        new TrustSettings(
            Optional.of(ca),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Duration.ofSeconds(60));
    try (OutgoingHttp http = new OutgoingHttp(vertx, trust, RequestSigner.NONE, LIMITS)) {
      assertThat(http.options(URI.create("http://a:1"), HttpMethod.GET, "/", 700).isSsl()).isTrue();
    }
  }

  private URI serve(Vertx vertx, Handler<HttpServerRequest> handler) throws Exception {
    return URI.create(
        "http://127.0.0.1:"
            + vertx
                .createHttpServer()
                .requestHandler(handler)
                .listen(0, "127.0.0.1")
                .await(120, TimeUnit.SECONDS)
                .actualPort());
  }

  private String ask(URI server, byte[] body) throws Exception {
    return used.to(server, HttpMethod.POST, "/v1/x?a=b", 120_000)
        .header("X-Fleetgauge-Epoch", "7")
        .body(body)
        .send()
        .map(answer -> answer.body().toString())
        .await(120, TimeUnit.SECONDS);
  }

  @Test
  void aRequestIsSignedForTheAddressThatItIsSentToAndTheSecretIsNotInIt(Vertx vertx)
      throws Exception {
    URI server =
        serve(
            vertx,
            request ->
                request
                    .body()
                    .onSuccess(body -> request.response().end(request.headers() + "\n" + body)));
    used =
        new OutgoingHttp(
            vertx,
            TrustSettings.NONE,
            new RequestSigner(ClusterKey.of(() -> List.of(SECRET)), () -> 5),
            LIMITS);
    String first = ask(server, new byte[] {'a'});
    String second = ask(server, new byte[] {'a'});
    assertThat(first).contains("X-Fleetgauge-Signature=1 " + server.getAuthority() + " 5 ");
    assertThat(first).doesNotContain(SECRET);
    assertThat(first).as("each request has its own nonce").isNotEqualTo(second);
  }

  @Test
  void withoutASecretARequestIsNotSigned(Vertx vertx) throws Exception {
    URI server = serve(vertx, request -> request.response().end("" + request.headers()));
    used = new OutgoingHttp(vertx, TrustSettings.NONE, RequestSigner.NONE, LIMITS);
    assertThat(ask(server, new byte[0])).doesNotContain(RequestSigner.HEADER);
  }

  /**
   * A connection carries the next request when the answer to the one before has gone through it.
   */
  @Test
  void anAnswerIsWholeHoweverLateAndOnWhateverThreadItIsUsed(Vertx vertx) throws Exception {
    URI server = serve(vertx, request -> request.response().end(Buffer.buffer(new byte[100_000])));
    HttpClients.Limits oneConnection = new HttpClients.Limits(1_000, 10, 1, 10);
    used = new OutgoingHttp(vertx, TrustSettings.NONE, RequestSigner.NONE, oneConnection);
    Future<HttpAnswer> first = used.to(server, HttpMethod.GET, "/1", 120_000).send();
    used.to(server, HttpMethod.GET, "/2", 120_000).send().await(120, TimeUnit.SECONDS);
    int length =
        CompletableFuture.supplyAsync(
                () -> first.map(answer -> answer.body().length()).toCompletionStage())
            .thenCompose(late -> late)
            .get(120, TimeUnit.SECONDS);
    assertThat(length).isEqualTo(100_000);
  }

  @Test
  void anAnswerIsWholeWhenItsBodyComesLongAfterItsHead(Vertx vertx) throws Exception {
    BlockingQueue<HttpServerResponse> begun = new LinkedBlockingQueue<>();
    URI server =
        serve(
            vertx,
            request -> {
              request.response().setChunked(true).write("first ");
              begun.add(request.response());
            });
    used = new OutgoingHttp(vertx, TrustSettings.NONE, RequestSigner.NONE, LIMITS);
    Future<String> text =
        used.to(server, HttpMethod.GET, "/", 120_000)
            .send()
            .map(answer -> answer.status() + " " + answer.body());
    begun.take().end("last");
    assertThat(text.await(120, TimeUnit.SECONDS)).isEqualTo("200 first last");
  }

  @Test
  void aConnectionGoesOnWithAnotherProtocolWhenTheServerAgreesToTheSignedRequest(Vertx vertx)
      throws Exception {
    BlockingQueue<String> signatures = new LinkedBlockingQueue<>();
    URI server =
        serve(
            vertx,
            request -> {
              signatures.add(String.valueOf(request.getHeader(RequestSigner.HEADER)));
              if (request.path().equals("/no")) {
                request.response().setStatusCode(401).end("not you");
              } else {
                request
                    .toNetSocket()
                    .onSuccess(socket -> socket.handler(bytes -> socket.write(bytes)));
              }
            });
    used =
        new OutgoingHttp(
            vertx,
            TrustSettings.NONE,
            new RequestSigner(ClusterKey.of(() -> List.of(SECRET)), () -> 5),
            LIMITS);
    CompletableFuture<String> echo = new CompletableFuture<>();
    used.to(server, HttpMethod.GET, "/yes", 120_000)
        .upgrade("other")
        .onSuccess(
            socket -> {
              socket.handler(bytes -> echo.complete(bytes.toString()));
              socket.write("hello");
            });
    assertThat(echo.get(120, TimeUnit.SECONDS)).isEqualTo("hello");
    assertThat(signatures.take()).startsWith("1 " + server.getAuthority() + " 5 ");
    CompletableFuture<String> refused = new CompletableFuture<>();
    used.to(server, HttpMethod.GET, "/no", 120_000)
        .upgrade("other")
        .onFailure(failure -> refused.complete(failure.getMessage()));
    assertThat(refused.get(120, TimeUnit.SECONDS)).isEqualTo("status 401: not you");
  }

  /** As that of a Pod which is replaced: the name stays, and the address does not. */
  @Test
  void aNewConnectionGoesToTheAddressThatANameHasByThen() throws Exception {
    try (NameServer names = new NameServer(folder)) {
      names.start(List.of("127.0.0.2 g1.test"));
      Vertx own =
          Vertx.vertx(
              new VertxOptions()
                  .setAddressResolverOptions(
                      new AddressResolverOptions().addServer(names.address())));
      try {
        int port = serveAlone(own, "127.0.0.2", 0, "before");
        serveAlone(own, "127.0.0.3", port, "after");
        used = new OutgoingHttp(own, TrustSettings.NONE, RequestSigner.NONE, LIMITS);
        URI server = URI.create("http://g1.test:" + port);
        assertThat(ask(server, new byte[0])).isEqualTo("before");
        names.start(List.of("127.0.0.3 g1.test"));
        assertThat(ask(server, new byte[0])).isEqualTo("after");
      } finally {
        own.close().await(120, TimeUnit.SECONDS);
      }
    }
  }

  /** A server that takes one request on a connection. */
  private static int serveAlone(Vertx vertx, String address, int port, String answer)
      throws Exception {
    return vertx
        .createHttpServer()
        .requestHandler(request -> request.response().putHeader("Connection", "close").end(answer))
        .listen(port, address)
        .await(120, TimeUnit.SECONDS)
        .actualPort();
  }
}
