package io.fleetgauge.query.rules.template;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Times in UTC, with the methods of Go's time.Time that rules use. */
final class TimeLayout {
  static final Set<String> METHODS =
      Set.of("Format", "String", "Unix", "Year", "Day", "Hour", "Minute", "Second");

  /** Parts of Go's layouts with Java's patterns; a part stands before those that it begins with. */
  private static final String PATTERNS =
      """
      January=MMMM Jan=MMM Monday=EEEE Mon=EEE MST='UTC' 2006=uuuu _2006='_'uuuu 002=DDD 01=MM
      02=dd 03=hh 04=mm 05=ss 06=uu __2=pppD _2=ppd 15=HH -07:00:00='+00:00:00' -07:00='+00:00'
      -0700='+0000' -07='+00' Z07:00='Z' Z0700='Z' Z07='Z' PM=a pm=a 1=M 2=d 3=h 4=m 5=s
      """;

  private static final Map<String, DateTimeFormatter> PARTS = new LinkedHashMap<>();

  static {
    for (String pair : PATTERNS.strip().split("\\s+")) {
      String[] parts = pair.split("=");
      PARTS.put(parts[0], DateTimeFormatter.ofPattern(parts[1], Locale.ENGLISH));
    }
  }

  private TimeLayout() {}

  /** A time as {@code {{ }}} writes it. */
  static String written(long millis) {
    return format(millis, "2006-01-02 15:04:05.999999999 -0700 MST");
  }

  static String refusal(String method) {
    return "a time has no " + method + " here; use .Format \"2006-01-02 15:04:05\"";
  }

  static TemplateValue method(long millis, String name, List<TemplateValue> arguments)
      throws TemplateFailure {
    ZonedDateTime time = Instant.ofEpochMilli(millis).atZone(ZoneOffset.UTC);
    if (name.equals("Format")) {
      if (arguments.size() == 1 && arguments.getFirst() instanceof TemplateValue.Text(var layout)) {
        return new TemplateValue.Text(format(millis, layout));
      }
      throw new TemplateFailure("Format needs a layout: .Format \"2006-01-02 15:04:05\"");
    }
    if (!arguments.isEmpty()) {
      throw new TemplateFailure(name + " has arguments, and needs none");
    }
    return switch (name) {
      case "String" -> new TemplateValue.Text(written(millis));
      case "Unix" -> new TemplateValue.Whole(time.toEpochSecond());
      case "Year" -> new TemplateValue.Whole(time.getYear());
      case "Day" -> new TemplateValue.Whole(time.getDayOfMonth());
      case "Hour" -> new TemplateValue.Whole(time.getHour());
      case "Minute" -> new TemplateValue.Whole(time.getMinute());
      case "Second" -> new TemplateValue.Whole(time.getSecond());
      default -> throw new TemplateFailure(refusal(name));
    };
  }

  /** Writes a time by a layout of Go. */
  static String format(long millis, String layout) {
    ZonedDateTime time = Instant.ofEpochMilli(millis).atZone(ZoneOffset.UTC);
    StringBuilder out = new StringBuilder();
    int at = 0;
    while (at < layout.length()) {
      String part = part(layout, at);
      int fraction = fraction(layout, at);
      if (fraction > 0) {
        out.append(fraction(time.getNano(), layout.substring(at, at + fraction)));
        at += fraction;
      } else if (part != null) {
        String text = PARTS.get(part).format(time);
        out.append(part.equals("pm") ? text.toLowerCase(Locale.ROOT) : text);
        at += part.length();
      } else {
        out.append(layout.charAt(at++));
      }
    }
    return out.toString();
  }

  private static String part(String layout, int at) {
    for (String part : PARTS.keySet()) {
      int end = at + part.length();
      boolean isWord = part.equals("Jan") || part.equals("Mon");
      boolean goesOn = isWord && end < layout.length() && Character.isLowerCase(layout.charAt(end));
      if (layout.startsWith(part, at) && !goesOn) {
        return part;
      }
    }
    return null;
  }

  /** The length of a fraction of seconds, its point or comma included; 0 where there is none. */
  private static int fraction(String layout, int at) {
    if (".,".indexOf(layout.charAt(at)) < 0 || at + 1 == layout.length()) {
      return 0;
    }
    char digit = layout.charAt(at + 1);
    int end = at + 1;
    while (end < layout.length() && layout.charAt(end) == digit) {
      end++;
    }
    boolean goesOn = end < layout.length() && Character.isDigit(layout.charAt(end));
    return (digit == '0' || digit == '9') && !goesOn ? end - at : 0;
  }

  private static String fraction(int nanos, String part) {
    String all = String.format("%09d", nanos);
    String digits = all.substring(0, Math.min(9, part.length() - 1));
    if (part.charAt(1) == '9') {
      digits = digits.replaceFirst("0+$", "");
    }
    return digits.isEmpty() ? "" : part.charAt(0) + digits;
  }
}
