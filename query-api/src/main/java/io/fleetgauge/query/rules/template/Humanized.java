package io.fleetgauge.query.rules.template;

import io.fleetgauge.promql.expr.Durations;
import io.fleetgauge.sample.prometheus.Numbers;
import java.util.OptionalDouble;

/** Numbers as Prometheus's templates write them for people. */
final class Humanized {
  private static final String[] DECIMAL = {"k", "M", "G", "T", "P", "E", "Z", "Y"};
  private static final String[] BINARY = {"ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi"};
  private static final String[] SMALL = {"m", "u", "n", "p", "f", "a", "z", "y"};
  private static final double NANOS = 1e9;

  /** Longest text of a number: how long reading one takes grows with its square. */
  private static final int MAX_NUMBER = 2_000;

  private Humanized() {}

  /** The number that a value is. */
  static double number(Object value) throws TemplateFailure {
    return switch (value) {
      case Double number -> number;
      case Long number -> (double) number;
      case Values.GoDuration duration -> duration.seconds();
      case String text -> parsed(text);
      case null -> throw new TemplateFailure("can't convert <nil> to float");
      default -> throw new TemplateFailure("can't convert " + Values.type(value) + " to float");
    };
  }

  private static double parsed(String text) throws TemplateFailure {
    if (text.length() > MAX_NUMBER) {
      throw new TemplateFailure("a number has more than " + MAX_NUMBER + " characters");
    }
    OptionalDouble number = Numbers.parse(text);
    if (number.isEmpty()) {
      boolean tooLarge = text.matches("[+-]?(\\d++(\\.\\d*+)?|\\.\\d++)([eE][+-]?\\d++)?");
      throw new TemplateFailure(
          "strconv.ParseFloat: parsing "
              + Quoted.of(text)
              + (tooLarge ? ": value out of range" : ": invalid syntax"));
    }
    return number.getAsDouble();
  }

  private static String digits(double value) {
    return GoFloats.format(value, 'g', 4);
  }

  private static boolean isFinite(double value) {
    return !Double.isNaN(value) && !Double.isInfinite(value);
  }

  static String decimal(Object given) throws TemplateFailure {
    double value = number(given);
    if (value == 0 || !isFinite(value)) {
      return digits(value);
    }
    return Math.abs(value) >= 1 ? large(value, 1000, DECIMAL) : small(value);
  }

  static String binary(Object given) throws TemplateFailure {
    double value = number(given);
    return Math.abs(value) <= 1 || !isFinite(value) ? digits(value) : large(value, 1024, BINARY);
  }

  private static String large(double value, double base, String[] prefixes) {
    double rest = value;
    String prefix = "";
    for (String next : prefixes) {
      if (Math.abs(rest) < base) {
        break;
      }
      prefix = next;
      rest /= base;
    }
    return digits(rest) + prefix;
  }

  private static String small(double value) {
    double rest = value;
    String prefix = "";
    for (String next : SMALL) {
      if (Math.abs(rest) >= 1) {
        break;
      }
      prefix = next;
      rest *= 1000;
    }
    return digits(rest) + prefix;
  }

  static String duration(Object given) throws TemplateFailure {
    double value = number(given);
    if (!isFinite(value)) {
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
    // What is too large for an int64 is the smallest one in Go.
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

  static String percentage(Object given) throws TemplateFailure {
    return digits(number(given) * 100) + "%";
  }

  static String timestamp(Object given) throws TemplateFailure {
    double value = number(given);
    return isFinite(value) ? time(value).toString() : digits(value);
  }

  static GoTime time(double seconds) throws TemplateFailure {
    if (!isFinite(seconds)) {
      throw new TemplateFailure("value is NaN or Inf");
    }
    double nanos = seconds * NANOS;
    if (nanos > Long.MAX_VALUE || nanos < Long.MIN_VALUE) {
      throw new TemplateFailure(
          Numbers.general(seconds)
              + " cannot be represented as a nanoseconds timestamp since it overflows int64");
    }
    return new GoTime((long) nanos / 1_000_000);
  }

  static Values.GoDuration toDuration(Object given) throws TemplateFailure {
    double seconds = number(given);
    if (!isFinite(seconds)) {
      throw new TemplateFailure("value is NaN or Inf");
    }
    double nanos = seconds * NANOS;
    if (nanos > Long.MAX_VALUE || nanos < Long.MIN_VALUE) {
      throw new TemplateFailure(
          Numbers.general(seconds)
              + " cannot be represented as a nanoseconds duration since it overflows int64");
    }
    return new Values.GoDuration((long) nanos);
  }

  static Double parseDuration(String text) throws TemplateFailure {
    if (text.isEmpty()) {
      throw new TemplateFailure("empty duration string");
    }
    long millis = Durations.parse(text);
    if (millis == Durations.NONE) {
      throw new TemplateFailure("not a valid duration string: " + Quoted.of(text));
    }
    return millis / 1000.0;
  }
}
