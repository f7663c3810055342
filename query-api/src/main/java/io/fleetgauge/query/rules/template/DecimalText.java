package io.fleetgauge.query.rules.template;

import io.fleetgauge.sample.prometheus.Numbers;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** Rounded numbers as Go's strconv.FormatFloat writes them. */
final class DecimalText {
  private DecimalText() {}

  /** Go's {@code %f}. */
  static String plain(double value, int decimals) {
    if (!Double.isFinite(value)) {
      return Numbers.text(value);
    }
    BigDecimal magnitude = new BigDecimal(Math.abs(value));
    return sign(value) + magnitude.setScale(decimals, RoundingMode.HALF_EVEN).toPlainString();
  }

  /** Go's {@code %e}. */
  static String exponential(double value, int decimals) {
    return Double.isFinite(value)
        ? sign(value) + exponential(digits(value, decimals + 1), decimals)
        : Numbers.text(value);
  }

  /** Go's {@code %g} with so many digits. */
  static String general(double value, int most) {
    if (!Double.isFinite(value)) {
      return Numbers.text(value);
    }
    int wanted = Math.max(most, 1);
    BigDecimal digits = digits(value, wanted).stripTrailingZeros();
    int count = value == 0 ? 1 : digits.precision();
    int point = value == 0 ? 1 : count - digits.scale();
    int limit = wanted > count && count >= point ? count : wanted;
    boolean isExponential = point - 1 < -4 || point - 1 >= limit;
    return sign(value)
        + (isExponential
            ? exponential(digits, count - 1)
            : digits.setScale(Math.max(count - point, 0)).toPlainString());
  }

  private static String sign(double value) {
    return Double.doubleToRawLongBits(value) < 0 ? "-" : "";
  }

  private static BigDecimal digits(double value, int count) {
    return value == 0
        ? BigDecimal.ZERO
        : new BigDecimal(Math.abs(value)).round(new MathContext(count, RoundingMode.HALF_EVEN));
  }

  private static String exponential(BigDecimal value, int decimals) {
    int exponent = value.signum() == 0 ? 0 : value.precision() - 1 - value.scale();
    BigDecimal mantissa = value.movePointLeft(exponent).setScale(decimals, RoundingMode.HALF_EVEN);
    return "%se%s%02d"
        .formatted(mantissa.toPlainString(), exponent < 0 ? "-" : "+", Math.abs(exponent));
  }
}
