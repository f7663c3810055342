package io.fleetgauge.cluster.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class PeerLinkTest {
  private static final Duration SOON = Duration.ofMinutes(10);

  private final List<LinkedQueryApi> apis = new ArrayList<>();

  @AfterEach
  void stop() throws Exception {
    for (LinkedQueryApi each : apis) {
      each.close();
    }
  }

  private LinkedQueryApi api(Vertx vertx, String name) throws Exception {
    LinkedQueryApi api = new LinkedQueryApi(vertx, name);
    apis.add(api);
    return api;
  }

  @Test
  void queryApisSeeEachOtherWithTheirNotesUntilOneSaysGoodbye(Vertx vertx) throws Exception {
    LinkedQueryApi one = api(vertx, "one");
    LinkedQueryApi two = api(vertx, "two");
    for (LinkedQueryApi each : apis) {
      each.link.start(each.name, () -> 2);
      each.link.run(() -> each.link.tell("t", true, () -> each.name.getBytes()));
    }
    LinkedQueryApi.meet(apis);
    await()
        .atMost(SOON)
        .until(
            () ->
                one.link.list().seesAll()
                    && two.link.list().seesAll()
                    && one.link.list().of("two").orElseThrow().note("t").isPresent()
                    && one.link.list().of("two").orElseThrow().acknowledged() > 0);
    assertThat(one.link.list().of("two").orElseThrow().note("t")).hasValue("two".getBytes());
    two.close();
    await().atMost(SOON).until(() -> one.link.list().live().isEmpty());
    assertThat(one.link.list().of("two").orElseThrow().state()).isEqualTo(Peer.State.GONE);
  }

  @Test
  void aHeartbeatThatComesBeforeTheStartFailsAndBytesThatAreNoneAreRefused(Vertx vertx)
      throws Exception {
    LinkedQueryApi one = api(vertx, "one");
    LinkedQueryApi two = api(vertx, "two");
    LinkedQueryApi.meet(apis);
    byte[] beat = HeartbeatForm.toBytes(new Heartbeat("two", 1, 1, 0, 0, false, Map.of()));
    assertThatThrownBy(() -> ask(two, beat)).hasMessageContaining("status 503");
    assertThatThrownBy(() -> ask(two, new byte[] {9})).hasMessageContaining("status 400");
    one.link.start("one", () -> 2);
    await()
        .atMost(SOON)
        .ignoreExceptions()
        .until(() -> HeartbeatForm.fromBytes(ask(two, beat)).answers() == 1);
    assertThatThrownBy(() -> two.link.post("three", "/", beat, 1_000).await())
        .hasMessage("it is not known where three is reached");
  }

  private static byte[] ask(LinkedQueryApi from, byte[] beat) throws Exception {
    return from.link.post("one", "/v1/peers/heartbeat", beat, 60_000).await(120, TimeUnit.SECONDS);
  }

  @Test
  void oneThatDoesNotAnswerIsSentThreeHeartbeatsAtATimeAtMost(Vertx vertx) throws Exception {
    List<HttpServerResponse> open = new CopyOnWriteArrayList<>();
    AtomicInteger most = new AtomicInteger();
    HttpServer frozen =
        vertx
            .createHttpServer()
            .requestHandler(
                request -> {
                  open.add(request.response());
                  request.response().closeHandler(none -> open.remove(request.response()));
                  most.accumulateAndGet(open.size(), Math::max);
                })
            .listen(0, "127.0.0.1")
            .await(120, TimeUnit.SECONDS);
    LinkedQueryApi one = api(vertx, "one");
    one.link.start("one", () -> 2);
    AtomicInteger ticks = new AtomicInteger();
    one.link.onChange(list -> ticks.incrementAndGet());
    one.link.found(Map.of("two", URI.create("http://127.0.0.1:" + frozen.actualPort())));
    await().atMost(SOON).until(() -> ticks.get() > 60 && most.get() > 0);
    assertThat(most).hasValueLessThanOrEqualTo(3);
  }

  @Test
  void whatAnotherAsksIsAnsweredOrRefusedOrFails(Vertx vertx) throws Exception {
    LinkedQueryApi one = api(vertx, "one");
    assertThat(one.link.names()).isEmpty();
    assertThat(one.link.call(() -> 7).await(120, TimeUnit.SECONDS)).isEqualTo(7);
    Future<Integer> failed =
        one.link.call(
            () -> {
              throw new WireException("damaged");
            });
    assertThatThrownBy(() -> failed.await(120, TimeUnit.SECONDS)).hasMessage("damaged");
  }
}
