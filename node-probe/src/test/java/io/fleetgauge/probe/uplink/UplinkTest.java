package io.fleetgauge.probe.uplink;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.Checkpoint;
import io.vertx.junit5.Timeout;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** An uplink against gateways that are real HTTP servers, each with the answers of the test. */
@ExtendWith(VertxExtension.class)
@Timeout(120_000)
class UplinkTest {
  private static final String HOST = "node 1/a";

  @TempDir private Path folder;
  private final List<Uplink> open = new ArrayList<>();

  @AfterEach
  void closeUplinks() {
    open.forEach(Uplink::close);
  }

  @Test
  void aTickArrivesAsOneRequestOfTheIntakeProtocol(Vertx vertx, VertxTestContext context) {
    Checkpoint arrived = context.checkpoint();
    gateway(
            vertx,
            (request, ticks) -> {
              context.verify(
                  () -> {
                    assertThat(request.path()).isEqualTo("/v1/hosts/node%201%2Fa/frames");
                    assertThat(request.getHeader("Content-Type"))
                        .isEqualTo(IntakeProtocol.FRAMES_TYPE);
                    assertThat(request.getHeader(IntakeProtocol.EPOCH)).isEqualTo("0");
                    assertThat(request.getHeader(IntakeProtocol.ACKNOWLEDGED)).isEqualTo("0");
                    assertThat(request.getHeader("Authorization")).isEqualTo("Bearer secret");
                    assertThat(ticks).singleElement().satisfies(UplinkTest::isTickOne);
                    arrived.flag();
                  });
              return kept(ticks);
            })
        .onComplete(
            context.succeeding(
                gateway ->
                    uplink(vertx, List.of(gateway), Optional.empty(), "secret").offer(tick(1))));
  }

  private static void isTickOne(Frame.Tick tick) {
    assertThat(tick.host()).isEqualTo(HOST);
    assertThat(tick.time()).isEqualTo(1);
    assertThat(tick.values()).containsExactly(1);
  }

  @Test
  void anAnswerThatIsNoneOfTheProtocolIsAFailureWithItsStatusAndText() {
    assertThat(Uplink.read(403, Buffer.buffer("the token lacks the permission to write\nmore")))
        .isEqualTo(
            new UplinkMachine.Event.Failed("status 403, the token lacks the permission to write"));
    assertThat(Uplink.read(502, Buffer.buffer()))
        .isEqualTo(new UplinkMachine.Event.Failed("status 502, "));
  }

  @Test
  void withoutATokenNoAuthorizationIsSent(Vertx vertx, VertxTestContext context) {
    gateway(
            vertx,
            (request, ticks) -> {
              context.verify(() -> assertThat(request.getHeader("Authorization")).isNull());
              context.completeNow();
              return kept(ticks);
            })
        .onComplete(
            context.succeeding(
                gateway -> uplink(vertx, List.of(gateway), Optional.empty(), "").offer(tick(1))));
  }

  @Test
  void anUplinkFollowsMovedToTheOwnerAndStaysThere(Vertx vertx, VertxTestContext context) {
    AtomicInteger askedFirst = new AtomicInteger();
    Checkpoint firstTick = context.checkpoint();
    Checkpoint secondTick = context.checkpoint();
    gateway(
            vertx,
            (request, ticks) -> {
              (ticks.getLast().time() == 1 ? firstTick : secondTick).flag();
              context.verify(
                  () -> assertThat(request.getHeader(IntakeProtocol.EPOCH)).isEqualTo("65536"));
              return kept(ticks);
            })
        .compose(
            owner ->
                gateway(
                    vertx,
                    (request, ticks) -> {
                      context.verify(() -> assertThat(askedFirst.incrementAndGet()).isEqualTo(1));
                      return new IntakeAnswer.Moved(owner, 65_536);
                    }))
        .onComplete(
            context.succeeding(
                first -> {
                  Uplink uplink = uplink(vertx, List.of(first), Optional.empty(), "");
                  uplink.offer(tick(1));
                  vertx.setPeriodic(
                      5,
                      id -> {
                        if (uplink.counts().kept() == 1) {
                          vertx.cancelTimer(id);
                          uplink.offer(tick(2));
                        }
                      });
                }));
  }

  @Test
  void bodiesThatAreTooLargeArriveInSmallerOnes(Vertx vertx, VertxTestContext context) {
    List<Long> arrived = new ArrayList<>();
    gateway(
            vertx,
            (request, ticks) -> {
              if (ticks.size() > 2) {
                return null; // 413
              }
              ticks.forEach(tick -> arrived.add(tick.time()));
              if (arrived.size() == 6) {
                context.verify(() -> assertThat(arrived).containsExactly(1L, 2L, 3L, 4L, 5L, 6L));
                context.completeNow();
              }
              return kept(ticks);
            })
        .onComplete(
            context.succeeding(
                gateway -> {
                  Uplink uplink = uplink(vertx, List.of(gateway), Optional.empty(), "");
                  // The first begins a request; the others wait for it and go together.
                  for (int i = 1; i <= 6; i++) {
                    uplink.offer(tick(i));
                  }
                }));
  }

