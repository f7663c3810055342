package io.fleetgauge.query.faults.detect;

import io.fleetgauge.query.faults.reading.Readings;
import io.fleetgauge.query.faults.reading.Signal;
import java.util.Locale;
import java.util.regex.Pattern;

/** Numbers as sentences have them. */
final class Amount {
  private static final double WHOLE = 10;
  private static final double PERCENT = 100;
  private static final Pattern READING = Pattern.compile("\\{([A-Z_0-9]+)(?: ([^}]+))?}");

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

  /**
   * A sentence with readings in it, of which one that is missing is 0: <code>{POWER}</code>, <code>
   * {SECONDS %}</code> for a share, <code>{EVENTS error}</code> with its noun, whose plural may
   * follow after a slash; <code>{part}</code> is the name of the part.
   *
   * @param isCount true if counters are shown by their increase, false for their rate
   */
  static String in(String sentence, Readings readings, String part, boolean isCount) {
    return READING
        .matcher(sentence.replace("{part}", part))
        .replaceAll(
            found -> {
              Signal signal = Signal.valueOf(found.group(1));
              double read = isCount ? readings.get(signal) : readings.read(signal);
              double value = Double.isNaN(read) ? 0 : read;
              String noun = found.group(2);
              if (noun == null || noun.equals("%")) {
                return noun == null ? of(value) : percent(value);
              }
              String[] nouns = noun.split("/");
              return nouns.length == 1 ? of(value, noun) : of(value, nouns[0], nouns[1]);
            });
  }
}
