package io.fleetgauge.query.faults.detect;

import java.util.Locale;

/** Numbers as sentences have them. */
final class Amount {
  private static final double WHOLE = 10;
  private static final double PERCENT = 100;

  private Amount() {}

  /**
   * A number with one digit after the point if it is small, such as {@code 1,480} or {@code 2.5}.
   */
  static String of(double value) {
    boolean isWhole = Math.abs(value) >= WHOLE || value == Math.rint(value);
    return String.format(Locale.ROOT, isWhole ? "%,.0f" : "%.1f", value);
  }

  /** A share as {@code 7.5 %}. */
  static String percent(double share) {
    return of(share * PERCENT) + " %";
  }

  /** A number with its noun, such as {@code 1 error} and {@code 2 errors}. */
  static String of(double value, String noun) {
    return of(value, noun, noun + "s");
  }

  /** A number with its noun. */
  static String of(double value, String one, String several) {
    return of(value) + " " + (of(value).equals("1") ? one : several);
  }

  /** A time as {@code 45 s}, {@code 12 min} or {@code 3.5 h}. */
  static String time(long millis) {
    double seconds = millis / 1_000.0;
    if (seconds < 120) {
      return of(seconds) + " s";
    }
    return seconds < 7_200 ? of(Math.rint(seconds / 60)) + " min" : of(seconds / 3_600) + " h";
  }
}
