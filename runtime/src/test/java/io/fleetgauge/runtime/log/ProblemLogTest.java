package io.fleetgauge.runtime.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProblemLogTest {
  private final List<String> lines = new ArrayList<>();
  private final ProblemLog log =
      new ProblemLog(text -> lines.add("warn " + text), text -> lines.add("info " + text));

  @Test
  void aProblemIsLoggedOnceThenOnceAMinuteAndWhenItIsOver() {
    for (long second = 0; second < 130; second++) {
      log.update(second * 1_000, Optional.of("no gateway"));
    }
    log.update(130_000, Optional.empty());
    log.update(131_000, Optional.empty());
    assertThat(lines)
        .containsExactly(
            "warn no gateway",
            "warn no gateway",
            "warn no gateway",
            "info resolved after 130 s: no gateway");
  }

  @Test
  void aProblemThatComesAndGoesIsLoggedNoMoreOftenThanOneThatStays() {
    for (long second = 0; second < 59; second++) {
      log.update(second * 1_000, second % 2 == 0 ? Optional.of("late") : Optional.empty());
    }
    assertThat(lines).containsExactly("warn late", "info resolved after 1 s: late");
  }
}
