package io.fleetgauge.promql.aggregate;

import io.fleetgauge.sample.Labels;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import net.jpountz.xxhash.XXHash64;
import net.jpountz.xxhash.XXHashFactory;

/**
 * Where a label set lies between 0 and 1. Prometheus takes the XXH64 of the names and values, each
 * behind its length, so the place is the same there and on every machine.
 */
final class LabelHash {
  private static final XXHash64 XXH64 = XXHashFactory.safeInstance().hash64();

  /** Lengths from here on take three more bytes. */
  private static final int LONG = 255;

  private LabelHash() {}

  static double fraction(Labels labels) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
    for (int i = 0; i < labels.size(); i++) {
      write(labels.name(i), bytes);
      write(labels.value(i), bytes);
    }
    long hash = XXH64.hash(bytes.toByteArray(), 0, bytes.size(), 0);
    return unsigned(hash) / unsigned(-1L);
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
