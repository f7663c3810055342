package io.fleetgauge.promql.fair;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.StopCheck;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class YieldToLightQueriesTest {
  private static final long MILLI = 1_000_000;

  private final AtomicLong now = new AtomicLong(-5 * MILLI);
  private final LightWork light = new LightWork(now::get);
  private final AtomicLong paused = new AtomicLong();

  /** Works for so long, looking at the sign every 100 us. */
  private void work(StopCheck sign, long millis) {
    for (int i = 0; i < 10 * millis; i++) {
      now.addAndGet(MILLI / 10);
      assertThat(sign.reason()).isEmpty();
    }
  }

  private YieldToLightQueries sign(StopCheck inner, long paceUntil) {
    YieldToLightQueries made =
        new YieldToLightQueries(
            inner,
            light,
            paceUntil,
            now::get,
            nanos -> {
              paused.addAndGet(nanos);
              now.addAndGet(nanos);
            });
    made.reason(); // its work begins
    return made;
  }

  @Test
  void aHeavyQueryAloneDoesNotPause() {
    work(sign(StopCheck.NEVER, 1_000_000 * MILLI), 100);
    assertThat(paused).hasValue(0);
  }

  @Test
  void oneThatFollowsALightQueryOfTheSameClientDoesNotPause() {
    light.begin();
    light.end();
    now.incrementAndGet();
    work(sign(StopCheck.NEVER, 1_000_000 * MILLI), 100);
    assertThat(paused).hasValue(0);
  }

  @Test
  void besideLightOnesItWorksATenthOfItsTime() {
    YieldToLightQueries sign = sign(StopCheck.NEVER, 1_000_000 * MILLI);
    for (int i = 0; i < 50; i++) {
      light.begin();
      light.end();
      work(sign, 1);
    }
    assertThat(paused).hasValue(50 * 9 * MILLI);
  }

  @Test
  void aWhileAfterTheLastLightOneItIsAtFullSpeedAgain() {
    YieldToLightQueries sign = sign(StopCheck.NEVER, 1_000_000 * MILLI);
    light.begin();
    light.end();
    work(sign, 200);
    assertThat(paused).hasValueBetween(9 * MILLI, 50 * MILLI);
  }

  @Test
  void aLightOneThatTakesLongIsGivenWayToUntilItEnds() {
    YieldToLightQueries sign = sign(StopCheck.NEVER, 1_000_000 * MILLI);
    light.begin();
    work(sign, 100);
    assertThat(paused).hasValue(100 * 9 * MILLI);
    light.end();
  }

  @Test
  void itDoesNotPauseOnceItCouldBeLate() {
    long until = now.get() + 20 * MILLI;
    YieldToLightQueries sign = sign(StopCheck.NEVER, until);
    for (int i = 0; i < 100; i++) {
      light.begin();
      light.end();
      work(sign, 1);
    }
    assertThat(paused).hasValue(2 * 9 * MILLI);
  }

  @Test
  void itStopsWhenItIsTold() {
    QueryFailure over = new QueryFailure(QueryFailure.Kind.CANCELED, "gone");
    assertThat(sign(() -> Optional.of(over), 0).reason()).contains(over);
  }
}
