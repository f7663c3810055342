package io.fleetgauge.runtime.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UnitsTest {
  @ParameterizedTest
  @CsvSource({
    "0s, 0",
    "1ms, 1",
    "1s, 1000",
    "1m, 60000",
    "1h, 3600000",
    "1d, 86400000",
    "007m, 420000",
    "999999999d, 86399999913600000"
  })
  void aDurationIsANumberAndAUnit(String text, long millis) {
    assertThat(Units.duration(text)).contains(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "1",
        "s",
        "1 s",
        "-1s",
        "+1s",
        "1.5h",
        "1S",
        "1w",
        "1h30m",
        "1s ",
        "1000000000s"
      })
  void anythingElseIsNotADuration(String text) {
    assertThat(Units.duration(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "0B, 0",
    "1B, 1",
    "1KiB, 1024",
    "1MiB, 1048576",
    "1GiB, 1073741824",
    "1TiB, 1099511627776"
  })
  void aSizeIsANumberAndABinaryUnit(String text, long bytes) {
    assertThat(Units.bytes(text)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "1", "B", "1 B", "-1B", "1.5GiB", "1KB", "1kib", "1PiB", "1000000000B"})
  void anythingElseIsNotASize(String text) {
    assertThat(Units.bytes(text)).isEqualTo(-1);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0s",
    "1, 1ms",
    "999, 999ms",
    "1000, 1s",
    "1001, 1001ms",
    "60000, 1m",
    "90000, 90s",
    "3600000, 1h",
    "5400000, 90m",
    "86400000, 1d",
    "90000000, 25h"
  })
  void aDurationIsPrintedInTheLargestUnitThatGivesAWholeNumber(long millis, String text) {
    assertThat(Units.print(Duration.ofMillis(millis))).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0B",
    "1023, 1023B",
    "1024, 1KiB",
    "1025, 1025B",
    "1048576, 1MiB",
    "1572864, 1536KiB",
    "1073741824, 1GiB",
    "1099511627776, 1TiB"
  })
  void aSizeIsPrintedInTheLargestUnitThatGivesAWholeNumber(long bytes, String text) {
    assertThat(Units.printBytes(bytes)).isEqualTo(text);
  }

  @Test
  void whatIsPrintedIsReadAsTheSameValue() {
    Random random = new Random(7);
    for (int i = 0; i < 1_000; i++) {
      int shift = random.nextInt(29);
      Duration duration = Duration.ofMillis(random.nextLong(1L << shift, 1L << shift + 1));
      assertThat(Units.duration(Units.print(duration))).contains(duration);
      long bytes = random.nextLong(1L << shift, 1L << shift + 1);
      assertThat(Units.bytes(Units.printBytes(bytes))).isEqualTo(bytes);
    }
  }
}
