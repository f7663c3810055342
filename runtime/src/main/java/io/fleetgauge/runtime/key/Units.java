package io.fleetgauge.runtime.key;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations and sizes as they are written in files. */
final class Units {
  private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");
  private static final Pattern BYTES = Pattern.compile("(\\d{1,9})(B|KiB|MiB|GiB|TiB)");
  private static final Map<String, Long> MILLIS =
      Map.of("ms", 1L, "s", 1_000L, "m", 60_000L, "h", 3_600_000L, "d", 86_400_000L);
  private static final Map<String, Long> SIZES =
      Map.of("B", 1L, "KiB", 1L << 10, "MiB", 1L << 20, "GiB", 1L << 30, "TiB", 1L << 40);

  private Units() {}

  /** Empty when the text is not a duration. */
  static Optional<Duration> duration(String text) {
    Matcher matcher = DURATION.matcher(text);
    return matcher.matches()
        ? Optional.of(
            Duration.ofMillis(Long.parseLong(matcher.group(1)) * MILLIS.get(matcher.group(2))))
        : Optional.empty();
  }

  /** -1 when the text is not a size. */
  static long bytes(String text) {
    Matcher matcher = BYTES.matcher(text);
    return matcher.matches() ? Long.parseLong(matcher.group(1)) * SIZES.get(matcher.group(2)) : -1;
  }

  /** In the largest unit that gives a whole number. */
  static String print(Duration duration) {
    long millis = duration.toMillis();
    if (millis == 0) {
      return "0s";
    }
    for (String unit : List.of("d", "h", "m", "s")) {
      if (millis % MILLIS.get(unit) == 0) {
        return millis / MILLIS.get(unit) + unit;
      }
    }
    return millis + "ms";
  }

  /** In the largest unit that gives a whole number. */
  static String printBytes(long bytes) {
    for (String unit : List.of("TiB", "GiB", "MiB", "KiB")) {
      if (bytes > 0 && bytes % SIZES.get(unit) == 0) {
        return bytes / SIZES.get(unit) + unit;
      }
    }
    return bytes + "B";
  }
}
