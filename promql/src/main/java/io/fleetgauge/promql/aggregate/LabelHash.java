package io.fleetgauge.promql.aggregate;

import io.fleetgauge.sample.Labels;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import net.jpountz.xxhash.XXHash64;
import net.jpountz.xxhash.XXHashFactory;

/**
 * Prometheus's hash of a label set: the XXH64 of the names and values, each behind its length. It
 * is the same there and on every machine.
 */
public final class LabelHash {
  private static final XXHash64 XXH64 = XXHashFactory.safeInstance().hash64();

  /** Lengths from here on take three more bytes. */
  private static final int LONG = 255;

  private LabelHash() {}

  /** Where a label set lies between 0 and 1. */
  static double fraction(Labels labels) {
    return unsigned(of(labels)) / unsigned(-1L);
  }

  /** The hash, an unsigned number. */
  public static long of(Labels labels) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
    for (int i = 0; i < labels.size(); i++) {
      write(labels.name(i), bytes);
      write(labels.value(i), bytes);
    }
    return XXH64.hash(bytes.toByteArray(), 0, bytes.size(), 0);
  }

  private static void write(String text, ByteArrayOutputStream out) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    if (utf8.length < LONG) {
      out.write(utf8.length);
    } else {
      out.write(LONG);
      out.write(utf8.length);
      out.write(utf8.length >> 8);
      out.write(utf8.length >> 16);
    }
    out.writeBytes(utf8);
  }

  /** The nearest double, also for numbers from 2^63 on. */
  private static double unsigned(long bits) {
    if (bits >= 0) {
      return bits;
    }
    // Halved, with the bit that falls off kept for rounding.
    return ((bits >>> 1) | (bits & 1)) * 2.0;
  }
}
