package io.fleetgauge.gateway.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A stream between two ends of this program, over the loopback. */
@ExtendWith(VertxExtension.class)
class StreamTest {
  private static final long NOW = 1_700_000_000_000L;
  private static final String SECRET = "the-secret-of-the-cluster";
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final int ECHO = 1;
  private static final int HELD = 2;
  private static final int UNKNOWN = 99;

  @TempDir private Path folder;
  private Vertx vertx;
  private final List<AutoCloseable> opened = new ArrayList<>();
  private final AtomicReference<List<String>> secrets = new AtomicReference<>(List.of(SECRET));
  private final StreamCounts asking = new StreamCounts();
  private final StreamCounts answering = new StreamCounts();
  private final BlockingQueue<Runnable> held = new LinkedBlockingQueue<>();
  private final BlockingQueue<StreamQuestion> received = new LinkedBlockingQueue<>();
  private URI gateway;

  @BeforeEach
  void start(Vertx started) throws Exception {
    vertx = started;
    gateway = gateway(Optional.of(SECRET));
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
  }

  private URI gateway(Optional<String> secret) throws Exception {
    Optional<Path> file =
        secret.isEmpty()
            ? Optional.empty()
            : Optional.of(Files.writeString(folder.resolve("secret"), secret.get()));
    Guard guard =
        Guard.open(
            vertx,
            new HttpSettings("127.0.0.1", 0),
            Optional.empty(),
            TrustSettings.ofSecret(file),
            TenantLimits.DEFAULT,
            selector -> "",
            () -> NOW);
    Router router = Router.router(vertx);
    StreamRoute.mount(router, vertx, guard.needsPeer(), guard.key(), this::answer, answering);
    int port =
        vertx
            .createHttpServer()
            .requestHandler(router)
            .listen(0, "127.0.0.1")
            .await(120, TimeUnit.SECONDS)
            .actualPort();
    return URI.create("http://127.0.0.1:" + port);
  }

  private void answer(StreamQuestion question, Consumer<byte[]> answer) throws WireException {
    if (question.kind() == UNKNOWN) {
      throw new WireException("a request of kind " + UNKNOWN);
    }
    received.add(question);
    if (question.kind() == HELD) {
      held.add(() -> answer.accept(question.body()));
    } else {
      answer.accept(question.body());
    }
  }

  private PeerStreams streams(PeerStreams.Limits limits) {
    ClusterKey key = ClusterKey.of(secrets::get);
    OutgoingHttp http = http(key);
    PeerStreams streams = new PeerStreams(vertx, http, key, limits, asking);
    opened.add(streams);
    return streams;
  }

  private OutgoingHttp http(ClusterKey key) {
    OutgoingHttp http =
        new OutgoingHttp(
            vertx,
            TrustSettings.NONE,
            new RequestSigner(key, () -> NOW),
            new HttpClients.Limits(1_000, 60, 8, 100));
    opened.add(http);
    return http;
  }

  private PeerStreams streams() {
    return streams(new PeerStreams.Limits(64 << 20, 10_000, 20_000));
  }

  private CompletableFuture<Outcome> ask(PeerStreams streams, int kind, byte[] body) {
    CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    streams.ask(gateway, new StreamQuestion(kind, new byte[] {5}, body), outcome::complete);
    return outcome;
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static Outcome soon(CompletableFuture<Outcome> outcome) throws Exception {
    return outcome.get(SOON.toSeconds(), TimeUnit.SECONDS);
  }

  private static String answered(CompletableFuture<Outcome> outcome) throws Exception {
    assertThat(soon(outcome)).isInstanceOf(Outcome.Answered.class);
    return new String(((Outcome.Answered) soon(outcome)).body(), StandardCharsets.UTF_8);
  }

  private static String failed(CompletableFuture<Outcome> outcome) throws Exception {
    assertThat(soon(outcome)).isInstanceOf(Outcome.Failed.class);
    return ((Outcome.Failed) soon(outcome)).why();
  }

  private static String metrics(StreamCounts counts) {
    Meters meters = new Meters("g");
    counts.declare(meters);
    return new String(meters.exposition(), StandardCharsets.UTF_8);
  }

  private static void endsWith(StreamCounts counts, String reason) {
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                assertThat(metrics(counts))
                    .contains("g_stream_ends_total{reason=\"" + reason + "\"} 1")
                    .contains("g_streams 0"));
  }