  @Test
  void anAnswerThatIsNoneAndADeadGatewayAreTriedAgain(Vertx vertx, VertxTestContext context) {
    AtomicInteger requests = new AtomicInteger();
    gateway(
            vertx,
            (request, ticks) ->
                requests.incrementAndGet() < 3 ? new IntakeAnswer.Refused("") : kept(ticks))
        .onComplete(
            context.succeeding(
                gateway -> {
                  // Nothing listens on port 1; the machine turns to the next gateway.
                  Uplink uplink =
                      uplink(
                          vertx,
                          List.of(URI.create("http://127.0.0.1:1"), gateway),
                          Optional.empty(),
                          "");
                  for (int i = 1; i <= 3; i++) {
                    uplink.offer(tick(i));
                  }
                  vertx.setPeriodic(
                      5,
                      id -> {
                        UplinkCounts counts = uplink.counts();
                        if (counts.read() == 3 && counts.queued() == 0) {
                          vertx.cancelTimer(id);
                          context.verify(
                              () -> {
                                assertThat(counts.kept() + counts.refused()).isEqualTo(3);
                                assertThat(counts.refused()).isPositive();
                                assertThat(counts.dropped()).isZero();
                              });
                          context.completeNow();
                        }
                      });
                }));
  }

  @Test
  void afterAPauseATickIsSentAgainWithoutAnotherOne(Vertx vertx, VertxTestContext context) {
    AtomicInteger requests = new AtomicInteger();
    gateway(
            vertx,
            (request, ticks) ->
                requests.incrementAndGet() < 3 ? new IntakeAnswer.SlowDown(10) : kept(ticks))
        .onComplete(
            context.succeeding(
                gateway -> {
                  Uplink uplink = uplink(vertx, List.of(gateway), Optional.empty(), "");
                  uplink.offer(tick(1));
                  completeWhenKept(vertx, context, uplink, 1);
                }));
  }

  @Test
  void aTickWhoseAnswerCannotBeReadIsSentAgain(Vertx vertx, VertxTestContext context) {
    AtomicInteger requests = new AtomicInteger();
    vertx
        .createHttpServer()
        .requestHandler(
            request ->
                request
                    .body()
                    .onSuccess(
                        body ->
                            request
                                .response()
                                .end(
                                    requests.incrementAndGet() == 1
                                        ? "<html>a proxy's page</html>"
                                        : kept(ticks(body.getBytes())).toString())))
        .listen(0, "127.0.0.1")
        .onComplete(
            context.succeeding(
                server -> {
                  URI gateway = URI.create("http://127.0.0.1:" + server.actualPort());
                  Uplink uplink = uplink(vertx, List.of(gateway), Optional.empty(), "");
                  uplink.offer(tick(1));
                  completeWhenKept(vertx, context, uplink, 1);
                }));
  }

  /** So many samples are acknowledged, and none is refused or dropped. */
  private static void completeWhenKept(
      Vertx vertx, VertxTestContext context, Uplink uplink, long samples) {
    vertx.setPeriodic(
        5,
        id -> {
          UplinkCounts counts = uplink.counts();
          if (counts.read() == samples && counts.queued() == 0) {
            vertx.cancelTimer(id);
            context.verify(() -> assertThat(counts.kept()).isEqualTo(samples));
            context.completeNow();
          }
        });
  }

  @Test
  void whatNoGatewayTookIsReadFromTheSpoolByTheNextUplink(Vertx vertx, VertxTestContext context)
      throws Exception {
    Uplink first =
        uplink(
            vertx,
            List.of(URI.create("http://127.0.0.1:1")),
            Optional.of(Spool.open(folder, HOST, 1 << 20)),
            "");
    for (int i = 1; i <= 4; i++) {
      first.offer(tick(i));
    }
    first.close();
    open.remove(first);
    Spool spool = Spool.open(folder, HOST, 1 << 20);
    List<Long> arrived = new ArrayList<>();
    gateway(
            vertx,
            (request, ticks) -> {
              ticks.forEach(tick -> arrived.add(tick.time()));
              if (arrived.contains(5L)) {
                context.verify(() -> assertThat(arrived).containsExactly(1L, 2L, 3L, 4L, 5L));
                context.completeNow();
              }
              return kept(ticks);
            })
        .onComplete(
            context.succeeding(
                gateway -> {
                  Uplink next = uplink(vertx, List.of(gateway), Optional.of(spool), "");
                  context.verify(() -> assertThat(next.unacknowledgedTicks()).isEqualTo(4));
                  next.offer(tick(5));
                }));
  }

