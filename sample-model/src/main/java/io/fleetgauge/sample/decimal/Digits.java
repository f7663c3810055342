package io.fleetgauge.sample.decimal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The decimal digits of whole numbers, eight at a time in the bytes of a long: how many there are
 * differs from number to number, and branches that depend on it are mostly guessed wrong.
 */
public final class Digits {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long EIGHT_DIGITS = 100_000_000;
  private static final long ZEROS = 0x3030_3030_3030_3030L;

  private Digits() {}

  /**
   * Writes a number. Behind its end up to seven bytes are overwritten.
   *
   * @param whole not negative
   * @param out with room for 24 bytes from {@code at} on
   * @return where the digits end
   */
  public static int put(long whole, byte[] out, int at) {
    if (whole < EIGHT_DIGITS) {
      return putFirst(eight((int) whole), out, at);
    }
    long first = whole / EIGHT_DIGITS;
    int top = (int) (first / EIGHT_DIGITS);
    long middle = eight((int) (first - top * EIGHT_DIGITS));
    int next =
        top == 0 ? putFirst(middle, out, at) : putEight(middle, out, putFirst(eight(top), out, at));
    return putEight(eight((int) (whole - first * EIGHT_DIGITS)), out, next);
  }

  /**
   * @return where digits end if zeros at their end are left out; the first digit stays
   */
  public static int withoutZeros(byte[] digits, int from, int to) {
    int end = to;
    while (end >= 8) {
      long last = (long) LONGS.get(digits, end - 8) ^ ZEROS;
      int zeros = Long.numberOfLeadingZeros(last) >>> 3;
      end = Math.max(from + 1, end - zeros);
      if (zeros < 8 || end == from + 1) {
        return end;
      }
    }
    while (end - 1 > from && digits[end - 1] == '0') {
      end--;
    }
    return end;
  }

  /**
   * Moves 16 bytes one further, which makes place for a point.
   *
   * @param out with room for 17 bytes from {@code at} on
   */
  public static void moveBehindPoint(byte[] out, int at) {
    long first = (long) LONGS.get(out, at);
    long second = (long) LONGS.get(out, at + 8);
    LONGS.set(out, at + 1, first);
    LONGS.set(out, at + 9, second);
    out[at] = '.';
  }

  /** Eight digits without the zeros in front; of zero the last one stays. */
  private static int putFirst(long eight, byte[] out, int at) {
    int zeros = Math.min(7, Long.numberOfTrailingZeros(eight) >>> 3);
    LONGS.set(out, at, eight + ZEROS >>> 8 * zeros);
    return at + 8 - zeros;
  }

  private static int putEight(long eight, byte[] out, int at) {
    LONGS.set(out, at, eight + ZEROS);
    return at + 8;
  }

  /** The values of the eight digits of a number below 10^8, the first in the lowest byte. */
  private static long eight(int number) {
    // Each step halves how many digits a part has, in all parts at once; multiplying and shifting
    // divides by 10,000, 100 and 10 exactly, for parts that small.
    long high = number / 10_000;
    long fours = high | (number - high * 10_000) << 32;
    long hundreds = fours * 10_486 >>> 20 & 0x7f_0000_007fL;
    long pairs = hundreds | fours - hundreds * 100 << 16;
    long tens = pairs * 103 >>> 10 & 0x000f_000f_000f_000fL;
    return tens | pairs - tens * 10 << 8;
  }
}
