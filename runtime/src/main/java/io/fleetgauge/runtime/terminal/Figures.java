package io.fleetgauge.runtime.terminal;

import java.util.Locale;

/** Figures with units, for people. */
public final class Figures {
  /** Stands for what is not known. */
  public static final String UNKNOWN = "-";

  private static final String[] BYTES = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  private static final double KIBI = 1_024;

  private Figures() {}

  /** Bytes, such as {@code 1.5 GiB}. */
  public static String bytes(double bytes) {
    double left = bytes;
    int unit = 0;
    while (left >= KIBI && unit < BYTES.length - 1) {
      left /= KIBI;
      unit++;
    }
    return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", left, BYTES[unit]);
  }

  /** Bytes, or that they are not known. */
  public static String bytesOf(Number bytes) {
    return bytes == null ? UNKNOWN : bytes(bytes.doubleValue());
  }

  /** A length of time, such as {@code 2.5 h}. */
  public static String duration(double millis) {
    double seconds = millis / 1_000;
    if (millis < 1_000) {
      return String.format(Locale.ROOT, "%.0f ms", millis);
    }
    if (seconds < 120) {
      return String.format(Locale.ROOT, "%.1f s", seconds);
    }
    if (seconds < 2 * 3_600) {
      return String.format(Locale.ROOT, "%.0f min", seconds / 60);
    }
    return seconds < 2 * 86_400
        ? String.format(Locale.ROOT, "%.1f h", seconds / 3_600)
        : String.format(Locale.ROOT, "%.1f d", seconds / 86_400);
  }

  /** A length of time, or that it is not known. */
  public static String durationOf(Number millis) {
    return millis == null ? UNKNOWN : duration(millis.doubleValue());
  }

  /** A number with commas between thousands. */
  public static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** A difference with its sign, such as {@code +12}; {@code 0} if there is none. */
  public static String change(long now, long before) {
    return now == before ? "0" : String.format(Locale.ROOT, "%+,d", now - before);
  }

  /** A share, such as {@code 37 %}. */
  public static String percent(double part, double whole) {
    return whole <= 0 ? UNKNOWN : String.format(Locale.ROOT, "%.0f %%", 100 * part / whole);
  }
}