  @Test
  void questionsComeWithTheirKindAndFieldsInTheirOrder() throws Exception {
    PeerStreams streams = streams();
    for (int i = 0; i < 100; i++) {
      ask(streams, HELD, text("" + i));
    }
    for (int i = 0; i < 100; i++) {
      StreamQuestion question = received.poll(120, TimeUnit.SECONDS);
      assertThat(question.kind()).isEqualTo(HELD);
      assertThat(question.fields()).containsExactly(5);
      assertThat(question.body()).isEqualTo(text("" + i));
    }
  }

  @Test
  void answersComeInAnyOrder() throws Exception {
    PeerStreams streams = streams();
    CompletableFuture<Outcome> first = ask(streams, HELD, text("first"));
    CompletableFuture<Outcome> second = ask(streams, ECHO, text("second"));
    assertThat(answered(second)).isEqualTo("second");
    assertThat(first).isNotDone();
    held.poll(120, TimeUnit.SECONDS).run();
    assertThat(answered(first)).isEqualTo("first");
    assertThat(metrics(asking)).contains("g_streams 1");
  }

  @Test
  void everyQuestionOfManyThreadsGetsItsOwnAnswer() throws Exception {
    PeerStreams streams = streams();
    List<Thread> threads = new ArrayList<>();
    List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
    for (int i = 0; i < 800; i++) {
      outcomes.add(new CompletableFuture<>());
    }
    for (int thread = 0; thread < 4; thread++) {
      int from = 200 * thread;
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int i = from; i < from + 200; i++) {
                      streams.ask(
                          gateway,
                          new StreamQuestion(ECHO, new byte[0], text("question " + i)),
                          outcomes.get(i)::complete);
                    }
                  }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    for (int i = 0; i < 800; i++) {
      assertThat(answered(outcomes.get(i))).isEqualTo("question " + i);
    }
    assertThat(metrics(answering)).as("one stream").contains("g_streams 1");
  }

  @Test
  void longAndShortBodiesArriveUnchangedInTheirOrder() throws Exception {
    PeerStreams streams = streams();
    byte[] body = new byte[5 << 20];
    for (int i = 0; i < body.length; i++) {
      body[i] = (byte) (i * 31 >> 3);
    }
    CompletableFuture<Outcome> large = ask(streams, ECHO, body);
    ask(streams, ECHO, text("small"));
    assertThat(received.poll(120, TimeUnit.SECONDS).body()).isEqualTo(body);
    assertThat(received.poll(120, TimeUnit.SECONDS).body()).isEqualTo(text("small"));
    assertThat(((Outcome.Answered) soon(large)).body()).isEqualTo(body);
  }

  @Test
  void anotherSecretOpensNoStream() throws Exception {
    secrets.set(List.of("another-secret-than-that"));
    assertThat(failed(ask(streams(), ECHO, text("x")))).contains("401");
    assertThat(received).isEmpty();
    endsWith(asking, "not_opened");
  }

  @Test
  void aGatewayWithoutTheSecretOpensNoStream() throws Exception {
    secrets.set(List.of());
    assertThat(failed(ask(streams(), ECHO, text("x")))).contains("401");
    assertThat(received).isEmpty();
  }

  @Test
  void aGatewayWithASecretDoesNotBelieveOneWithout() throws Exception {
    gateway = gateway(Optional.empty());
    failed(ask(streams(), ECHO, text("x")));
    assertThat(received).isEmpty();
    endsWith(answering, "unproven");
  }

  @Test
  void withoutASecretStreamsWorkToo() throws Exception {
    secrets.set(List.of());
    gateway = gateway(Optional.empty());
    assertThat(answered(ask(streams(), ECHO, text("x")))).isEqualTo("x");
  }

  @Test
  void aSecretThatIsNoLongerValidEndsTheStream() throws Exception {
    PeerStreams streams = streams();
    assertThat(answered(ask(streams, ECHO, text("x")))).isEqualTo("x");
    secrets.set(List.of("another-secret-than-that"));
    failed(ask(streams, ECHO, text("y")));
    assertThat(received).extracting(question -> new String(question.body())).containsExactly("x");
    endsWith(answering, "unproven");
  }

  @Test
  void aQuestionThatIsNotUnderstoodEndsTheStreamAndTheNextOneOpensAnother() throws Exception {
    PeerStreams streams = streams();
    CompletableFuture<Outcome> waiting = ask(streams, HELD, text("waiting"));
    failed(ask(streams, UNKNOWN, text("x")));
    failed(waiting);
    endsWith(answering, "malformed");
    assertThat(answered(ask(streams, ECHO, text("again")))).isEqualTo("again");
  }

  @Test
  void anAnswerAfterTheEndOfTheStreamReachesNobody() throws Exception {
    PeerStreams streams = streams();
    CompletableFuture<Outcome> waiting = ask(streams, HELD, text("waiting"));
    failed(ask(streams, UNKNOWN, text("x")));
    held.poll(120, TimeUnit.SECONDS).run();
    failed(waiting);
    assertThat(answered(ask(streams, ECHO, text("again")))).isEqualTo("again");
  }

  @Test
  void aGatewayThatIsNotThereFailsWhatItIsAsked() throws Exception {
    gateway = URI.create("http://127.0.0.1:1");
    failed(ask(streams(), ECHO, text("x")));
    endsWith(asking, "not_opened");
  }

  @Test
  void aBodyOverTheLimitIsNotSent() throws Exception {
    assertThat(failed(ask(streams(), ECHO, new byte[StreamQuestion.MAX_BODY + 1])))
        .contains("" + StreamQuestion.MAX_BODY);
    assertThat(received).isEmpty();
  }

  @Test
  void whatIsOnItsWayIsBoundedUntilItIsAnswered() throws Exception {
    PeerStreams streams = streams(new PeerStreams.Limits(1_000, 10, 20_000));
    CompletableFuture<Outcome> first = ask(streams, HELD, new byte[900]);
    assertThat(soon(ask(streams, HELD, new byte[200]))).isEqualTo(new Outcome.Crowded());
    held.poll(120, TimeUnit.SECONDS).run();
    soon(first);
    assertThat(soon(ask(streams, ECHO, new byte[200]))).isInstanceOf(Outcome.Answered.class);
    assertThat(metrics(asking)).contains("g_stream_failures_total{reason=\"crowded\"} 1");
  }

  @Test
  void aQuestionWithoutAnAnswerInTimeHasFailedAndTheOthersGoOn() throws Exception {
    PeerStreams streams = streams(new PeerStreams.Limits(1_000, 10, 300));
    CompletableFuture<Outcome> waiting = ask(streams, HELD, text("waiting"));
    while (!waiting.isDone()) {
      soon(ask(streams, ECHO, text("x")));
    }
    assertThat(failed(waiting)).contains("300 ms");
    held.poll(120, TimeUnit.SECONDS).run();
    assertThat(answered(ask(streams, ECHO, text("y")))).isEqualTo("y");
    assertThat(metrics(asking))
        .contains("g_stream_failures_total{reason=\"unanswered\"} 1")
        .contains("g_streams 1");
  }

  @Test
  void aGatewayThatAnswersNothingForSoLongIsLeft() throws Exception {
    PeerStreams streams = streams(new PeerStreams.Limits(1_000, 10, 300));
    soon(ask(streams, ECHO, text("x")));
    assertThat(failed(ask(streams, HELD, text("y")))).contains("300 ms");
    endsWith(asking, "silent");
  }

  @Test
  void moreIsReadOnlyWhenEnoughIsAnswered() throws Exception {
    PeerStreams streams = streams();
    int more = 500;
    for (int i = 0; i < StreamRoute.MOST_UNANSWERED + more; i++) {
      ask(streams, HELD, text("x"));
    }
    await().atMost(SOON).until(() -> held.size() == StreamRoute.MOST_UNANSWERED);
    for (int i = 0; i < more; i++) {
      assertThat(received).hasSizeLessThanOrEqualTo(StreamRoute.MOST_UNANSWERED + i);
      held.remove().run();
    }
    await().atMost(SOON).until(() -> received.size() == StreamRoute.MOST_UNANSWERED + more);
  }

  @Test
  void aRequestThatDoesNotAskForThisProtocolIsRefused() throws Exception {
    OutgoingHttp http = http(ClusterKey.of(secrets::get));
    assertThat(
            http.to(gateway, HttpMethod.GET, StreamRoute.PATH, 120_000)
                .send()
                .await(120, TimeUnit.SECONDS)
                .status())
        .isEqualTo(426);
    CompletableFuture<String> why = new CompletableFuture<>();
    http.to(gateway, HttpMethod.GET, StreamRoute.PATH, 120_000)
        .header(StreamRoute.NONCE, "12")
        .upgrade(StreamRoute.PROTOCOL)
        .onFailure(failure -> why.complete(failure.getMessage()));
    assertThat(why.get(120, TimeUnit.SECONDS))
        .isEqualTo("status 400: " + StreamRoute.NONCE + " has to have 32 hexadecimal digits\n");
  }
}
