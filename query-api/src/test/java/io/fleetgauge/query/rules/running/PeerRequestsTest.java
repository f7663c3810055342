package io.fleetgauge.query.rules.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.GroupState;
import io.fleetgauge.query.rules.evaluation.GroupStateForm;
import io.fleetgauge.query.rules.ownership.Beat;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Requests to q2, which answers as it is told. */
@ExtendWith(VertxExtension.class)
class PeerRequestsTest {
  private static final Beat BEAT = new Beat("q1", 2, 3, 4, 5, true, List.of());
  private static final Beat ANSWER = new Beat("q2", 6, 7, 2, 3, false, List.of());
  private static final GroupState STATE =
      new GroupState(new RuleGroup.Id("", "f", "g"), 5, "d", List.of(), List.of());

  private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();
  private volatile BiConsumer<byte[], HttpServerResponse> answer;
  private OutgoingHttp outgoing;
  private PeerRequests peers;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    outgoing =
        new OutgoingHttp(
            vertx,
            TrustSettings.NONE,
            new RequestSigner(ClusterKey.of(List::of), () -> 0),
            new HttpClients.Limits(1_000, 10, 8, 10));
    HttpServer server =
        vertx
            .createHttpServer()
            .requestHandler(
                request ->
                    request
                        .body()
                        .onSuccess(
                            body -> {
                              asked.add(request.path() + " " + request.getHeader("Content-Type"));
                              answer.accept(body.getBytes(), request.response());
                            }))
            .listen(0, "127.0.0.1")
            .await(120, TimeUnit.SECONDS);
    peers = new PeerRequests(outgoing);
    peers.peers(Map.of("q2", URI.create("http://127.0.0.1:" + server.actualPort())));
  }

  @AfterEach
  void stop() {
    outgoing.close();
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.await(120, TimeUnit.SECONDS);
  }

  @Test
  void anAnswerIsReadOnlyIfItIsOneAndHasTheStatusOfSuccess() throws Exception {
    answer = (body, response) -> response.end(Buffer.buffer(BeatForm.toBytes(ANSWER)));
    assertThat(await(peers.beat("q2", BEAT))).isEqualTo(ANSWER);
    assertThat(asked.take()).isEqualTo("/v1/rules/beat application/octet-stream");

    byte[] states = BeatForm.parts(List.of(GroupStateForm.toBytes(STATE)));
    answer = (body, response) -> response.end(Buffer.buffer(states));
    assertThat(await(peers.states("q2", List.of(1L)))).containsExactly(STATE);
    assertThatThrownBy(() -> await(peers.beat("q2", BEAT))).isInstanceOf(WireException.class);

    answer =
        (body, response) ->
            response.setStatusCode(503).end(Buffer.buffer(BeatForm.toBytes(ANSWER)));
    assertThatThrownBy(() -> await(peers.beat("q2", BEAT))).hasMessageContaining("status 503");
    assertThatThrownBy(() -> await(peers.handOver("q2", STATE))).hasMessageContaining("status 503");
  }

  @Test
  void whatIsSentIsWhatTheOtherOneReads() throws Exception {
    List<byte[]> bodies = new ArrayList<>();
    answer =
        (body, response) -> {
          bodies.add(body);
          response.end(Buffer.buffer(BeatForm.toBytes(ANSWER)));
        };
    await(peers.beat("q2", BEAT));
    await(peers.handOver("q2", STATE));
    peers.states("q2", List.of(7L, -1L)).otherwiseEmpty().await(120, TimeUnit.SECONDS);
    assertThat(BeatForm.fromBytes(bodies.get(0))).isEqualTo(BEAT);
    assertThat(GroupStateForm.read(bodies.get(1))).isEqualTo(STATE);
    assertThat(BeatForm.keys(bodies.get(2))).containsExactly(7L, -1L);
  }

  @Test
  void oneThatDoesNotAnswerIsSentThreeBeatsAtMost() throws Exception {
    BlockingQueue<HttpServerResponse> open = new LinkedBlockingQueue<>();
    answer = (body, response) -> open.add(response);
    List<Future<Beat>> beats = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      beats.add(peers.beat("q2", BEAT));
    }
    assertThat(peers.beat("q2", BEAT).cause()).hasMessage("earlier beats have not been answered");
    for (int i = 0; i < 3; i++) {
      HttpServerResponse response = open.poll(120, TimeUnit.SECONDS);
      assertThat(response).isNotNull();
      response.end(Buffer.buffer(BeatForm.toBytes(ANSWER)));
    }
    for (Future<Beat> each : beats) {
      // After two seconds an answer is too late; either way the beat is over.
      each.otherwiseEmpty().await(120, TimeUnit.SECONDS);
    }
    answer = (body, response) -> response.end(Buffer.buffer(BeatForm.toBytes(ANSWER)));
    assertThat(await(peers.beat("q2", BEAT))).isEqualTo(ANSWER);
  }

  @Test
  void oneThatIsNotKnownIsNotAsked() {
    assertThat(peers.names()).containsExactly("q2");
    assertThatThrownBy(() -> await(peers.beat("q3", BEAT)))
        .hasMessage("it is not known where q3 is reached");
    peers.peers(Map.of());
    assertThatThrownBy(() -> await(peers.states("q2", List.of())))
        .hasMessage("it is not known where q2 is reached");
    assertThat(asked).isEmpty();
  }
}
