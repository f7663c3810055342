package io.fleetgauge.query.prometheus;

import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.Numbers;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes the points of series as JSON. Nearly all bytes of a large answer are points, and all its
 * series have the same times, so each time is converted to digits once. For one answer and one
 * thread.
 */
final class PointWriter {
  private static final int KEPT_TIMES = 1_024;

  /** Longest text of a number. */
  private static final int MAX_DIGITS = 40;

  private final long[] times = new long[KEPT_TIMES];
  private final byte[][] timeTexts = new byte[KEPT_TIMES][];
  private byte[] bytes = new byte[1 << 12];
  private int size;

  /** The buffer; {@link #write} fills it from its begin. */
  byte[] bytes() {
    return bytes;
  }

  /**
   * Writes all numbers of a series as an array of points.
   *
   * @return number of bytes that they take
   */
  int write(Series series) {
    size = 0;
    put('[');
    boolean first = true;
    for (int i = 0; i < series.size(); i++) {
      if (series.histograms() != null && series.histograms()[i] != null) {
        continue;
      }
      reserve(32);
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
      reserve(2);
      put('"');
      put(']');
    }
    reserve(1);
    put(']');
    return size;
  }

  private byte[] time(long millis) {
    int place = (int) (millis / 1_000 ^ millis >>> 20) & KEPT_TIMES - 1;
    if (timeTexts[place] == null || times[place] != millis) {
      times[place] = millis;
      timeTexts[place] = Numbers.seconds(millis).getBytes(StandardCharsets.ISO_8859_1);
    }
    return timeTexts[place];
  }

  private void value(double value) {
    reserve(MAX_DIGITS);
    size = Numbers.put(value, bytes, size);
  }

  private void put(char c) {
    bytes[size++] = (byte) c;
  }

  private void reserve(int more) {
    if (size + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + more));
    }
  }
}
