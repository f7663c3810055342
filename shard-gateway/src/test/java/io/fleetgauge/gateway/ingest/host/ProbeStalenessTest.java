package io.fleetgauge.gateway.ingest.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProbeStalenessTest {
  private static final long TICK = 15_000;
  private static final long GRACE = TICK / 2;

  private final ProbeStaleness staleness = new ProbeStaleness();

  @Test
  void aProbeIsSilentWhenTwoTicksHaveNotCome() {
    assertThat(staleness.timePassed(90_000, TICK, 500)).isEmpty();
    assertThat(staleness.timePassed(90_000, TICK, 500 + 2 * TICK + GRACE - 1)).isEmpty();
    assertThat(staleness.timePassed(90_000, TICK, 500 + 2 * TICK + GRACE)).hasValue(120_000);
    assertThat(staleness.timePassed(90_000, TICK, 500 + 2 * TICK + GRACE + 1)).isEmpty();
    assertThat(staleness.timePassed(90_000, TICK, 500 + 5 * TICK + GRACE)).hasValue(165_000);
  }

  @Test
  void aTickEndsTheSilenceAndBodiesThatAreTurnedAwayPutItOff() {
    staleness.timePassed(90_000, TICK, 0);
    assertThat(staleness.timePassed(105_000, TICK, 3 * TICK)).isEmpty();
    staleness.attempted(5 * TICK);
    assertThat(staleness.timePassed(105_000, TICK, 6 * TICK)).isEmpty();
    assertThat(staleness.timePassed(105_000, TICK, 7 * TICK + GRACE)).hasValue(135_000);
  }

  @Test
  void shortTicksMayComeTwoSecondsLate() {
    staleness.timePassed(90_000, 1_000, 0);
    assertThat(staleness.timePassed(90_000, 1_000, 3_999)).isEmpty();
    assertThat(staleness.timePassed(90_000, 1_000, 4_000)).hasValue(92_000);
  }

  @Test
  void itIsSaidForADayAndNotForEver() {
    staleness.timePassed(90_000, TICK, 0);
    assertThat(staleness.timePassed(90_000, TICK, ProbeStaleness.SAID_MILLIS)).isPresent();
    assertThat(staleness.timePassed(90_000, TICK, ProbeStaleness.SAID_MILLIS + 2 * TICK)).isEmpty();
  }

  /** Only time that has passed counts, so a clock that is set wrong on either side is harmless. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void aProbeThatSendsIsNeverSilentWhateverItsClockSays(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    long skew = random.nextLong(-1L << 40, 1L << 40);
    long steady = 0;
    long tick = 0;
    for (int i = 0; i < 10_000; i++) {
      steady += random.nextInt((int) (TICK + GRACE));
      while ((tick + 1) * TICK + random.nextInt((int) TICK) < steady) {
        tick++;
      }
      OptionalLong upTo = staleness.timePassed(skew + tick * TICK, TICK, steady);
      assertThat(upTo).isEmpty();
    }
  }
}
