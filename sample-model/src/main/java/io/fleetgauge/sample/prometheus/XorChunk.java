package io.fleetgauge.sample.prometheus;

import java.util.Arrays;

/**
 * Samples as Prometheus packs numbers: times as differences of differences, values as XOR with the
 * one before. Not for several threads.
 *
 * <pre>
 * chunk  = samples:u16 (big-endian) time:svar value:64 [difference:uvar xor] (ddt xor)*
 * ddt    = 0 | 10 n:14 | 110 n:17 | 1110 n:20 | 1111 n:64
 * xor    = 0 (the same) | 10 n (the bits where those before had theirs)
 *        | 11 leading:5 length:6 n:length (64 is written as 0)
 * </pre>
 */
final class XorChunk {
  /** As many as Prometheus puts into one. */
  static final int MOST = 120;

  private static final int NO_WINDOW = -1;

  private byte[] bytes = new byte[256];
  private int size;
  private int bitsLeft;
  private int count;
  private long time;
  private long difference;
  private long value;
  private int leading;
  private int trailing;

  void clear() {
    Arrays.fill(bytes, 0, size, (byte) 0);
    size = 2;
    bitsLeft = 0;
    count = 0;
    leading = NO_WINDOW;
    trailing = 0;
  }

  void add(long nextTime, double nextValue) {
    long bits = Double.doubleToRawLongBits(nextValue);
    if (count == 0) {
      uvar((nextTime << 1) ^ (nextTime >> 63));
      bits(bits, 64);
    } else {
      long next = nextTime - time;
      if (count == 1) {
        uvar(next);
      } else {
        again(next - difference);
      }
      xor(bits ^ value);
      difference = next;
    }
    time = nextTime;
    value = bits;
    count++;
  }

  private void again(long change) {
    if (change == 0) {
      bits(0, 1);
    } else if (fits(change, 14)) {
      bits(0b10, 2);
      bits(change, 14);
    } else if (fits(change, 17)) {
      bits(0b110, 3);
      bits(change, 17);
    } else if (fits(change, 20)) {
      bits(0b1110, 4);
      bits(change, 20);
    } else {
      bits(0b1111, 4);
      bits(change, 64);
    }
  }

  private static boolean fits(long number, int width) {
    return -((1L << width - 1) - 1) <= number && number <= 1L << width - 1;
  }

  private void xor(long change) {
    if (change == 0) {
      bits(0, 1);
      return;
    }
    bits(1, 1);
    int newLeading = Math.min(31, Long.numberOfLeadingZeros(change));
    int newTrailing = Long.numberOfTrailingZeros(change);
    if (leading != NO_WINDOW && newLeading >= leading && newTrailing >= trailing) {
      bits(0, 1);
      bits(change >>> trailing, 64 - leading - trailing);
      return;
    }
    leading = newLeading;
    trailing = newTrailing;
    int length = 64 - leading - trailing;
    bits(1, 1);
    bits(leading, 5);
    bits(length & 63, 6);
    bits(change >>> trailing, length);
  }

  private void uvar(long number) {
    long rest = number;
    while ((rest & ~0x7fL) != 0) {
      bits(rest & 0x7f | 0x80, 8);
      rest >>>= 7;
    }
    bits(rest, 8);
  }

  /** The lowest {@code width} bits, highest first. */
  private void bits(long number, int width) {
    if (bytes.length - size < 10) {
      bytes = Arrays.copyOf(bytes, 2 * bytes.length);
    }
    int left = width;
    while (left > 0) {
      if (bitsLeft == 0) {
        size++;
        bitsLeft = 8;
      }
      int now = Math.min(left, bitsLeft);
      long part = number >>> left - now & (1L << now) - 1;
      bytes[size - 1] |= (byte) (part << bitsLeft - now);
      bitsLeft -= now;
      left -= now;
    }
  }

  byte[] toBytes() {
    bytes[0] = (byte) (count >>> 8);
    bytes[1] = (byte) count;
    return Arrays.copyOf(bytes, size);
  }
}
