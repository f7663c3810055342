package io.fleetgauge.runtime.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.handler.BodyHandler;
import io.vertx.junit5.Timeout;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
@Timeout(120_000)
class BodyPaceTest {
  private static final Duration WINDOW = Duration.ofMillis(50);

  // Referred to until the test ends: a client that is collected closes its connections.
  private NetClient client;

  /** A server that answers a request with the size of its body, after a delay. */
  private static int serve(Vertx vertx, long answerAfterMillis) throws Exception {
    Router router = Router.router(vertx);
    router
        .route()
        .handler(
            new BodyPace(WINDOW, (http, reason) -> http.response().setStatusCode(408).end(reason)))
        .handler(BodyHandler.create(false))
        .handler(
            http ->
                vertx.setTimer(
                    answerAfterMillis,
                    id -> http.end("read " + (http.body().length()) + " bytes")));
    return vertx
        .createHttpServer()
        .requestHandler(router)
        .listen(0, "127.0.0.1")
        .await(120, TimeUnit.SECONDS)
        .actualPort();
  }

  private NetSocket connect(Vertx vertx, int port) throws Exception {
    client = vertx.createNetClient();
    return client.connect(port, "127.0.0.1").await(120, TimeUnit.SECONDS);
  }

  private static String head(String headers) {
    return "POST / HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n\r\n";
  }

  /** Sends bytes and leaves the connection open; checks the response when the server ends it. */
  private void expectRejection(Vertx vertx, VertxTestContext test, String sent, String bytesSoFar)
      throws Exception {
    NetSocket socket = connect(vertx, serve(vertx, 1));
    Buffer received = Buffer.buffer();
    socket.handler(received::appendBuffer);
    socket.closeHandler(
        closed ->
            test.verify(
                () -> {
                  assertThat(received.toString())
                      .startsWith("HTTP/1.1 408 ")
                      .containsIgnoringCase("connection: close")
                      .endsWith(
                          "the request body arrives too slowly: "
                              + bytesSoFar
                              + " bytes so far; each 50 ms must bring 32768 more bytes or the end"
                              + " of the body");
                  test.completeNow();
                }));
    socket.write(sent);
  }

  @Test
  void aBodyThatStopsArrivingIsRejectedAndItsConnectionClosed(Vertx vertx, VertxTestContext test)
      throws Exception {
    expectRejection(vertx, test, head("Content-Length: 100") + "0123456789", "10");
  }

  @Test
  void aChunkedBodyThatStopsArrivingIsRejectedToo(Vertx vertx, VertxTestContext test)
      throws Exception {
    expectRejection(vertx, test, head("Transfer-Encoding: chunked"), "0");
  }

  @Test
  void aBodyThatBringsEnoughInOneWindowAndNothingInTheNextIsRejected(
      Vertx vertx, VertxTestContext test) throws Exception {
    expectRejection(vertx, test, head("Content-Length: 100000") + "x".repeat(40_000), "40000");
  }

  /** Sends a whole request and checks the text that its response ends with. */
  private void expectAnswer(
      Vertx vertx, VertxTestContext test, String request, long answerAfterMillis, String end)
      throws Exception {
    NetSocket socket = connect(vertx, serve(vertx, answerAfterMillis));
    Buffer received = Buffer.buffer();
    socket.handler(
        bytes ->
            test.verify(
                () -> {
                  received.appendBuffer(bytes);
                  if (received.toString().contains("bytes")) {
                    assertThat(received.toString()).startsWith("HTTP/1.1 200 ").endsWith(end);
                    test.completeNow();
                  }
                }));
    socket.write(request);
  }

  @Test
  void aWholeBodyIsNeverRejectedHoweverLongItsAnswerTakes(Vertx vertx, VertxTestContext test)
      throws Exception {
    expectAnswer(
        vertx,
        test,
        head("Content-Length: 10") + "0123456789",
        4 * WINDOW.toMillis(),
        "read 10 bytes");
  }

  @Test
  void aRequestWithoutABodyIsNotTimed(Vertx vertx, VertxTestContext test) throws Exception {
    expectAnswer(vertx, test, "GET / HTTP/1.1\r\nHost: a\r\n\r\n", 4 * WINDOW.toMillis(), "bytes");
  }
}
