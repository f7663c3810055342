package io.fleetgauge.gateway.store.chunk;

/**
 * Doubles as what has changed in their bits, after Chimp (Liakos, Papakonstantinopoulou, Kotidis:
 * "Chimp: efficient lossless floating point compression for time series databases", PVLDB 15,
 * 2022), which betters Gorilla's codes for values whose low bits change.
 *
 * <pre>
 * value = 00                                    the same as the one before
 *       | 01 leading:3 significant:6 bits       the bits between leading and trailing zeros
 *       | 10 bits                               as many leading zeros as the last one with a count
 *       | 11 leading:3 bits
 * leading   0 8 12 16 18 20 22 24, the largest that is not above the true count
 * </pre>
 */
final class XorBits {
  /** Maximum bytes of {@code count} values after the first. */
  static int maxBytes(int count) {
    return (count * (2 + 3 + 6 + 64) + 7) / 8;
  }

  private static final int[] LEADING = {0, 8, 12, 16, 18, 20, 22, 24};
  private static final byte[] CLASS = new byte[65];

  static {
    for (int zeros = 0, next = 0; zeros <= 64; zeros++) {
      if (next + 1 < LEADING.length && zeros == LEADING[next + 1]) {
        next++;
      }
      CLASS[zeros] = (byte) next;
    }
  }

  /** With more trailing zeros than this it is shorter to omit them. */
  private static final int MANY_TRAILING = 6;

  private static final int NONE = -1;

  private XorBits() {}

  /**
   * Writes {@code values[from + 1 .. to)}.
   *
   * @param bytes zeros from {@code at} on, with slack behind
   * @return the first byte behind
   */
  static int write(double[] values, int from, int to, byte[] bytes, int at) {
    long bit = 8L * at;
    int last = NONE;
    long before = Double.doubleToRawLongBits(values[from]);
    for (int i = from + 1; i < to; i++) {
      long now = Double.doubleToRawLongBits(values[i]);
      long xor = now ^ before;
      before = now;
      if (xor == 0) {
        bit += 2;
        last = NONE;
        continue;
      }
      int leadingClass = CLASS[Long.numberOfLeadingZeros(xor)];
      int leading = LEADING[leadingClass];
      int trailing = Long.numberOfTrailingZeros(xor);
      if (trailing > MANY_TRAILING) {
        int significant = 64 - leading - trailing;
        bit = put(bytes, bit, 1 | leadingClass << 2 | (long) significant << 5, 11);
        bit = put(bytes, bit, xor >>> trailing, significant);
        last = NONE;
      } else if (leadingClass == last) {
        bit = put(bytes, bit, 2, 2);
        bit = put(bytes, bit, xor, 64 - leading);
      } else {
        bit = put(bytes, bit, 3 | leadingClass << 2, 5);
        bit = put(bytes, bit, xor, 64 - leading);
        last = leadingClass;
      }
    }
    return (int) (bit + 7 >>> 3);
  }

  /** Reads {@code count} values after {@code first} into {@code values[from..]}. */
  static void read(byte[] bytes, int at, long first, int count, double[] values, int from) {
    long bit = 8L * at;
    int last = 0;
    long now = first;
    for (int i = 0; i < count; i++) {
      long next = (long) Bits.LONG.get(bytes, (int) (bit >>> 3)) >>> (bit & 7);
      switch ((int) next & 3) {
        case 0 -> bit += 2;
        case 1 -> {
          int leading = LEADING[(int) (next >>> 2) & 7];
          int significant = (int) (next >>> 5) & 63;
          now ^= get(bytes, bit + 11, significant) << 64 - leading - significant;
          bit += 11 + significant;
        }
        case 2 -> {
          now ^= get(bytes, bit + 2, 64 - last);
          bit += 66 - last;
        }
        default -> {
          last = LEADING[(int) (next >>> 2) & 7];
          now ^= get(bytes, bit + 5, 64 - last);
          bit += 69 - last;
        }
      }
      values[from + i] = Double.longBitsToDouble(now);
    }
  }

  private static long put(byte[] bytes, long bit, long value, int width) {
    int place = (int) (bit >>> 3);
    int shift = (int) bit & 7;
    Bits.LONG.set(bytes, place, (long) Bits.LONG.get(bytes, place) | value << shift);
    if (shift + width > 64) {
      bytes[place + 8] = (byte) (value >>> 64 - shift);
    }
    return bit + width;
  }

  /**
   * @param width 1 to 64
   */
  private static long get(byte[] bytes, long bit, int width) {
    int place = (int) (bit >>> 3);
    int shift = (int) bit & 7;
    long value = (long) Bits.LONG.get(bytes, place) >>> shift;
    if (shift + width > 64) {
      value |= (long) bytes[place + 8] << 64 - shift;
    }
    return value & -1L >>> 64 - width;
  }
}
