package io.fleetgauge.query.rules.template;

import io.fleetgauge.sample.prometheus.Numbers;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** Floating point numbers as Go's strconv.FormatFloat writes them. */
final class GoFloats {
  /** A precision of as many digits as the number needs. */
  static final int SHORTEST = -1;

  private GoFloats() {}

  /**
   * @param verb {@code e}, {@code E}, {@code f}, {@code g} or {@code G}
   */
  static String format(double value, char verb, int precision) {
    if (Double.isNaN(value)) {
      return "NaN";
    }
    if (Double.isInfinite(value)) {
      return value > 0 ? "+Inf" : "-Inf";
    }
    boolean negative = Double.doubleToRawLongBits(value) < 0;
    String text =
        switch (verb) {
          case 'e', 'E' -> exponential(Math.abs(value), precision, verb);
          case 'f' -> plain(Math.abs(value), precision);
          default -> general(Math.abs(value), precision, verb);
        };
    return negative ? "-" + text : text;
  }

  private static String plain(double value, int precision) {
    if (precision == SHORTEST) {
      return Numbers.plain(value);
    }
    return new BigDecimal(value).setScale(precision, RoundingMode.HALF_EVEN).toPlainString();
  }

  private static String exponential(double value, int precision, char verb) {
    BigDecimal digits = digits(value, precision == SHORTEST ? SHORTEST : precision + 1);
    return exponential(digits, precision == SHORTEST ? digits.precision() - 1 : precision, verb);
  }

  private static String general(double value, int precision, char verb) {
    int wanted = precision == 0 ? 1 : precision;
    BigDecimal digits = digits(value, wanted).stripTrailingZeros();
    int count = value == 0 ? 1 : digits.precision();
    int point = value == 0 ? 1 : count - digits.scale();
    int most = wanted == SHORTEST ? 6 : wanted;
    if (wanted != SHORTEST && most > count && count >= point) {
      most = count;
    }
    int exponent = point - 1;
    if (exponent < -4 || exponent >= most) {
      return exponential(digits, count - 1, verb == 'G' ? 'E' : 'e');
    }
    return digits.setScale(Math.max(count - point, 0), RoundingMode.UNNECESSARY).toPlainString();
  }

  /** The value rounded to so many digits. */
  private static BigDecimal digits(double value, int count) {
    if (value == 0) {
      return BigDecimal.ZERO;
    }
    return count == SHORTEST
        ? new BigDecimal(Numbers.plain(value)).stripTrailingZeros()
        : new BigDecimal(value).round(new MathContext(count, RoundingMode.HALF_EVEN));
  }

  private static String exponential(BigDecimal value, int decimals, char verb) {
    boolean zero = value.signum() == 0;
    int exponent = zero ? 0 : value.precision() - 1 - value.scale();
    BigDecimal mantissa = zero ? value : value.movePointLeft(exponent);
    String text = mantissa.setScale(decimals, RoundingMode.HALF_EVEN).toPlainString();
    int magnitude = Math.abs(exponent);
    return text + verb + (exponent < 0 ? '-' : '+') + (magnitude < 10 ? "0" : "") + magnitude;
  }
}
