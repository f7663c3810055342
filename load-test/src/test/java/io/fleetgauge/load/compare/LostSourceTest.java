package io.fleetgauge.load.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.config.SourceSettings;
import io.fleetgauge.sample.Tick;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * A store that freezes, breaks off and dies in the middle of queries: no answer is wrong, and every
 * short one says what it lacks.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LostSourceTest {
  private static final long SEED = 20_261_129;
  private static final int COUNT = 200;

  private PrometheusServer store;
  private FaultyLink link;
  private SideBySide both;

  @BeforeAll
  void giveEachItsHalf(@TempDir Path folder) throws Exception {
    Map<String, List<Tick>> all = ComparedSamples.ticksByHost();
    store = new PrometheusServer(Files.createDirectories(folder.resolve("store")), Set.of());
    SideBySide.fill(store::write, SplitSamples.older(all));
    link = new FaultyLink(store.address());
    both =
        new SideBySide(
            Files.createDirectories(folder.resolve("all")),
            all,
            SplitSamples.newer(all),
            ComparedSamples.START + ComparedSamples.LENGTH,
            FuzzCommand.FEATURES,
            List.of(
                SourceSettings.at(
                        "old",
                        link.address(),
                        SourceSettings.Kind.PROMETHEUS,
                        SourceSettings.Holds.OLDER)
                    .withOwnerLabels()
                    .within(Duration.ofSeconds(1))));
  }

  @AfterAll
  void stop() {
    for (AutoCloseable each : new AutoCloseable[] {both, link, store}) {
      if (each != null) {
        try {
          each.close();
        } catch (Exception e) {
          throw new AssertionError(e);
        }
      }
    }
  }

  @Test
  void noAnswerIsWrongAndEveryShortOneSaysWhatItLacks() throws Exception {
    List<String> problems = new ArrayList<>();
    int whole = 0;
    int lacking = 0;
    for (int i = 0; i < COUNT; i++) {
      link.become(
          i % 20 == 7
              ? FaultyLink.State.FROZEN
              : i % 5 == 2 ? FaultyLink.State.CUT : FaultyLink.State.WHOLE);
      if (i == COUNT * 3 / 4) {
        store.close();
      }
      QueryGenerator.Question question = QueryGenerator.question(SEED, i, true);
      HttpResponse<String> answer = both.comparison().asked(question.path(), question.parameters());
      boolean isNamed =
          answer
              .headers()
              .firstValue("X-Fleetgauge-Completeness")
              .orElse("")
              .contains("missing-sources=old");
      if (answer.body().contains("incomplete result: the source old")) {
        lacking++;
        if (!isNamed && answer.statusCode() == 200) {
          problems.add("the header of the answer to " + question + " does not name the source");
        }
      } else {
        whole++;
        both.comparison()
            .difference(answer, question.path(), question.parameters())
            .ifPresent(what -> problems.add(question + ": " + what));
      }
    }
    assertThat(problems).isEmpty();
    assertThat(lacking).isGreaterThan(20);
    assertThat(whole).isPositive();
  }

  /** A way to a server that a test can freeze or cut. */
  private static final class FaultyLink implements AutoCloseable {
    /** What becomes of what the server sends. */
    enum State {
      WHOLE,
      /** Nothing comes any more. */
      FROZEN,
      /** The connection breaks after the first half of what comes. */
      CUT
    }

    private final Vertx vertx = Vertx.vertx();
    private final NetClient client = vertx.createNetClient();
    private final URI target;
    private final int port;
    private volatile State state = State.WHOLE;

    FaultyLink(URI target) {
      this.target = target;
      NetServer server = vertx.createNetServer().connectHandler(this::connected);
      this.port = server.listen(0, "127.0.0.1").await().actualPort();
    }

    URI address() {
      return URI.create("http://127.0.0.1:" + port);
    }

    void become(State next) {
      state = next;
    }

    private void connected(NetSocket near) {
      near.pause();
      client
          .connect(target.getPort(), target.getHost())
          .onSuccess(
              far -> {
                far.handler(bytes -> received(bytes, near, far));
                near.handler(far::write);
                near.closeHandler(none -> far.close());
                far.closeHandler(none -> near.close());
                near.resume();
              })
          .onFailure(none -> near.close());
    }

    private void received(Buffer bytes, NetSocket near, NetSocket far) {
      switch (state) {
        case WHOLE -> near.write(bytes);
        case FROZEN -> {}
        case CUT ->
            near.write(bytes.slice(0, bytes.length() / 2))
                .onComplete(
                    none -> {
                      near.close();
                      far.close();
                    });
      }
    }

    @Override
    public void close() {
      vertx.close().await();
    }
  }
}
