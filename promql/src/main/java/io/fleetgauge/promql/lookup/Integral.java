package io.fleetgauge.promql.lookup;

import java.math.BigInteger;
import java.nio.ByteBuffer;

/** A sum of products of a value and a time, exact in 128 bits. */
public final class Integral {
  private long high;
  private long low;

  public Integral() {}

  /** From the upper and the lower 64 bits. */
  public Integral(long high, long low) {
    this.high = high;
    this.low = low;
  }

  public void add(long value, long millis) {
    long more = value * millis;
    low += more;
    high += Math.multiplyHigh(value, millis);
    if (Long.compareUnsigned(low, more) < 0) {
      high++;
    }
  }

  /** The sum; both stay as they are. */
  public Integral plus(Integral more) {
    long sum = low + more.low;
    int carry = Long.compareUnsigned(sum, low) < 0 ? 1 : 0;
    return new Integral(high + more.high + carry, sum);
  }

  public boolean isZero() {
    return high == 0 && low == 0;
  }

  public long high() {
    return high;
  }

  public long low() {
    return low;
  }

  public BigInteger toBigInteger() {
    return high == low >> 63
        ? BigInteger.valueOf(low)
        : new BigInteger(ByteBuffer.allocate(2 * Long.BYTES).putLong(high).putLong(low).array());
  }

  /** The nearest double. */
  public double toDouble() {
    return high == 0 && low >= 0 ? low : toBigInteger().doubleValue();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Integral that && high == that.high && low == that.low;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(31 * high + low);
  }

  @Override
  public String toString() {
    return toBigInteger().toString();
  }
}
