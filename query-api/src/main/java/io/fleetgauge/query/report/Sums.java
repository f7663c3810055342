package io.fleetgauge.query.report;

import io.fleetgauge.promql.lookup.Integral;
import io.fleetgauge.promql.usage.Amount;
import io.fleetgauge.promql.usage.UsageRow;
import io.fleetgauge.query.prices.PriceRule;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Everything that is summed up of a group in an interval, exact. */
final class Sums {
  private static final List<Amount> CLASSES =
      List.of(Amount.BUSY, Amount.EXECUTION_IDLE, Amount.IDLE, Amount.UNKNOWN);

  /** mW times ms in a mJ. */
  private static final BigInteger PER_MILLIJOULE = BigInteger.valueOf(1_000);

  private final Integral[] amounts = new Integral[Amount.values().length];
  private final Map<PriceRule, Integral> priced = new LinkedHashMap<>();
  private Integral unpriced = new Integral();
  private long memoryPeak = -1;
  private long memoryAtEnd = -1;
  private BigDecimal carbon = BigDecimal.ZERO;
  private BigInteger rated = BigInteger.ZERO;

  Sums() {
    for (int i = 0; i < amounts.length; i++) {
      amounts[i] = new Integral();
    }
  }

  /**
   * Adds a row.
   *
   * @param isAtEnd true if the row's end is that of the interval
   * @param rule that prices it, if any
   * @param grams of CO2 a kWh, if known
   */
  void add(UsageRow row, boolean isAtEnd, Optional<PriceRule> rule, Optional<BigDecimal> grams) {
    for (int i = 0; i < amounts.length; i++) {
      amounts[i] = amounts[i].plus(row.amounts().get(i));
    }
    memoryPeak = Math.max(memoryPeak, row.memoryPeak());
    if (isAtEnd && row.memoryAtEnd() >= 0) {
      memoryAtEnd = Math.max(0, memoryAtEnd) + row.memoryAtEnd();
    }
    Integral allocated = CLASSES.stream().map(row::amount).reduce(Integral::plus).orElseThrow();
    if (rule.isPresent()) {
      priced.merge(rule.get(), allocated, Integral::plus);
    } else {
      unpriced = unpriced.plus(allocated);
    }
    if (grams.isPresent()) {
      BigInteger energy =
          microjoules(row.amount(Amount.ENERGY), row.amount(Amount.ENERGY_ESTIMATED));
      if (energy.signum() != 0) {
        rated = rated.add(energy);
        carbon = carbon.add(grams.get().multiply(new BigDecimal(energy)));
      }
    }
  }

  BigInteger of(Amount amount) {
    return amounts[amount.ordinal()].toBigInteger();
  }

  /** Allocated time, millionths of a device times ms. */
  BigInteger allocated() {
    BigInteger sum = BigInteger.ZERO;
    for (Amount each : CLASSES) {
      sum = sum.add(of(each));
    }
    return sum;
  }

  /** Energy, uJ. */
  BigInteger energy() {
    return microjoules(
        amounts[Amount.ENERGY.ordinal()], amounts[Amount.ENERGY_ESTIMATED.ordinal()]);
  }

  private static BigInteger microjoules(Integral counted, Integral estimated) {
    return counted.toBigInteger().multiply(PER_MILLIJOULE).add(estimated.toBigInteger());
  }

  /** Energy whose carbon is known, uJ. */
  BigInteger ratedEnergy() {
    return rated;
  }

  /** Carbon of {@link #ratedEnergy}, in uJ times g a kWh. */
  BigDecimal carbon() {
    return carbon;
  }

  /** Allocated time by the rule that prices it, millionths of a device times ms. */
  Map<PriceRule, Integral> priced() {
    return priced;
  }

  /** Allocated time without a price, millionths of a device times ms. */
  BigInteger unpriced() {
    return unpriced.toBigInteger();
  }

  /** Most memory of one device at one time, bytes. */
  OptionalLong memoryPeak() {
    return memoryPeak < 0 ? OptionalLong.empty() : OptionalLong.of(memoryPeak);
  }

  /** Memory at the end, bytes. */
  OptionalLong memoryAtEnd() {
    return memoryAtEnd < 0 ? OptionalLong.empty() : OptionalLong.of(memoryAtEnd);
  }
}
