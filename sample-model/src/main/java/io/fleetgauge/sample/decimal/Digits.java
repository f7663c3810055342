package io.fleetgauge.sample.decimal;

/** The decimal digits of whole numbers. */
public final class Digits {
  /** The two digits of each number from 0 to 99, one pair behind the other. */
  private static final byte[] PAIRS = new byte[200];

  static {
    for (int i = 0; i < 100; i++) {
      PAIRS[2 * i] = (byte) ('0' + i / 10);
      PAIRS[2 * i + 1] = (byte) ('0' + i % 10);
    }
  }

  private Digits() {}

  /**
   * Writes a number.
   *
   * @param whole from 0 to below 10^18
   * @param out with room for 18 bytes from {@code at} on
   * @return where the digits end
   */
  public static int put(long whole, byte[] out, int at) {
    if (whole < 100_000_000) {
      return putFew((int) whole, out, at);
    }
    long first = whole / 100_000_000;
    int last = (int) (whole - first * 100_000_000);
    int next;
    if (first < 100_000_000) {
      next = putFew((int) first, out, at);
    } else {
      int top = (int) (first / 100_000_000);
      next = putEight((int) (first - top * 100_000_000L), out, putFew(top, out, at));
    }
    return putEight(last, out, next);
  }

  /**
   * @return where digits end if zeros at their end are left out; the first digit stays
   */
  public static int withoutZeros(byte[] digits, int from, int to) {
    int end = to;
    while (end - 1 > from && digits[end - 1] == '0') {
      end--;
    }
    return end;
  }

  /** Up to eight digits. */
  private static int putFew(int whole, byte[] out, int at) {
    int length = 1;
    for (int power = 10; length < 8 && power <= whole; power *= 10) {
      length++;
    }
    int rest = whole;
    int place = at + length;
    while (rest >= 100) {
      int hundreds = rest / 100;
      place -= 2;
      putPair(rest - hundreds * 100, out, place);
      rest = hundreds;
    }
    if (rest >= 10) {
      putPair(rest, out, at);
    } else {
      out[at] = (byte) ('0' + rest);
    }
    return at + length;
  }

  /** Eight digits, zeros in front among them. */
  private static int putEight(int whole, byte[] out, int at) {
    int first = whole / 10_000;
    int last = whole - first * 10_000;
    int hundreds = first / 100;
    putPair(hundreds, out, at);
    putPair(first - hundreds * 100, out, at + 2);
    hundreds = last / 100;
    putPair(hundreds, out, at + 4);
    putPair(last - hundreds * 100, out, at + 6);
    return at + 8;
  }

  private static void putPair(int pair, byte[] out, int at) {
    out[at] = PAIRS[2 * pair];
    out[at + 1] = PAIRS[2 * pair + 1];
  }
}
