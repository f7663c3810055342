package io.fleetgauge.gateway.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.fair.Load;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class FragmentPlacesTest {
  private final CountDownLatch end = new CountDownLatch(1);
  private final List<String> executed = Collections.synchronizedList(new ArrayList<>());
  private FragmentPlaces places;

  @BeforeEach
  void open(Vertx vertx) {
    places = new FragmentPlaces(vertx, "places", 1, 1);
  }

  @AfterEach
  void release() {
    end.countDown();
  }

  private static Load light(String tenant) {
    return new Load(tenant, 1, 1);
  }

  private static Load heavy(String tenant) {
    return new Load(tenant, 1, 1L << 40);
  }

  /** Keeps its place until the end. */
  private Future<Void> busy(Load load) {
    return places.execute(
        load,
        () -> {
          end.await();
          return null;
        });
  }

  private Future<Void> note(Load load) {
    return places.execute(
        load,
        () -> {
          executed.add(load.tenant());
          return null;
        });
  }

  @Test
  void aLightFragmentIsExecutedWhileAnyNumberOfHeavyOnesRunAndWait() throws Exception {
    for (int i = 0; i < 64; i++) {
      busy(heavy(i % 2 == 0 ? "a" : "b"));
    }
    note(light("c")).await(120, TimeUnit.SECONDS);
    assertThat(executed).containsExactly("c");
    assertThat(places.waiting()).isEqualTo(63);
  }

  @Test
  void tenantsThatWaitTakeTurnsHoweverMuchOneOfThemAsks() throws Exception {
    busy(light("a"));
    List<Future<Void>> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      all.add(note(light("a")));
    }
    all.add(note(light("b")));
    all.add(note(light("c")));
    assertThat(places.waiting()).isEqualTo(22);
    end.countDown();
    Future.all(all).await(120, TimeUnit.SECONDS);
    assertThat(executed.subList(0, 4)).contains("b", "c");
    assertThat(places.waiting()).isZero();
  }

  @Test
  void workThatFailsGivesItsPlaceToTheNext() throws Exception {
    Future<Void> failed =
        places.execute(
            light("a"),
            () -> {
              throw new IllegalStateException("no");
            });
    note(light("a")).await(120, TimeUnit.SECONDS);
    assertThat(failed.cause()).hasMessage("no");
  }

  @Test
  void moreThanTwoThousandThatWaitAreRefused() {
    for (int i = 0; i <= 2_000; i++) {
      assertThat(busy(light("a")).failed()).isFalse();
    }
    assertThat(busy(light("b")).cause())
        .hasMessage("2000 fragments of queries wait for this gateway; try again later");
  }
}
