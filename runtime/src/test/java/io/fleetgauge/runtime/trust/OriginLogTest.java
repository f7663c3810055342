package io.fleetgauge.runtime.trust;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OriginLogTest {
  private static final long NOW = 1_700_000_000_000L;
  private static final long MINUTE = 60_000;

  private final OriginLog log = new OriginLog();

  @Test
  void anOriginIsLoggedOnceInTenMinutes() {
    assertThat(log.isDue("a", NOW)).isTrue();
    assertThat(log.isDue("a", NOW + OriginLog.AGAIN_MILLIS - 1)).isFalse();
    assertThat(log.isDue("b", NOW + OriginLog.AGAIN_MILLIS - 1)).isTrue();
    assertThat(log.isDue("a", NOW + OriginLog.AGAIN_MILLIS)).isTrue();
  }

  @Test
  void whoeverChangesItsOriginDoesNotFillTheLog() {
    int lines = 0;
    for (int i = 0; i < 100_000; i++) {
      lines += log.isDue("origin " + i, NOW + i % 10) ? 1 : 0;
    }
    assertThat(lines).isEqualTo(OriginLog.MAX_LINES);
    assertThat(log.isDue("another", NOW + MINUTE)).isTrue();
  }

  @Test
  void anOriginThatWasRightInBetweenIsLoggedAtOnce() {
    assertThat(log.isDue("a", NOW)).isTrue();
    log.isOver("a");
    assertThat(log.isDue("a", NOW + 1)).isTrue();
  }
}
