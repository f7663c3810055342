package io.fleetgauge.sample.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbers as text by the rules of Go, and what no rule allows. */
class NumbersParseTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "-0, -0.0",
    "+7, 7",
    "007, 7",
    "1., 1",
    ".5, 0.5",
    "-.5, -0.5",
    "1e3, 1000",
    "1E+3, 1000",
    "1e-3, 0.001",
    "1_000, 1000",
    "1_0.0_1, 10.01",
    "1e1_0, 1e10",
    "0x1p0, 1",
    "0X1.8P1, 3",
    "-0x10p-4, -1",
    "0x.8p1, 1",
    "0x_1p1, 2",
    "0xFfp0, 255",
    "1e-400, 0",
    "4.9e-324, 4.9e-324",
    "1.7976931348623157e308, 1.7976931348623157e308"
  })
  void aTextThatGoReadsIsItsNumber(String text, double value) {
    assertThat(Numbers.parse(text)).hasValue(value);
  }

  @ParameterizedTest
  @ValueSource(strings = {"NaN", "nan", "NAN", "nAn"})
  void notANumberIsReadInAnyCase(String text) {
    assertThat(Numbers.parse(text).orElseThrow()).isNaN();
  }

  @ParameterizedTest
  @CsvSource({"Inf, 1", "+inf, 1", "INFINITY, 1", "+Infinity, 1", "-Inf, -1", "-infinity, -1"})
  void theInfinitiesAreReadInAnyCase(String text, int sign) {
    assertThat(Numbers.parse(text)).hasValue(sign * Double.POSITIVE_INFINITY);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        " 1",
        "1 ",
        "+",
        "-",
        ".",
        "e5",
        "1e",
        "1e+",
        "--1",
        "+-1",
        "1.2.3",
        "1,5",
        "1f",
        "1d",
        "0x",
        "0x1",
        "0x1.8",
        "x1p0",
        "0x1p",
        "1p4",
        "_1",
        "1_",
        "1__0",
        "1_.5",
        "1._5",
        "1_e5",
        "1e_5",
        "+nan",
        "-nan",
        "infinite",
        "1e309",
        "-1e309",
        "0x1p1024",
        "٣",
        "1e5_"
      })
  void anythingElseIsNoNumber(String text) {
    assertThat(Numbers.parse(text)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void eachWrittenFormReadsBackAsTheSameDouble(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 5_000; round++) {
      double value = Double.longBitsToDouble(random.nextLong());
      assertThat(Numbers.parse(Numbers.text(value))).hasValue(value);
      assertThat(Numbers.parse(Numbers.general(value))).hasValue(value);
      assertThat(Numbers.parse(Numbers.openMetrics(value))).hasValue(value);
      if (Double.isFinite(value)) {
        assertThat(Numbers.parse(Double.toHexString(value))).hasValue(value);
        assertThat(Numbers.parse(new BigDecimal(value).toPlainString())).hasValue(value + 0.0);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0.0",
    "-0.0, -0.0",
    "1, 1.0",
    "-12, -12.0",
    "0.5, 0.5",
    "1e20, 100000000000000000000.0",
    "1e21, 1e+21",
    "NaN, NaN",
    "Infinity, +Inf",
    "-Infinity, -Inf",
    "0.25, 0.25"
  })
  void inOpenMetricsAWholeNumberHasADecimal(double value, String text) {
    assertThat(Numbers.openMetrics(value)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "-0.0, -0",
    "1, 1",
    "999999, 999999",
    "1e6, 1e+06",
    "1234567, 1.234567e+06",
    "-1e6, -1e+06",
    "0.0001, 0.0001",
    "0.00009, 9e-05",
    "-0.000012, -1.2e-05",
    "1e100, 1e+100",
    "1e-100, 1e-100",
    "NaN, NaN",
    "Infinity, +Inf",
    "-Infinity, -Inf"
  })
  void theGeneralFormHasAnExponentForLargeAndSmallNumbers(double value, String text) {
    assertThat(Numbers.general(value)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "-0.0, -0",
    "1e21, 1000000000000000000000",
    "-1.5e-7, -0.00000015",
    "12.5, 12.5",
    "NaN, NaN",
    "Infinity, +Inf",
    "-Infinity, -Inf"
  })
  void theWrittenOutFormHasNoExponent(double value, String text) {
    assertThat(Numbers.plain(value)).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(
      longs = {0, 1, -1, 9, -10, 12_345_678, -123_456_789, Long.MAX_VALUE, -Long.MAX_VALUE})
  void aWholeNumberIsWrittenWithItsSign(long whole) {
    byte[] bytes = new byte[40];
    int end = Numbers.put(whole, bytes, 5);
    assertThat(new String(bytes, 5, end - 5, StandardCharsets.ISO_8859_1))
        .isEqualTo(Long.toString(whole));
  }

  @ParameterizedTest
  @CsvSource({
    "1, 0.001",
    "-1, -0.001",
    "10, 0.010",
    "100, 0.100",
    "999, 0.999",
    "-999, -0.999",
    "-1000, -1",
    "-1001, -1.001",
    "1700000000099, 1700000000.099"
  })
  void secondsHaveTheirMillisecondsAndTheirSign(long millis, String text) {
    assertThat(Numbers.seconds(millis)).isEqualTo(text);
    assertThat(new BigDecimal(text)).isEqualByComparingTo(BigDecimal.valueOf(millis, 3));
  }
}
