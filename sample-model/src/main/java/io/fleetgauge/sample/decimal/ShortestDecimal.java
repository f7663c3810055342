package io.fleetgauge.sample.decimal;

import java.math.BigInteger;

/**
 * The shortest decimal of a double, by the method of Raffaello Giulietti ("The Schubfach way to
 * render doubles", 2020): all decimals of one length lie on a grid, and the grid is chosen such
 * that one or two of its points, and at most one of the grid ten times as wide, read back as the
 * double.
 *
 * <p>{@link Double#toString} works by the same method; what is saved is its text, which would be
 * made only to be copied, and at times to have its point moved.
 */
public final class ShortestDecimal {
  /** Which powers of ten a double can ask for. */
  private static final int LEAST_POWER = -292;

  private static final int MOST_POWER = 324;

  // The 128 first bits of each power of ten, rounded up.
  private static final long[] HIGH = new long[MOST_POWER - LEAST_POWER + 1];
  private static final long[] LOW = new long[MOST_POWER - LEAST_POWER + 1];

  static {
    for (int power = LEAST_POWER; power <= MOST_POWER; power++) {
      BigInteger ten = BigInteger.TEN.pow(Math.abs(power));
      int shift = 127 - floorLog2OfPowerOfTen(power);
      BigInteger bits;
      if (power < 0) {
        bits = BigInteger.ONE.shiftLeft(shift).add(ten).subtract(BigInteger.ONE).divide(ten);
      } else if (shift >= 0) {
        bits = ten.shiftLeft(shift);
      } else {
        BigInteger unit = BigInteger.ONE.shiftLeft(-shift);
        bits = ten.add(unit).subtract(BigInteger.ONE).shiftRight(-shift);
      }
      HIGH[power - LEAST_POWER] = bits.shiftRight(64).longValue();
      LOW[power - LEAST_POWER] = bits.longValue();
    }
  }

  private ShortestDecimal() {}

  /**
   * Writes the digits; the last is not zero.
   *
   * @param magnitude above zero and finite
   * @param out with room for 24 bytes from {@code at} on
   * @return how many digits there are and the position of the point: see {@link #count} and {@link
   *     #point}
   */
  public static int write(double magnitude, byte[] out, int at) {
    long bits = Double.doubleToRawLongBits(magnitude);
    long fraction = bits & (1L << 52) - 1;
    int biased = (int) (bits >>> 52);
    // The double is c * 2^q.
    long c = biased == 0 ? fraction : fraction | 1L << 52;
    int q = Math.max(biased, 1) - 1_075;
    // The interval of numbers that are nearer to this double than to its neighbours; below a power
    // of two they are closer.
    boolean closer = fraction == 0 && biased > 1;
    long even = c & 1;

    // The grid has steps of 10^k, and the double has this many of them; all times four.
    int k = closer ? floorLog10OfThreeQuarters(q) : floorLog10(q);
    int place = -k - LEAST_POWER;
    long high = HIGH[place];
    long low = LOW[place];
    int shift = q + floorLog2OfPowerOfTen(-k) + 1;
    long steps = timesRoundedToOdd(high, low, 4 * c << shift);
    long least = timesRoundedToOdd(high, low, 4 * c - (closer ? 1 : 2) << shift) + even;
    long most = timesRoundedToOdd(high, low, 4 * c + 2 << shift) - even;

    long below = steps >>> 2;
    long wide = below / 10;
    boolean wideBelow = least <= 40 * wide;
    boolean wideAbove = 40 * wide + 40 <= most;
    if (wideBelow != wideAbove) {
      return put(wideAbove ? wide + 1 : wide, k + 1, out, at);
    }
    boolean fitsBelow = least <= 4 * below;
    boolean fitsAbove = 4 * below + 4 <= most;
    long middle = 4 * below + 2;
    boolean up =
        fitsBelow != fitsAbove ? fitsAbove : steps > middle || steps == middle && (below & 1) != 0;
    return put(up ? below + 1 : below, k, out, at);
  }

  /** The answer of {@link #write} for so many digits with the point there. */
  public static int written(int count, int point) {
    return point << 5 | count;
  }

  /** The number of digits that {@link #write} wrote. */
  public static int count(int written) {
    return written & 31;
  }

  /**
   * Position of the point, counted from the first digit: 12.5 has it at 2, 0.05 at -1. So the
   * number is 0.digits times ten to this power.
   */
  public static int point(int written) {
    return written >> 5;
  }

  /** The product's bits from 2^128 on; the last says too whether any below it is set. */
  private static long timesRoundedToOdd(long high, long low, long factor) {
    long carried = Math.unsignedMultiplyHigh(low, factor);
    long below = high * factor;
    long above = Math.unsignedMultiplyHigh(high, factor);
    long sum = below + carried;
    if (Long.compareUnsigned(sum, carried) < 0) {
      above++;
    }
    // A power that is rounded up is too large by less than this one.
    return Long.compareUnsigned(sum, 1) > 0 ? above | 1 : above;
  }

  private static int put(long digits, int exponent, byte[] out, int at) {
    int next = Digits.put(digits, out, at);
    int point = next - at + exponent;
    return written(Digits.withoutZeros(out, at, next) - at, point);
  }

  // The logarithms are exact for all exponents of a double.

  private static int floorLog10(int powerOfTwo) {
    return powerOfTwo * 1_262_611 >> 22;
  }

  private static int floorLog10OfThreeQuarters(int powerOfTwo) {
    return powerOfTwo * 1_262_611 - 524_031 >> 22;
  }

  private static int floorLog2OfPowerOfTen(int power) {
    return power * 1_741_647 >> 19;
  }
}
