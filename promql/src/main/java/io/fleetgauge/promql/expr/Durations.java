package io.fleetgauge.promql.expr;

/** PromQL's durations: {@code 1h30m}, units from years to milliseconds, each at most once. */
public final class Durations {
  private static final String[] UNITS = {"y", "w", "d", "h", "m", "s", "ms"};
  private static final long[] MILLIS = {
    365L * 86_400_000, 7L * 86_400_000, 86_400_000, 3_600_000, 60_000, 1_000, 1
  };

  /** The result of {@link #parse} for text that is no duration. */
  public static final long NONE = -1;

  private Durations() {}

  /** Milliseconds, or {@link #NONE} for text that is no duration or is longer than 292 years. */
  public static long parse(String text) {
    if (text.equals("0")) {
      return 0;
    }
    long millis = 0;
    int at = 0;
    int nextUnit = 0;
    while (at < text.length()) {
      int digits = at;
      while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
        digits++;
      }
      int letters = digits;
      while (letters < text.length() && Character.isLetter(text.charAt(letters))) {
        letters++;
      }
      int unit = unit(text.substring(digits, letters), nextUnit);
      if (digits == at || digits - at > 18 || unit < 0) {
        return NONE;
      }
      long count = Long.parseLong(text.substring(at, digits));
      // The Go program keeps nanoseconds in 64 bits; beyond that it refuses, so we do.
      if (count > (Long.MAX_VALUE / 1_000_000 - millis) / MILLIS[unit]) {
        return NONE;
      }
      millis += count * MILLIS[unit];
      nextUnit = unit + 1;
      at = letters;
    }
    return at == 0 ? NONE : millis;
  }

  private static int unit(String letters, int from) {
    for (int unit = from; unit < UNITS.length; unit++) {
      if (UNITS[unit].equals(letters)) {
        return unit;
      }
    }
    return -1;
  }

  /** The shortest text of at least 0 ms; years and weeks only where they leave no rest. */
  public static String print(long millis) {
    if (millis == 0) {
      return "0s";
    }
    StringBuilder text = new StringBuilder();
    long rest = millis;
    for (int unit = 0; unit < UNITS.length; unit++) {
      boolean onlyExact = unit < 2;
      if (rest >= MILLIS[unit] && (!onlyExact || rest % MILLIS[unit] == 0)) {
        text.append(rest / MILLIS[unit]).append(UNITS[unit]);
        rest %= MILLIS[unit];
      }
    }
    return text.toString();
  }
}
