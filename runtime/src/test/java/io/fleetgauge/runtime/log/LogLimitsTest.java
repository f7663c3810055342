package io.fleetgauge.runtime.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LogLimitsTest {
  private static final long MINUTE = LogLimits.MINUTE_NANOS;

  private final LogLimits limits = new LogLimits(2);

  @Test
  void aKindHasSoManyLinesInAMinuteAndAsManyInTheNext() {
    assertThat(limits.take("a", "text {}", 0)).isTrue();
    assertThat(limits.take("a", "text {}", 1)).isTrue();
    assertThat(limits.take("a", "text {}", 2)).isFalse();
    assertThat(limits.take("a", "text {}", MINUTE - 1)).isFalse();
    assertThat(limits.take("a", "text {}", MINUTE)).isTrue();
  }

  @Test
  void anotherLoggerAndAnotherTextAreOtherKinds() {
    for (int i = 0; i < 3; i++) {
      limits.take("a", "text", 0);
    }
    assertThat(limits.take("b", "text", 1)).isTrue();
    assertThat(limits.take("a", "another text", 1)).isTrue();
  }

  @Test
  void whatWasLeftOutIsToldOnceWhenItsMinuteIsOver() {
    for (int i = 0; i < 7; i++) {
      limits.take("a", "text {}", i);
    }
    assertThat(limits.over()).isEmpty();
    limits.take("b", "any", MINUTE);
    assertThat(limits.over()).containsExactly(new LogLimits.LeftOut("a", "text {}", 5));
    limits.take("b", "any", 3 * MINUTE);
    assertThat(limits.over()).isEmpty();
  }

  @Test
  void textsThatAllDifferShareALimitOnceThereAreTooMany() {
    int written = 0;
    for (int i = 0; i < 100_000; i++) {
      written += limits.take("a", "text " + i, 0) ? 1 : 0;
    }
    assertThat(written).isEqualTo(LogLimits.MOST_KINDS + 2);
    limits.take("b", "any", MINUTE);
    assertThat(limits.over())
        .extracting(LogLimits.LeftOut::lines)
        .containsExactly(100_000L - written);
  }
}
