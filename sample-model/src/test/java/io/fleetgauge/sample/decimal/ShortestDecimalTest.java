package io.fleetgauge.sample.decimal;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ShortestDecimalTest {
  private final byte[] bytes = new byte[32];

  @Test
  void anyDoubleHasTheDigitsOfThePlainTwin() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 1_000_000; i++) {
      double value = Math.abs(Double.longBitsToDouble(random.nextLong()));
      if (Double.isFinite(value) && value > 0) {
        isShortest(value);
      }
    }
  }

  @Test
  void doublesOfEverydaySizeHaveTheDigitsOfThePlainTwin() {
    SplittableRandom random = new SplittableRandom(2);
    for (int i = 0; i < 1_000_000; i++) {
      double value = (1 - random.nextDouble()) * Math.pow(10, random.nextInt(-8, 22));
      isShortest(i % 2 == 0 ? value : (float) value);
    }
  }

  @Test
  void fewDigitsAreFoundWhereverTheyStandAndBesideThem() {
    SplittableRandom random = new SplittableRandom(3);
    for (int i = 0; i < 500_000; i++) {
      int digits = random.nextInt(1, i % 2 == 0 ? 100 : 1_000_000_000);
      aroundIt(Double.parseDouble(digits + "e" + random.nextInt(-330, 300)));
    }
  }

  @Test
  void powersOfTwoWhereTheNeighbourBelowIsCloserHaveTheirShortestDigits() {
    for (int power = -1_074; power < 1_024; power++) {
      aroundIt(Math.scalb(1.0, power));
    }
  }

  @Test
  void powersOfTenAndTheirNeighboursHaveTheirShortestDigits() {
    for (int power = -323; power <= 308; power++) {
      aroundIt(Double.parseDouble("1e" + power));
    }
  }

  @Test
  void theSmallestAndTheLargestDoublesHaveTheirShortestDigits() {
    for (long bits = 1; bits < 100_000; bits++) {
      isShortest(Double.longBitsToDouble(bits));
    }
    aroundIt(Double.MIN_NORMAL);
    isShortest(Double.MAX_VALUE);
  }

  @Test
  void wholeNumbersHaveTheirOwnDigits() {
    SplittableRandom random = new SplittableRandom(4);
    for (int i = 0; i < 500_000; i++) {
      long whole = random.nextLong(1L << random.nextInt(1, 63));
      int end = Digits.put(whole, bytes, 3);
      assertThat(new String(bytes, 3, end - 3, StandardCharsets.ISO_8859_1))
          .isEqualTo(Long.toString(whole));
    }
    for (int zeros = 0; zeros <= 18; zeros++) {
      long power = (long) Math.pow(10, zeros);
      assertThat(Digits.put(power, bytes, 0)).isEqualTo(Long.toString(power).length());
      assertThat(Digits.put(power - 1, bytes, 0)).isEqualTo(Long.toString(power - 1).length());
    }
  }

  private void aroundIt(double value) {
    for (double near : new double[] {value, Math.nextUp(value), Math.nextDown(value)}) {
      if (near > 0 && Double.isFinite(near)) {
        isShortest(near);
      }
    }
  }

  private void isShortest(double value) {
    int written = ShortestDecimal.write(value, bytes, 5);
    int count = ShortestDecimal.count(written);
    String digits = new String(bytes, 5, count, StandardCharsets.ISO_8859_1);
    BigDecimal twin = shortest(value);
    assertThat(digits).isEqualTo(twin.unscaledValue().toString());
    assertThat(ShortestDecimal.point(written)).isEqualTo(count - twin.scale());
  }

  private static BigDecimal shortest(double value) {
    BigDecimal decimal = new BigDecimal(Double.toString(value)).stripTrailingZeros();
    if (decimal.precision() > 2) {
      return decimal;
    }
    // Java writes at least two digits: 4.9E-324, where one would do.
    for (RoundingMode way : new RoundingMode[] {RoundingMode.HALF_EVEN, RoundingMode.UP}) {
      BigDecimal one = decimal.round(new MathContext(1, way)).stripTrailingZeros();
      if (one.doubleValue() == value) {
        return one;
      }
    }
    return decimal;
  }
}
