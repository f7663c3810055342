package io.fleetgauge.sample.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NumbersTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "-0.0, -0",
    "1, 1",
    "-5, -5",
    "0.1, 0.1",
    "1e20, 100000000000000000000",
    "1e21, 1e+21",
    "-1.5e21, -1.5e+21",
    "123456789.125, 123456789.125",
    "1e-6, 0.000001",
    "1e-7, 1e-07",
    "2.5e-7, 2.5e-07",
    "2e23, 2e+23",
    "4.9e-324, 5e-324",
    "1.7976931348623157e308, 1.7976931348623157e+308",
    "9007199254740993, 9007199254740992",
    "NaN, NaN",
    "Infinity, +Inf",
    "-Infinity, -Inf"
  })
  void aNumberPrintsAsPrometheusPrintsIt(double value, String text) {
    assertThat(Numbers.text(value)).isEqualTo(text);
  }

  @Test
  void thePlainDigitsAreThoseOfTheShortestDecimal() {
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < 200_000; i++) {
      double digits = i % 2 == 0 ? random.nextDouble() : random.nextInt(1, 10_000);
      double value = (i % 3 == 0 ? -digits : digits) * Math.pow(10, random.nextInt(-7, 22));
      double magnitude = Math.abs(value);
      if (magnitude >= 1e-6 && magnitude < 1e21) {
        assertThat(Numbers.text(value)).isEqualTo(writtenOut(value));
      }
    }
  }

  @Test
  void numbersNextToWholeMillionthsHaveTheDigitsOfTheShortestDecimal() {
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 300_000; i++) {
      double millionths = random.nextLong(1_000, i % 2 == 0 ? 10_000_000 : 1_000_000_000_000_000L);
      double value = millionths / 1e6;
      double near = i % 3 == 0 ? value : i % 3 == 1 ? Math.nextUp(value) : Math.nextDown(value);
      assertThat(Numbers.text(near)).isEqualTo(writtenOut(near));
    }
  }

  @Test
  void theGeneralFormHasTheDigitsOfTheShortestDecimal() {
    SplittableRandom random = new SplittableRandom(8);
    for (int i = 0; i < 200_000; i++) {
      double value =
          (i % 2 == 0 ? random.nextDouble(0.5, 1) : 0.5) * Math.pow(10, random.nextInt(7, 120));
      String text = Numbers.general(i % 3 == 0 ? -value : value);
      assertThat(text).matches("-?\\d(\\.\\d*[1-9])?e\\+\\d\\d+");
      assertThat(new BigDecimal(text).abs().stripTrailingZeros())
          .isEqualTo(new BigDecimal(Double.toString(value)).stripTrailingZeros());
    }
  }

  @Test
  void linesOfTheExpositionHaveTheDigitsOfTheGeneralForm() {
    SplittableRandom random = new SplittableRandom(6);
    byte[] bytes = new byte[48];
    for (int i = 0; i < 300_000; i++) {
      double value =
          switch (i % 4) {
            case 0 -> Double.longBitsToDouble(random.nextLong());
            case 1 -> random.nextLong(-1L << 55, 1L << 55);
            case 2 -> random.nextInt(-5_000_000, 5_000_000) / 4.0;
            default -> random.nextDouble() * Math.pow(10, random.nextInt(-8, 22));
          };
      int end = Numbers.putGeneral(value, bytes, 3);
      String text = new String(bytes, 3, end - 3, StandardCharsets.ISO_8859_1);
      assertThat(text).isEqualTo(value == 0 ? "0" : Numbers.general(value));
    }
  }

  @Test
  void theWrittenOutFormHasNoExponentHoweverSmallOrLargeTheNumber() {
    SplittableRandom random = new SplittableRandom(12);
    for (int i = 0; i < 100_000; i++) {
      double value = Double.longBitsToDouble(random.nextLong());
      if (Double.isFinite(value)) {
        assertThat(Numbers.plain(value)).isEqualTo(writtenOut(value));
      }
    }
  }

  private static String writtenOut(double value) {
    return new BigDecimal(Double.toString(value)).stripTrailingZeros().toPlainString();
  }

  @Test
  void whatIsPrintedReadsBackAsTheSameDouble() {
    SplittableRandom random = new SplittableRandom(11);
    for (int round = 0; round < 200_000; round++) {
      double value = Double.longBitsToDouble(random.nextLong());
      if (Double.isFinite(value)) {
        assertThat(Double.parseDouble(Numbers.text(value))).isEqualTo(value);
        assertThat(Double.parseDouble(Numbers.plain(value))).isEqualTo(value);
        assertThat(Double.parseDouble(Numbers.general(value))).isEqualTo(value);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "1000, 1",
    "1435781451781, 1435781451.781",
    "1500, 1.500",
    "-1500, -1.500",
    "-5, -0.005",
    "20, 0.020"
  })
  void secondsHaveNoDecimalsOrThree(long millis, String text) {
    assertThat(Numbers.seconds(millis)).isEqualTo(text);
  }
}
