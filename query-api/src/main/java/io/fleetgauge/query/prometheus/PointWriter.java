package io.fleetgauge.query.prometheus;

import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.Numbers;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes the points of series as JSON. Of a large answer nearly all bytes are points, and all
 * series have the same times: so each time is put into digits once. For one answer; not for several
 * threads.
 */
final class PointWriter {
  private static final int TIMES = 1_024;

  /** Of a number without an exponent or with one. */
  private static final int MOST_DIGITS = 40;

  private final long[] knownTimes = new long[TIMES];
  private final byte[][] knownTexts = new byte[TIMES][];
  private byte[] bytes = new byte[1 << 12];
  private int size;

  /** The bytes that {@link #write} wrote last, from the first on. */
  byte[] bytes() {
    return bytes;
  }

  /**
   * Writes all numbers of a series as an array of points.
   *
   * @return how many bytes they take
   */
  int write(Series series) {
    size = 0;
    put('[');
    boolean first = true;
    for (int i = 0; i < series.size(); i++) {
      if (series.histograms() != null && series.histograms()[i] != null) {
        continue;
      }
      room(32);
      if (!first) {
        put(',');
      }
      first = false;
      put('[');
      byte[] time = time(series.times()[i]);
      System.arraycopy(time, 0, bytes, size, time.length);
      size += time.length;
      put(',');
      put('"');
      value(series.values()[i]);
      room(2);
      put('"');
      put(']');
    }
    room(1);
    put(']');
    return size;
  }

  private byte[] time(long millis) {
    int place = (int) (millis / 1_000 ^ millis >>> 20) & TIMES - 1;
    if (knownTexts[place] == null || knownTimes[place] != millis) {
      knownTimes[place] = millis;
      knownTexts[place] = Numbers.seconds(millis).getBytes(StandardCharsets.ISO_8859_1);
    }
    return knownTexts[place];
  }

  private void value(double value) {
    room(MOST_DIGITS);
    size = Numbers.put(value, bytes, size);
  }

  private void put(char c) {
    bytes[size++] = (byte) c;
  }

  private void room(int more) {
    if (size + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + more));
    }
  }
}
