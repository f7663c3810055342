package io.fleetgauge.gateway.remotewrite;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * SipHash-1-3 of Aumasson and Bernstein, the keyed hash of the hash tables of Rust and Python:
 * without the key nobody can choose bytes that collide. A checksum with a secret prefix does not
 * have this property, because keys that collide under one prefix collide under all. Immutable.
 */
final class SipHash {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final long key0;
  private final long key1;

  /** The two halves of the key, each little endian. */
  SipHash(long key0, long key1) {
    this.key0 = key0;
    this.key1 = key1;
  }

  long hash(byte[] bytes, int from, int to) {
    long v0 = key0 ^ 0x736f6d6570736575L;
    long v1 = key1 ^ 0x646f72616e646f6dL;
    long v2 = key0 ^ 0x6c7967656e657261L;
    long v3 = key1 ^ 0x7465646279746573L;
    int words = to - from >> 3;
    // One round for each whole word, one for the last bytes, and three at the end.
    for (int i = 0; i < words + 4; i++) {
      long word = 0;
      if (i < words) {
        word = (long) LONG.get(bytes, from + 8 * i);
      } else if (i == words) {
        word = last(bytes, from + 8 * i, to) | (long) (to - from) << 56;
      } else if (i == words + 1) {
        v2 ^= 0xff;
      }
      v3 ^= word;
      v0 += v1;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v3;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 += v3;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 += v1;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v2 = Long.rotateLeft(v2, 32);
      v0 ^= word;
    }
    return v0 ^ v1 ^ v2 ^ v3;
  }

  /** Less than eight bytes. */
  private static long last(byte[] bytes, int from, int to) {
    long word = 0;
    for (int at = from; at < to; at++) {
      word |= (bytes[at] & 0xffL) << 8 * (at - from);
    }
    return word;
  }
}
