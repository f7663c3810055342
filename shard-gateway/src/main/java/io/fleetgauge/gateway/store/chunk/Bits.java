package io.fleetgauge.gateway.store.chunk;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Numbers of a few bits each, one behind the other in a byte array, lowest bit first. */
public final class Bits {
  /** How many bytes behind the last one must be there to be looked at. */
  public static final int SLACK = 8;

  /** Most bits of one number, so that eight bytes hold it at any offset within the first. */
  static final int MAX_WIDTH = 57;

  static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private Bits() {}

  /** How many bits a number from 0 to {@code max} takes. */
  static int width(long max) {
    return Long.SIZE - Long.numberOfLeadingZeros(max);
  }

  /** How many bytes so many numbers take. */
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
