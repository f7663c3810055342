package io.fleetgauge.query.report;

import io.fleetgauge.promql.lookup.Integral;
import io.fleetgauge.query.prices.PriceRule;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;

/** Units of reports from those of amounts. A figure is rounded once, to 15 digits. */
final class Units {
  private static final MathContext DIGITS = new MathContext(15, RoundingMode.HALF_EVEN);

  /** Enough for a sum of what is still to be rounded. */
  private static final MathContext MORE_DIGITS = new MathContext(60, RoundingMode.HALF_EVEN);

  /** Millionths of a device times ms in a device's second, and in its hour. */
  private static final BigDecimal PER_SECOND = BigDecimal.valueOf(1_000_000_000L);

  private static final BigDecimal PER_HOUR = BigDecimal.valueOf(3_600_000_000_000L);
  private static final BigDecimal MICROJOULES_PER_JOULE = BigDecimal.valueOf(1_000_000L);
  private static final BigDecimal MICROJOULES_PER_KWH = BigDecimal.valueOf(3_600_000_000_000L);
  private static final BigDecimal MILLIS_PER_SECOND = BigDecimal.valueOf(1_000);
  private static final BigDecimal MILLIS_PER_HOUR = BigDecimal.valueOf(3_600_000);
  private static final BigDecimal BYTES_PER_GIB = BigDecimal.valueOf(1 << 30);

  private Units() {}

  static BigDecimal rounded(BigDecimal value) {
    return value.round(DIGITS);
  }

  static BigDecimal hours(BigInteger deviceTime) {
    return new BigDecimal(deviceTime).divide(PER_HOUR, DIGITS);
  }

  /** Exact. */
  static BigDecimal deviceSeconds(BigInteger deviceTime) {
    return new BigDecimal(deviceTime).divide(PER_SECOND);
  }

  /** Exact. */
  static BigDecimal seconds(BigInteger millis) {
    return new BigDecimal(millis).divide(MILLIS_PER_SECOND);
  }

  /** Exact. */
  static BigDecimal joules(BigInteger microjoules) {
    return new BigDecimal(microjoules).divide(MICROJOULES_PER_JOULE);
  }

  static BigDecimal kilowattHours(BigInteger microjoules) {
    return new BigDecimal(microjoules).divide(MICROJOULES_PER_KWH, DIGITS);
  }

  /** Grams of uJ times g a kWh. */
  static BigDecimal grams(BigDecimal carbon, BigDecimal pue) {
    return carbon.multiply(pue).divide(MICROJOULES_PER_KWH, DIGITS);
  }

  static BigDecimal quotient(BigInteger integral, BigInteger time) {
    return new BigDecimal(integral).divide(new BigDecimal(time), DIGITS);
  }

  /** What CPU time costs, of its ms; to be rounded once it is summed up. */
  static BigDecimal costOfCpu(BigDecimal price, BigInteger millis) {
    return new BigDecimal(millis).multiply(price).divide(MILLIS_PER_HOUR, MORE_DIGITS);
  }

  /** What memory costs, of bytes times ms; to be rounded once it is summed up. */
  static BigDecimal costOfMemory(BigDecimal price, BigInteger byteMillis) {
    return new BigDecimal(byteMillis)
        .multiply(price)
        .divide(MILLIS_PER_HOUR.multiply(BYTES_PER_GIB), MORE_DIGITS);
  }

  /** What allocated time costs; to be rounded once it is summed up. */
  static BigDecimal cost(PriceRule rule, Integral deviceTime) {
    return new BigDecimal(deviceTime.toBigInteger())
        .multiply(rule.price())
        .divide(PER_HOUR, MORE_DIGITS);
  }
}
