package io.fleetgauge.query.report;

import java.math.BigInteger;

/** A sum of products of a value and a time, exact in 128 bits. */
final class Integral {
  private long high;
  private long low;

  void add(long value, long millis) {
    long more = value * millis;
    low += more;
    high += Math.multiplyHigh(value, millis);
    if (Long.compareUnsigned(low, more) < 0) {
      high++;
    }
  }

  /** The nearest double. */
  double toDouble() {
    return BigInteger.valueOf(high)
        .shiftLeft(Long.SIZE)
        .add(new BigInteger(Long.toUnsignedString(low)))
        .doubleValue();
  }
}
