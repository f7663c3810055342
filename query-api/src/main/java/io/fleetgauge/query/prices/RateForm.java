package io.fleetgauge.query.prices;

import io.fleetgauge.promql.expr.Matcher;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** The values of both files. */
final class RateForm {
  /** Stands for bytes that are not UTF-8. */
  private static final char NO_CHARACTER = '\uFFFD';

  private static final Pattern NUMBER = Pattern.compile("\\d{1,9}(\\.\\d{1,9})?");
  private static final Pattern DATE = Pattern.compile("\\d{4}-\\d{2}-\\d{2}");
  private static final Pattern TIME = Pattern.compile("\\d{4}-\\d{2}-\\d{2}[Tt ].*");

  private RateForm() {}

  /** A number of at most 9 digits on each side of the point. */
  static Optional<BigDecimal> number(String text) {
    return NUMBER.matcher(text).matches() ? Optional.of(new BigDecimal(text)) : Optional.empty();
  }

  /** A date, which is its first moment, or a time as RFC 3339 has it. */
  static OptionalLong time(String text, ZoneId zone) {
    try {
      if (DATE.matcher(text).matches()) {
        return OptionalLong.of(LocalDate.parse(text).atStartOfDay(zone).toInstant().toEpochMilli());
      }
      return TIME.matcher(text).matches()
          ? OptionalLong.of(OffsetDateTime.parse(text.replace(' ', 'T')).toInstant().toEpochMilli())
          : OptionalLong.empty();
    } catch (DateTimeException e) {
      return OptionalLong.empty();
    }
  }

  /** A regular expression for a whole value of a label. */
  static Optional<Matcher> matcher(String label, String text) {
    try {
      return Optional.of(Matcher.of(Matcher.Kind.REGEX, label, text));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** Text that can be shown. */
  static boolean isPlain(String text) {
    return text.chars().noneMatch(each -> each == NO_CHARACTER || Character.isISOControl(each));
  }

  /** A text for messages. */
  static String shown(String text) {
    String safe = text.replaceAll("\\p{Cntrl}", "\uFFFD");
    return '"' + (safe.length() > 40 ? safe.substring(0, 40) + "..." : safe) + '"';
  }
}
