package io.fleetgauge.gateway.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.net.NetSocket;
import io.vertx.ext.web.Router;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** One end is this program, the other one does what it should not. Without a secret. */
@ExtendWith(VertxExtension.class)
class BrokenStreamTest {
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final byte[] NONCE = new byte[Direction.NONCE_BYTES];

  private Vertx vertx;
  private OutgoingHttp http;
  private PeerStreams streams;
  private final StreamCounts counts = new StreamCounts();
  private final BlockingQueue<NetSocket> accepted = new LinkedBlockingQueue<>();
  private final BlockingQueue<NetSocket> closed = new LinkedBlockingQueue<>();

  @BeforeEach
  void start(Vertx started) {
    vertx = started;
    http =
        new OutgoingHttp(
            vertx,
            TrustSettings.NONE,
            RequestSigner.NONE,
            new HttpClients.Limits(1_000, 60, 8, 100));
    streams =
        new PeerStreams(
            vertx, http, ClusterKey.NONE, new PeerStreams.Limits(2 << 20, 100, 20_000), counts);
  }

  @AfterEach
  void close() {
    streams.close();
    http.close();
  }

  /** A gateway that lets streams begin, and then does something with what comes. */
  private URI gateway(BiConsumer<NetSocket, Buffer> then) throws Exception {
    int port =
        vertx
            .createHttpServer()
            .requestHandler(
                request ->
                    request
                        .toNetSocket()
                        .onSuccess(
                            socket -> {
                              accepted.add(socket);
                              socket.closeHandler(none -> closed.add(socket));
                              socket.handler(
                                  first -> {
                                    socket.handler(more -> then.accept(socket, more));
                                    socket.write(Buffer.buffer(NONCE));
                                  });
                            }))
            .listen(0, "127.0.0.1")
            .await(120, TimeUnit.SECONDS)
            .actualPort();
    return URI.create("http://127.0.0.1:" + port);
  }

  private CompletableFuture<Outcome> ask(URI gateway, int bytes) {
    CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    streams.ask(gateway, new StreamQuestion(1, new byte[0], new byte[bytes]), outcome::complete);
    return outcome;
  }

  private static Outcome soon(CompletableFuture<Outcome> outcome) throws Exception {
    return outcome.get(SOON.toSeconds(), TimeUnit.SECONDS);
  }

  private static Buffer answer(long number) {
    Message message = Message.answer(number, new byte[] {1, 2, 3});
    Buffer out = Buffer.buffer();
    Message.write(message.head(), new byte[0], message.body(), out);
    return out;
  }

  @Test
  void theDeathOfAGatewayFailsWhatWasAskedAndTheNextQuestionBeginsAnew() throws Exception {
    URI gateway = gateway((socket, more) -> socket.close());
    CompletableFuture<Outcome> first = ask(gateway, 100_000);
    CompletableFuture<Outcome> second = ask(gateway, 100_000);
    assertThat(soon(first)).isInstanceOf(Outcome.Failed.class);
    assertThat(soon(second)).isInstanceOf(Outcome.Failed.class);
    assertThat(soon(ask(gateway, 1))).isInstanceOf(Outcome.Failed.class);
    assertThat(accepted).hasSizeGreaterThanOrEqualTo(2);
  }

  @Test
  void anAnswerThatBreaksOffIsNoAnswer() throws Exception {
    URI gateway =
        gateway(
            (socket, more) -> {
              Buffer answer = answer(1);
              socket.write(answer.slice(0, answer.length() - 1)).onComplete(sent -> socket.close());
            });
    assertThat(soon(ask(gateway, 10))).isInstanceOf(Outcome.Failed.class);
  }

  @Test
  void anAnswerInPiecesIsOne() throws Exception {
    URI gateway =
        gateway(
            (socket, more) -> {
              Buffer answer = answer(1);
              socket
                  .write(answer.slice(0, 5))
                  .onComplete(sent -> socket.write(answer.slice(5, answer.length())));
            });
    assertThat(soon(ask(gateway, 10)))
        .usingRecursiveComparison()
        .isEqualTo(new Outcome.Answered(new byte[] {1, 2, 3}));
  }

