package io.fleetgauge.query.faults.running;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.fleetgauge.query.config.FaultReceiverSettings;
import io.fleetgauge.query.derived.DerivedSample;
import io.fleetgauge.query.faults.api.FaultContext;
import io.fleetgauge.query.faults.detect.Subject;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.query.faults.record.FaultSeries;
import io.fleetgauge.query.faults.record.StoredEpisode;
import io.fleetgauge.query.faults.tell.FaultReceivers;
import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.FaultKind;
import io.fleetgauge.sample.gpu.Severity;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What receivers are told of episodes, and what is stored of that. */
class TellingTest {
  private static final long SINCE = 1_790_000_000_000L;

  private final Vertx vertx = Vertx.vertx();
  private final Context context = vertx.getOrCreateContext();
  private final BlockingQueue<JsonObject> requests = new LinkedBlockingQueue<>();
  private final BlockingQueue<DerivedSample> stored = new LinkedBlockingQueue<>();
  private volatile Function<StoredEpisode, Future<FaultContext>> contexts =
      of -> Future.succeededFuture(FaultContext.NONE);
  private HttpServer server;
  private FaultReceivers receivers;
  private Telling telling;

  @BeforeEach
  void start() throws Exception {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          requests.add(body(exchange.getRequestBody().readAllBytes()));
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    server.start();
    telling = new Telling(context, stored::add, of -> contexts.apply(of));
    FaultReceiverSettings settings =
        new FaultReceiverSettings(
            "main",
            FaultReceiverSettings.Form.WEBHOOK,
            URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/"),
            Duration.ofMinutes(1),
            Optional.empty(),
            Severity.CRITICAL,
            List.of(),
            List.of(),
            AccessSettings.NONE);
    receivers =
        FaultReceivers.start(
            vertx,
            List.of(settings),
            () -> SINCE,
            (receiver, episode, state) ->
                context.runOnContext(none -> telling.taken(receiver, episode, state)));
    telling.to(receivers);
  }

  private static JsonObject body(byte[] bytes) throws IOException {
    return new JsonObject(new String(bytes, StandardCharsets.UTF_8));
  }

  @AfterEach
  void stop() throws Exception {
    receivers.close();
    server.stop(0);
    vertx.close().await(1, TimeUnit.MINUTES);
  }

  private static FaultNews news(String id, OptionalLong over, Severity severity) {
    Episode episode =
        new Episode(
            id,
            FaultKind.GPU_LOST,
            severity,
            new Subject("h1", "GPU-1", "", "", Labels.of("gpu", "1")),
            "",
            true,
            SINCE,
            SINCE,
            SINCE,
            over,
            over.isPresent() ? "it is back" : "",
            0,
            "the GPU is lost",
            List.of(),
            List.of(),
            "",
            List.of(),
            false);
    return new FaultNews(episode, "h1", over.orElse(SINCE));
  }

  private static FaultNews open(String id) {
    return news(id, OptionalLong.empty(), Severity.CRITICAL);
  }

  private static FaultNews over(String id) {
    return news(id, OptionalLong.of(SINCE + 60_000), Severity.CRITICAL);
  }

  private void tell(FaultNews... news) {
    context.runOnContext(none -> telling.tell(List.of(news), () -> true));
  }

  private String next() throws InterruptedException {
    JsonObject next = requests.poll(10, TimeUnit.MINUTES);
    assertThat(next).isNotNull();
    return next.getJsonObject("fault").getString("episode") + " " + next.getString("state");
  }

  private String nextStored() throws InterruptedException {
    DerivedSample next = stored.poll(10, TimeUnit.MINUTES);
    assertThat(next).isNotNull();
    assertThat(next.labels().metric()).isEqualTo(FaultSeries.DELIVERED);
    return next.labels().value("receiver")
        + " "
        + next.labels().value("episode")
        + " "
        + next.labels().value("state")
        + " "
        + next.time();
  }

  @Test
  void eachEpisodeIsToldAsOpenAndAsOverOnceHoweverOftenItTellsMore() throws Exception {
    tell(open("e1"), open("e1"));
    assertThat(next()).isEqualTo("e1 open");
    tell(open("e1"));
    tell(over("e1"), over("e1"), open("e2"));
    assertThat(next()).isEqualTo("e1 over");
    assertThat(next()).isEqualTo("e2 open");
  }

  @Test
  void whatAReceiverHasTakenIsStoredWithTheTimeOfTheSampleThatToldIt() throws Exception {
    tell(open("e1"));
    assertThat(nextStored()).isEqualTo("main e1 open " + SINCE);
    tell(over("e1"));
    assertThat(nextStored()).isEqualTo("main e1 over " + (SINCE + 60_000));
  }

  @Test
  void anEpisodeThatGetsWorseIsToldToAReceiverThatDidNotWantItBefore() throws Exception {
    tell(news("e1", OptionalLong.empty(), Severity.WARNING), open("e2"), open("e1"));
    assertThat(next()).isEqualTo("e2 open");
    assertThat(next()).isEqualTo("e1 open");
  }

  @Test
  void anEpisodeIsToldWithoutTheKernelsLinesIfTheyCannotBeRead() throws Exception {
    contexts = of -> Future.failedFuture("no gateway answers");
    tell(open("e1"));
    assertThat(next()).isEqualTo("e1 open");
  }

  @Test
  void theKernelsLinesOfAnEpisodeAreToldWithIt() throws Exception {
    FaultContext.Line line = new FaultContext.Line(SINCE, 1, "xid", "NVRM: Xid 79");
    contexts = of -> Future.succeededFuture(new FaultContext(List.of(line), List.of()));
    tell(open("e1"));
    JsonObject request = requests.poll(10, TimeUnit.MINUTES);
    assertThat(request.encode()).contains("NVRM: Xid 79");
  }

  @Test
  void whoTakesOverTellsWhatWasStoredAndNotTaken() throws Exception {
    List<StoredEpisode> episodes = List.of(kept(open("e1")), kept(over("e2")), kept(open("e3")));
    Stored before =
        new Stored(
            episodes,
            Map.of(),
            Set.of(
                new Stored.Delivery("main", "e1", "open"),
                new Stored.Delivery("main", "e2", "open")),
            OptionalLong.empty());
    context.runOnContext(none -> telling.restore(before, SINCE, () -> true));
    assertThat(next()).isEqualTo("e2 over");
    assertThat(next()).isEqualTo("e3 open");
    assertThat(nextStored()).startsWith("main e2 over");
    // What was over long ago is not told any more.
    context.runOnContext(none -> telling.restore(before, SINCE + 120_000, () -> true));
    assertThat(next()).isEqualTo("e3 open");
  }

  private static StoredEpisode kept(FaultNews of) {
    return new StoredEpisode(
        of.episode(), FaultSeries.episode(of.episode(), of.home()), of.at(), of.at());
  }

  @Test
  void whoDoesNotEvaluateAnyMoreTellsNothing() throws Exception {
    context.runOnContext(none -> telling.tell(List.of(open("e1")), () -> false));
    tell(open("e2"));
    assertThat(next()).isEqualTo("e2 open");
  }
}
