package io.fleetgauge.probe.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.config.TestConfig;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TickClassesTest {
  private final TickClasses classes =
      TickClasses.of(
          TestConfig.of(
                  """
                  tick: 1m
                  ticks: {other: 30s, static: 6h, of: {fan: 10m, hwmon: 2m, fast: 5s}}
                  """)
              .ticks());

  @Test
  void theClassOfAMetricIsItsOwnElseThatOfItsReaderElseTheUsualOne() {
    assertThat(classes.of("hwmon", "fan", classes.core())).isEqualTo(every(10));
    assertThat(classes.of("hwmon", "other", classes.core())).isEqualTo(every(2));
    assertThat(classes.of("gpu", "power", classes.constant())).isEqualTo(every(360));
  }

  @Test
  void nothingIsReadMoreOftenThanATickIs() {
    assertThat(classes.other()).isEqualTo(classes.core());
    assertThat(classes.of("gpu", "fast", classes.constant())).isEqualTo(classes.core());
  }

  private static TickClass every(int minutes) {
    return new TickClass(Duration.ofMinutes(minutes));
  }
}