  @Test
  void aSegmentOfTheSpoolThatCannotBeReadCostsItsTicksAndTheOthersAreSent(
      Vertx vertx, VertxTestContext context) throws Exception {
    try (Spool before = Spool.open(folder, HOST, 1 << 20)) {
      FrameEncoder run = new FrameEncoder(HOST, 7);
      for (int i = 1; i <= 4; i++) {
        before.append(before.segment(), run.encode(tick(i)));
      }
    }
    Spool spool = Spool.open(folder, HOST, 1 << 20);
    assertThat(spool.found()).hasSize(4);
    try (var files = Files.newDirectoryStream(folder, "*.journal")) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
    AtomicReference<Uplink> next = new AtomicReference<>();
    gateway(
            vertx,
            (request, ticks) -> {
              context.verify(
                  () -> assertThat(ticks).extracting(Frame.Tick::time).containsExactly(5L));
              context.completeNow();
              return kept(ticks);
            })
        .onComplete(
            context.succeeding(
                gateway -> {
                  next.set(uplink(vertx, List.of(gateway), Optional.of(spool), ""));
                  next.get().offer(tick(5));
                }));
    assertThat(context.awaitCompletion(120, TimeUnit.SECONDS)).isTrue();
    assertThat(next.get().counts().dropped()).isEqualTo(4);
  }

  @Test
  void closingWaitsUntilWhatWasOfferedIsAcknowledged(Vertx vertx, VertxTestContext context) {
    URI gateway =
        gateway(vertx, (request, ticks) -> kept(ticks))
            .toCompletionStage()
            .toCompletableFuture()
            .join();
    Uplink uplink = uplink(vertx, List.of(gateway), Optional.empty(), "");
    uplink.offer(tick(1));
    uplink.close();
    assertThat(uplink.unacknowledgedTicks()).isZero();
    assertThat(uplink.counts().kept()).isEqualTo(1);
    context.completeNow();
  }

  @Test
  void aClosedUplinkLeavesItsTicksInAClosedSpool(Vertx vertx, VertxTestContext context)
      throws Exception {
    Spool spool = Spool.open(folder, HOST, 1 << 20);
    Uplink uplink =
        uplink(vertx, List.of(URI.create("http://127.0.0.1:1")), Optional.of(spool), "");
    uplink.offer(tick(1));
    uplink.close();
    assertThat(uplink.unacknowledgedTicks()).isEqualTo(1);
    assertThat(spool.append(spool.segment(), new byte[1])).isFalse();
    context.completeNow();
  }

  private Uplink uplink(Vertx vertx, List<URI> gateways, Optional<Spool> spool, String token) {
    Uplink uplink =
        new Uplink(
            vertx,
            HOST,
            gateways,
            new UplinkSettings(Duration.ofMinutes(1), 1 << 20, Duration.ofHours(1), 1 << 20),
            spool,
            new OutgoingHttp(vertx, TrustSettings.NONE, RequestSigner.NONE, Uplink.HTTP_LIMITS),
            () -> token,
            1);
    open.add(uplink);
    return uplink;
  }

  /**
   * A gateway on a free port.
   *
   * @param answers of the ticks in a body; null for one that is too large
   */
  private static Future<URI> gateway(
      Vertx vertx, BiFunction<HttpServerRequest, List<Frame.Tick>, IntakeAnswer> answers) {
    return vertx
        .createHttpServer()
        .requestHandler(
            request ->
                request
                    .body()
                    .onSuccess(
                        body -> {
                          IntakeAnswer answer = answers.apply(request, ticks(body.getBytes()));
                          request
                              .response()
                              .setStatusCode(
                                  answer == null ? IntakeProtocol.TOO_LARGE : answer.httpStatus())
                              .end(answer == null ? "" : answer.toString());
                        }))
        .listen(0, "127.0.0.1")
        .map(HttpServer::actualPort)
        .map(port -> URI.create("http://127.0.0.1:" + port));
  }

  private static List<Frame.Tick> ticks(byte[] body) {
    try {
      List<Frame.Tick> ticks = new ArrayList<>();
      FrameDecoder decoder = new FrameDecoder(body);
      while (decoder.hasNext()) {
        if (decoder.next() instanceof Frame.Tick tick) {
          ticks.add(tick);
        }
      }
      return ticks;
    } catch (WireException e) {
      throw new IllegalStateException(e);
    }
  }

  private static IntakeAnswer kept(List<Frame.Tick> ticks) {
    return new IntakeAnswer.Kept(ticks.getLast().run(), ticks.getLast().sequence());
  }

  private static Tick tick(int time) {
    return new Tick.Builder().add(Labels.of(Labels.NAME, "m"), time).at(time);
  }
}
