package io.fleetgauge.query.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.junit5.VertxExtension;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Over sockets, written by a thread of its own. */
@ExtendWith(VertxExtension.class)
class StreamedBodyTest {
  private static final int MEBIBYTE = 1 << 20;

  /** Writes a body. */
  @FunctionalInterface
  private interface Writing {
    void to(OutputStream out) throws IOException;
  }

  /** Ends as the writing does. */
  private final Promise<Void> written = Promise.promise();

  private int serve(Vertx vertx, Writing writing) throws Exception {
    return vertx
        .createHttpServer()
        .requestHandler(
            request -> {
              HttpServerResponse response = request.response().setChunked(true);
              Thread.startVirtualThread(() -> write(response, writing));
            })
        .listen(0, "127.0.0.1")
        .await(10, TimeUnit.MINUTES)
        .actualPort();
  }

  private void write(HttpServerResponse response, Writing writing) {
    try (StreamedBody out = new StreamedBody(response)) {
      writing.to(out);
      written.complete();
    } catch (IOException | RuntimeException e) {
      written.fail(e);
    }
  }

  private Future<Void> written() {
    return written.future();
  }

  @Test
  void howeverItIsWrittenItArrivesWholeAndInOrder(Vertx vertx) throws Exception {
    SplittableRandom random = new SplittableRandom(1);
    ByteArrayOutputStream expected = new ByteArrayOutputStream();
    byte[] some = new byte[MEBIBYTE];
    random.nextBytes(some);
    int port =
        serve(
            vertx,
            out -> {
              for (int i = 0; i < 200; i++) {
                int length = random.nextInt(i % 20 == 0 ? MEBIBYTE : 10_000);
                int from = random.nextInt(MEBIBYTE - length);
                out.write(some, from, length);
                expected.write(some, from, length);
                out.write(i);
                expected.write(i);
              }
            });
    try (HttpClient client = HttpClient.newHttpClient()) {
      byte[] arrived =
          client
              .send(
                  HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port)).build(),
                  HttpResponse.BodyHandlers.ofByteArray())
              .body();
      written().await(10, TimeUnit.MINUTES);
      assertThat(arrived).isEqualTo(expected.toByteArray());
    }
  }

  private static Socket ask(int port) throws IOException {
    Socket client = new Socket("127.0.0.1", port);
    client
        .getOutputStream()
        .write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    return client;
  }

  @Test
  void theWriterOfAClientThatLeavesFails(Vertx vertx) throws Exception {
    AtomicLong sent = new AtomicLong();
    byte[] some = new byte[MEBIBYTE];
    int port =
        serve(
            vertx,
            out -> {
              while (true) {
                out.write(some);
                sent.addAndGet(some.length);
              }
            });
    try (Socket client = ask(port)) {
      client.getInputStream().readNBytes(MEBIBYTE);
    }
    Awaitility.await().atMost(Duration.ofMinutes(10)).until(() -> written().isComplete());
    assertThatThrownBy(() -> written().await(10, TimeUnit.MINUTES)).isInstanceOf(IOException.class);
    assertThat(sent.get()).isPositive();
  }
}
