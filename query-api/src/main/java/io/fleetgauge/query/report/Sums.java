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

  private static final int AMOUNTS = Amount.values().length;

  // The upper and the lower 64 bits of each amount.
  private final long[] high = new long[AMOUNTS];
  private final long[] low = new long[AMOUNTS];

  /** Bits of the counters that have been counted. */
  private int counted;

  private final Map<PriceRule, Integral> priced = new LinkedHashMap<>();
  private Integral unpriced = new Integral();
  private long memoryPeak = -1;
  private long memoryAtEnd = -1;
  private long hostMemoryPeak = -1;
  private BigDecimal carbon = BigDecimal.ZERO;
  private BigInteger rated = BigInteger.ZERO;
  private boolean isRated;

  /**
   * Adds a row.
   *
   * @param isAtEnd true if the row's end is that of the interval
   */
  void add(UsageRow row, boolean isAtEnd) {
    for (int i = 0; i < AMOUNTS; i++) {
      Integral more = row.amounts().get(i);
      add(i, more.high(), more.low());
    }
    counted |= row.counted();
    addMemory(row.memoryPeak(), isAtEnd ? row.memoryAtEnd() : -1);
    hostMemoryPeak = Math.max(hostMemoryPeak, row.hostMemoryPeak());
  }

  private void add(int amount, long moreHigh, long moreLow) {
    low[amount] += moreLow;
    high[amount] += moreHigh + (Long.compareUnsigned(low[amount], moreLow) < 0 ? 1 : 0);
  }

  private void addMemory(long peak, long atEnd) {
    memoryPeak = Math.max(memoryPeak, peak);
    if (atEnd >= 0) {
      memoryAtEnd = Math.max(0, memoryAtEnd) + atEnd;
    }
  }

  /** Adds the price of a row's allocated time. */
  void price(UsageRow row, Optional<PriceRule> rule) {
    Integral allocated = CLASSES.stream().map(row::amount).reduce(Integral::plus).orElseThrow();
    if (rule.isPresent()) {
      priced.merge(rule.get(), allocated, Integral::plus);
    } else {
      unpriced = unpriced.plus(allocated);
    }
  }

  /**
   * Adds the carbon of a row's energy.
   *
   * @param grams of CO2 a kWh
   */
  void addCarbon(UsageRow row, BigDecimal grams) {
    BigInteger energy =
        microjoules(
            row.amount(Amount.ENERGY).toBigInteger(),
            row.amount(Amount.ENERGY_ESTIMATED).toBigInteger());
    isRated |= row.isCounted(Amount.ENERGY) || row.isCounted(Amount.ENERGY_ESTIMATED);
    rated = rated.add(energy);
    carbon = carbon.add(grams.multiply(new BigDecimal(energy)));
  }

  /** Adds what another group has in the same interval. */
  void add(Sums other) {
    for (int i = 0; i < AMOUNTS; i++) {
      add(i, other.high[i], other.low[i]);
    }
    counted |= other.counted;
    isRated |= other.isRated;
    addMemory(other.memoryPeak, other.memoryAtEnd);
    hostMemoryPeak = Math.max(hostMemoryPeak, other.hostMemoryPeak);
    other.priced.forEach((rule, time) -> priced.merge(rule, time, Integral::plus));
    unpriced = unpriced.plus(other.unpriced);
    rated = rated.add(other.rated);
    carbon = carbon.add(other.carbon);
  }

  BigInteger of(Amount amount) {
    return new Integral(high[amount.ordinal()], low[amount.ordinal()]).toBigInteger();
  }

  /** Allocated time, millionths of a device times ms. */
  BigInteger allocated() {
    BigInteger sum = BigInteger.ZERO;
    for (Amount each : CLASSES) {
      sum = sum.add(of(each));
    }
    return sum;
  }

  /** What a counter has counted; empty if there was none. */
  Optional<BigInteger> count(Amount counter) {
    return (counted & counter.bit()) == 0 ? Optional.empty() : Optional.of(of(counter));
  }

  /** Energy, uJ; empty if neither a counter nor power tells of it. */
  Optional<BigInteger> energy() {
    return count(Amount.ENERGY)
        .or(() -> count(Amount.ENERGY_ESTIMATED))
        .map(any -> microjoules(of(Amount.ENERGY), of(Amount.ENERGY_ESTIMATED)));
  }

  private static BigInteger microjoules(BigInteger counted, BigInteger estimated) {
    return counted.multiply(PER_MILLIJOULE).add(estimated);
  }

  /** Energy whose carbon is known, uJ; empty if it is of no energy. */
  Optional<BigInteger> ratedEnergy() {
    return isRated ? Optional.of(rated) : Optional.empty();
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
    return known(memoryPeak);
  }

  /** Memory at the end, bytes. */
  OptionalLong memoryAtEnd() {
    return known(memoryAtEnd);
  }

  /** Most memory of one host at one time, bytes. */
  OptionalLong hostMemoryPeak() {
    return known(hostMemoryPeak);
  }

  private static OptionalLong known(long bytes) {
    return bytes < 0 ? OptionalLong.empty() : OptionalLong.of(bytes);
  }
}
