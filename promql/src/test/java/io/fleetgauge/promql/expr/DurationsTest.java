package io.fleetgauge.promql.expr;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "0s, 0",
    "5ms, 5",
    "1s, 1000",
    "90s, 90000",
    "1m30s, 90000",
    "1h, 3600000",
    "1d, 86400000",
    "1w, 604800000",
    "1y, 31536000000",
    "1y2w3d4h5m6s7ms, 33019506007",
    "292y, 9208512000000",
  })
  void aDurationIsTheSumOfItsUnits(String text, long millis) {
    assertThat(Durations.parse(text)).isEqualTo(millis);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "5",
        "s",
        "1.5s",
        "-1s",
        "1s1m",
        "1m1m",
        "1S",
        "1 s",
        "1sx",
        "5us",
        "293y",
        "1s ",
        "99999999999999999999s",
        "1m 30s"
      })
  void anythingElseIsNone(String text) {
    assertThat(Durations.parse(text)).isEqualTo(Durations.NONE);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0s",
    "1, 1ms",
    "1000, 1s",
    "90000, 1m30s",
    "604800000, 1w",
    "691200000, 8d",
    "31536000000, 1y",
    "31536000001, 365d1ms",
    "86400001, 1d1ms",
  })
  void yearsAndWeeksArePrintedOnlyWithoutARest(long millis, String text) {
    assertThat(Durations.print(millis)).isEqualTo(text);
  }

  @Test
  void whatIsPrintedIsParsedBack() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 20_000; i++) {
      long millis = random.nextLong(1L << random.nextInt(1, 43));
      assertThat(Durations.parse(Durations.print(millis))).isEqualTo(millis);
    }
  }
}
