package io.fleetgauge.query.rules.template;

import io.fleetgauge.promql.expr.Durations;
import io.fleetgauge.sample.prometheus.Numbers;
import java.util.OptionalDouble;

/** Numbers as Prometheus's templates write them for people. */
final class HumanNumbers {
  private static final String[] DECIMAL = {"k", "M", "G", "T", "P", "E", "Z", "Y"};
  private static final String[] BINARY = {"ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi"};
  private static final String[] SMALL = {"m", "u", "n", "p", "f", "a", "z", "y"};
  private static final double NANOS = 1e9;

  /** Longest text of a number: how long reading one takes grows with its square. */
  private static final int MAX_NUMBER = 2_000;

  private HumanNumbers() {}

  /** The number that a text is. */
  static double parsed(String text) throws TemplateFailure {
    if (text.length() > MAX_NUMBER) {
      throw new TemplateFailure("a number has more than " + MAX_NUMBER + " characters");
    }
    OptionalDouble number = Numbers.parse(text);
    if (number.isEmpty()) {
      throw new TemplateFailure("needs a number, not the text \"" + text + "\"");
    }
    return number.getAsDouble();
  }

  private static String digits(double value) {
    return DecimalText.general(value, 4);
  }

  static String decimal(double value) {
    if (value == 0 || !Double.isFinite(value)) {
      return digits(value);
    }
    return Math.abs(value) >= 1 ? scaled(value, 1000, DECIMAL) : small(value);
  }

  static String binary(double value) {
    return Math.abs(value) <= 1 || !Double.isFinite(value)
        ? digits(value)
        : scaled(value, 1024, BINARY);
  }

  private static String scaled(double value, double base, String[] prefixes) {
    double rest = value;
    int steps = 0;
    while (steps < prefixes.length && Math.abs(rest) >= base) {
      rest /= base;
      steps++;
    }
    return digits(rest) + (steps == 0 ? "" : prefixes[steps - 1]);
  }

  private static String small(double value) {
    double rest = value;
    int steps = 0;
    while (steps < SMALL.length && Math.abs(rest) < 1) {
      rest *= 1000;
      steps++;
    }
    return digits(rest) + (steps == 0 ? "" : SMALL[steps - 1]);
  }

  static String duration(double value) {
    if (!Double.isFinite(value)) {
      return digits(value);
    }
    if (value == 0) {
      return digits(value) + "s";
    }
    if (Math.abs(value) < 1) {
      return small(value) + "s";
    }
    String sign = value < 0 ? "-" : "";
    double magnitude = Math.abs(value);
    // A number that is too large for an int64 is the smallest one in Go.
    long whole = magnitude >= 0x1p63 ? Long.MIN_VALUE : (long) magnitude;
    long seconds = whole % 60;
    long minutes = whole / 60 % 60;
    long hours = whole / 3600 % 24;
    long days = whole / 86_400;
    if (days != 0) {
      return sign + days + "d " + hours + "h " + minutes + "m " + seconds + "s";
    }
    if (hours != 0) {
      return sign + hours + "h " + minutes + "m " + seconds + "s";
    }
    return minutes != 0 ? sign + minutes + "m " + seconds + "s" : sign + digits(magnitude) + "s";
  }

  static String percentage(double value) {
    return digits(value * 100) + "%";
  }

  static String timestamp(double value) throws TemplateFailure {
    return Double.isFinite(value) ? TimeLayout.written(millis(value)) : digits(value);
  }

  /** A time in seconds as ms since the epoch. */
  static long millis(double seconds) throws TemplateFailure {
    double nanos = seconds * NANOS;
    if (!Double.isFinite(seconds) || nanos > Long.MAX_VALUE || nanos < Long.MIN_VALUE) {
      throw new TemplateFailure(
          "needs seconds of a time from 1678 to 2262, not " + Numbers.general(seconds));
    }
    return (long) nanos / 1_000_000;
  }

  static double parseDuration(String text) throws TemplateFailure {
    long millis = text.isEmpty() ? Durations.NONE : Durations.parse(text);
    if (millis == Durations.NONE) {
      throw new TemplateFailure("needs a duration such as 1h30m, not \"" + text + "\"");
    }
    return millis / 1000.0;
  }
}
