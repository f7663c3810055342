package io.fleetgauge.gateway.store.chunk;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Numbers of a few bits each, packed into a byte array, lowest bit first. */
public final class Bits {
  /** Number of readable bytes that must follow the last byte. */
  public static final int SLACK = 8;

  /** Maximum bits of a number: eight bytes hold it at any bit offset. */
  static final int MAX_WIDTH = 57;

  static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private Bits() {}

  /** Bits of a number from 0 to {@code max}. */
  static int width(long max) {
    return Long.SIZE - Long.numberOfLeadingZeros(max);
  }

  /** Bytes of {@code count} numbers. */
  static int bytes(int count, int width) {
    return (count * width + 7) >>> 3;
  }

  /**
   * Writes {@code numbers[from..to)} less {@code base}.
   *
   * @param bytes zeros from {@code at} on, with slack behind
   * @param width 0 to 57
   */
  static void pack(long[] numbers, int from, int to, long base, int width, byte[] bytes, int at) {
    if (width == 0) {
      return;
    }
    long bit = 8L * at;
    for (int i = from; i < to; i++) {
      int place = (int) (bit >>> 3);
      long there = (long) LONG.get(bytes, place);
      LONG.set(bytes, place, there | (numbers[i] - base) << (bit & 7));
      bit += width;
    }
  }

  /** Reads {@code count} numbers plus {@code base} into {@code numbers}. */
  static void unpack(byte[] bytes, int at, int count, long base, int width, long[] numbers) {
    long mask = (1L << width) - 1;
    long bit = 8L * at;
    for (int i = 0; i < count; i++) {
      numbers[i] = base + ((long) LONG.get(bytes, (int) (bit >>> 3)) >>> (bit & 7) & mask);
      bit += width;
    }
  }
}
