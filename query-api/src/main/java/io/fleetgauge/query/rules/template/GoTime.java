package io.fleetgauge.query.rules.template;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.TextStyle;
import java.util.List;
import java.util.Locale;

/**
 * Go's time.Time in UTC, with the methods that templates use.
 *
 * @param millis since the epoch
 */
record GoTime(long millis) {
  /** The methods and how many arguments they have. */
  static final java.util.Map<String, Integer> METHODS =
      java.util.Map.ofEntries(
          java.util.Map.entry("String", 0),
          java.util.Map.entry("Unix", 0),
          java.util.Map.entry("UnixMilli", 0),
          java.util.Map.entry("UnixMicro", 0),
          java.util.Map.entry("UnixNano", 0),
          java.util.Map.entry("Year", 0),
          java.util.Map.entry("YearDay", 0),
          java.util.Map.entry("Month", 0),
          java.util.Map.entry("Day", 0),
          java.util.Map.entry("Weekday", 0),
          java.util.Map.entry("Hour", 0),
          java.util.Map.entry("Minute", 0),
          java.util.Map.entry("Second", 0),
          java.util.Map.entry("Nanosecond", 0),
          java.util.Map.entry("UTC", 0),
          java.util.Map.entry("IsZero", 0),
          java.util.Map.entry("Format", 1));

  private static final String[] MONTHS = names();

  private static String[] names() {
    String[] names = new String[12];
    for (java.time.Month month : java.time.Month.values()) {
      names[month.ordinal()] = month.getDisplayName(TextStyle.FULL, Locale.ENGLISH);
    }
    return names;
  }

  private ZonedDateTime utc() {
    return Instant.ofEpochMilli(millis).atZone(ZoneOffset.UTC);
  }

  Object call(String method, List<Object> arguments) {
    ZonedDateTime time = utc();
    return switch (method) {
      case "String" -> toString();
      case "Unix" -> Math.floorDiv(millis, 1000L);
      case "UnixMilli" -> millis;
      case "UnixMicro" -> millis * 1_000;
      case "UnixNano" -> millis * 1_000_000;
      case "Year" -> (long) time.getYear();
      case "YearDay" -> (long) time.getDayOfYear();
      case "Month" ->
          new Values.Named("time.Month", MONTHS[time.getMonthValue() - 1], time.getMonthValue());
      case "Day" -> (long) time.getDayOfMonth();
      case "Weekday" ->
          new Values.Named("time.Weekday", day(time), time.getDayOfWeek().getValue() % 7);
      case "Hour" -> (long) time.getHour();
      case "Minute" -> (long) time.getMinute();
      case "Second" -> (long) time.getSecond();
      case "Nanosecond" -> (long) time.getNano();
      case "UTC" -> this;
      case "IsZero" -> false;
      case "Format" -> format((String) arguments.getFirst());
      default -> throw new IllegalArgumentException(method);
    };
  }

  private static String day(ZonedDateTime time) {
    DayOfWeek day = time.getDayOfWeek();
    return day.getDisplayName(TextStyle.FULL, Locale.ENGLISH);
  }

  @Override
  public String toString() {
    return format("2006-01-02 15:04:05.999999999 -0700 MST");
  }

  // --- layouts ---

  /** The parts of layouts, those that are the beginning of others behind them. */
  private static final String[] PARTS = {
    "January",
    "Jan",
    "Monday",
    "Mon",
    "MST",
    "2006",
    "01",
    "02",
    "03",
    "04",
    "05",
    "06",
    "002",
    "__2",
    "_2",
    "15",
    "-07:00:00",
    "-07:00",
    "-0700",
    "-07",
    "Z07:00",
    "Z0700",
    "Z07",
    "PM",
    "pm",
    "1",
    "2",
    "3",
    "4",
    "5"
  };

  /** Writes the time by a layout of Go. */
  String format(String layout) {
    ZonedDateTime time = utc();
    StringBuilder out = new StringBuilder();
    int at = 0;
    while (at < layout.length()) {
      char c = layout.charAt(at);
      int fraction = fraction(layout, at);
      if (fraction > 0) {
        appendFraction(time, layout.substring(at, at + fraction), out);
        at += fraction;
        continue;
      }
      String part = part(layout, at);
      if (part == null) {
        out.append(c);
        at++;
      } else {
        out.append(text(part, time));
        at += part.length();
      }
    }
    return out.toString();
  }

  private static String part(String layout, int at) {
    if (layout.startsWith("_2006", at)) {
      return null;
    }
    for (String part : PARTS) {
      if (layout.startsWith(part, at)) {
        boolean word = part.equals("Jan") || part.equals("Mon");
        int end = at + part.length();
        if (word && end < layout.length() && Character.isLowerCase(layout.charAt(end))) {
          continue;
        }
        return part;
      }
    }
    return null;
  }

  /** The length of a fraction of seconds, its point or comma included; 0 where there is none. */
  private static int fraction(String layout, int at) {
    char c = layout.charAt(at);
    if (c != '.' && c != ',' || at + 1 >= layout.length()) {
      return 0;
    }
    char digit = layout.charAt(at + 1);
    if (digit != '0' && digit != '9') {
      return 0;
    }
    int end = at + 1;
    while (end < layout.length() && layout.charAt(end) == digit) {
      end++;
    }
    return end < layout.length() && Character.isDigit(layout.charAt(end)) ? 0 : end - at;
  }

  private static void appendFraction(ZonedDateTime time, String part, StringBuilder out) {
    String nanos = String.format("%09d", time.getNano());
    String digits = nanos.substring(0, Math.min(9, part.length() - 1));
    if (part.charAt(1) == '9') {
      digits = digits.replaceFirst("0+$", "");
      if (digits.isEmpty()) {
        return;
      }
    }
    out.append(part.charAt(0)).append(digits);
  }

  private static String text(String part, ZonedDateTime time) {
    int hour = time.getHour() % 12 == 0 ? 12 : time.getHour() % 12;
    return switch (part) {
      case "January" -> MONTHS[time.getMonthValue() - 1];
      case "Jan" -> MONTHS[time.getMonthValue() - 1].substring(0, 3);
      case "Monday" -> day(time);
      case "Mon" -> day(time).substring(0, 3);
      case "MST" -> "UTC";
      case "2006" -> String.format("%04d", time.getYear());
      case "06" -> String.format("%02d", Math.floorMod(time.getYear(), 100));
      case "01" -> String.format("%02d", time.getMonthValue());
      case "1" -> String.valueOf(time.getMonthValue());
      case "02" -> String.format("%02d", time.getDayOfMonth());
      case "_2" -> String.format("%2d", time.getDayOfMonth());
      case "2" -> String.valueOf(time.getDayOfMonth());
      case "002" -> String.format("%03d", time.getDayOfYear());
      case "__2" -> String.format("%3d", time.getDayOfYear());
      case "15" -> String.format("%02d", time.getHour());
      case "03" -> String.format("%02d", hour);
      case "3" -> String.valueOf(hour);
      case "04" -> String.format("%02d", time.getMinute());
      case "4" -> String.valueOf(time.getMinute());
      case "05" -> String.format("%02d", time.getSecond());
      case "5" -> String.valueOf(time.getSecond());
      case "PM" -> time.getHour() < 12 ? "AM" : "PM";
      case "pm" -> time.getHour() < 12 ? "am" : "pm";
      case "-0700" -> "+0000";
      case "-07:00" -> "+00:00";
      case "-07:00:00" -> "+00:00:00";
      case "-07" -> "+00";
      default -> "Z";
    };
  }
}