  @Test
  void anAnswerOverTheLimitEndsTheStream() throws Exception {
    URI gateway =
        gateway((socket, more) -> socket.write(Buffer.buffer().appendIntLE(-1).appendIntLE(0)));
    Outcome outcome = soon(ask(gateway, 10));
    assertThat(((Outcome.Failed) outcome).why()).contains("" + StreamQuestion.MAX_BODY);
    assertThat(closed.poll(120, TimeUnit.SECONDS)).isSameAs(accepted.take());
  }

  @Test
  void anAnswerToNothingChangesNothing() throws Exception {
    URI gateway =
        gateway(
            (socket, more) -> socket.write(answer(77)).compose(sent -> socket.write(answer(1))));
    assertThat(soon(ask(gateway, 10))).isInstanceOf(Outcome.Answered.class);
  }

  @Test
  void aGatewayThatDoesNotReadGetsNoMoreThanTheLimit() throws Exception {
    URI gateway = gateway((socket, more) -> socket.pause());
    List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      outcomes.add(ask(gateway, 100_000));
    }
    CompletableFuture.anyOf(outcomes.toArray(CompletableFuture[]::new)).get(120, TimeUnit.SECONDS);
    await()
        .atMost(SOON)
        .until(() -> outcomes.stream().filter(CompletableFuture::isDone).count() == 20);
    for (CompletableFuture<Outcome> each : outcomes) {
      if (each.isDone()) {
        assertThat(each.get()).isEqualTo(new Outcome.Crowded());
      }
    }
    accepted.take().close();
    for (CompletableFuture<Outcome> each : outcomes) {
      assertThat(soon(each)).isNotInstanceOf(Outcome.Answered.class);
    }
  }

  @Test
  void aSenderOfTooLongMessagesIsLeft() throws Exception {
    StreamCounts answering = new StreamCounts();
    Router router = Router.router(vertx);
    BlockingQueue<StreamQuestion> received = new LinkedBlockingQueue<>();
    StreamRoute.mount(
        router,
        vertx,
        request -> request.next(),
        ClusterKey.NONE,
        (question, answer) -> received.add(question),
        answering);
    int port =
        vertx
            .createHttpServer()
            .requestHandler(router)
            .listen(0, "127.0.0.1")
            .await(120, TimeUnit.SECONDS)
            .actualPort();
    CompletableFuture<Void> left = new CompletableFuture<>();
    http.to(URI.create("http://127.0.0.1:" + port), HttpMethod.GET, StreamRoute.PATH, 20_000)
        .header(StreamRoute.NONCE, "00".repeat(Direction.NONCE_BYTES))
        .upgrade(StreamRoute.PROTOCOL)
        .onSuccess(
            socket -> {
              socket.closeHandler(none -> left.complete(null));
              socket.write(Buffer.buffer(NONCE));
              socket.write(Buffer.buffer().appendIntLE(StreamQuestion.MAX_BODY + 4).appendIntLE(0));
            });
    left.get(120, TimeUnit.SECONDS);
    assertThat(received).isEmpty();
  }

  @Test
  void aStreamThatBeginsWithAnotherNonceThanItsRequestIsLeft() throws Exception {
    Router router = Router.router(vertx);
    StreamRoute.mount(
        router,
        vertx,
        request -> request.next(),
        ClusterKey.NONE,
        (question, answer) -> {},
        new StreamCounts());
    int port =
        vertx
            .createHttpServer()
            .requestHandler(router)
            .listen(0, "127.0.0.1")
            .await(120, TimeUnit.SECONDS)
            .actualPort();
    CompletableFuture<Void> left = new CompletableFuture<>();
    http.to(URI.create("http://127.0.0.1:" + port), HttpMethod.GET, StreamRoute.PATH, 20_000)
        .header(StreamRoute.NONCE, "11".repeat(Direction.NONCE_BYTES))
        .upgrade(StreamRoute.PROTOCOL)
        .onSuccess(
            socket -> {
              socket.closeHandler(none -> left.complete(null));
              socket.write(Buffer.buffer(NONCE));
            });
    left.get(120, TimeUnit.SECONDS);
  }
}
