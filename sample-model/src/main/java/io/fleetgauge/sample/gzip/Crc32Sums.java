package io.fleetgauge.sample.gzip;

/**
 * CRC-32 of bytes of which only the CRC-32 of their parts is known. A CRC is a remainder of
 * polynomials over two elements: putting n bytes behind others multiplies theirs by x to the 8n.
 * Here as in gzip the highest power is the lowest bit.
 */
final class Crc32Sums {
  private static final int POLYNOMIAL = 0xEDB88320;
  private static final int ONE = 1 << 31;
  private static final int X_TO_8 = 1 << 23;

  private Crc32Sums() {}

  /** The CRC-32 of a first and a second part together. */
  static int together(int first, int second, long secondLength) {
    int shift = ONE;
    int power = X_TO_8;
    for (long left = secondLength; left > 0; left >>= 1) {
      if ((left & 1) == 1) {
        shift = times(shift, power);
      }
      power = times(power, power);
    }
    return times(first, shift) ^ second;
  }

  private static int times(int a, int b) {
    int product = 0;
    int shifted = b;
    for (int bit = ONE; bit != 0; bit >>>= 1) {
      if ((a & bit) != 0) {
        product ^= shifted;
      }
      shifted = shifted >>> 1 ^ ((shifted & 1) == 1 ? POLYNOMIAL : 0);
    }
    return product;
  }
}
