package io.fleetgauge.sample.prometheus;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.regex.Pattern;

/** Numbers as text, with the digits and the forms that Prometheus's HTTP API prints. */
public final class Numbers {
  private static final Pattern DECIMAL =
      Pattern.compile("[+-]?(\\d[\\d_]*\\.?[\\d_]*|\\.\\d[\\d_]*)([eE][+-]?\\d[\\d_]*)?");
  private static final Pattern HEX =
      Pattern.compile("[+-]?0[xX][\\da-fA-F_]*\\.?[\\da-fA-F_]*[pP][+-]?\\d[\\d_]*");
  private static final Pattern MISPLACED_UNDERSCORE =
      Pattern.compile("_[^\\da-fA-F]|_$|[^\\da-fA-FxX]_|^_|__");

  private Numbers() {}

  /**
   * The number that a text is by the rules of Go, which are those of the text exposition and of the
   * label {@code le}; empty for what is none, or too large for a double.
   */
  public static OptionalDouble parse(String text) {
    switch (text.toLowerCase(Locale.ROOT)) {
      case "nan" -> {
        return OptionalDouble.of(Double.NaN);
      }
      case "inf", "+inf", "infinity", "+infinity" -> {
        return OptionalDouble.of(Double.POSITIVE_INFINITY);
      }
      case "-inf", "-infinity" -> {
        return OptionalDouble.of(Double.NEGATIVE_INFINITY);
      }
      default -> {}
    }
    boolean number = DECIMAL.matcher(text).matches() || HEX.matcher(text).matches();
    if (!number || MISPLACED_UNDERSCORE.matcher(text).find()) {
      return OptionalDouble.empty();
    }
    try {
      double value = Double.parseDouble(text.replace("_", ""));
      return Double.isInfinite(value) ? OptionalDouble.empty() : OptionalDouble.of(value);
    } catch (NumberFormatException e) {
      return OptionalDouble.empty();
    }
  }

  /** The form of label values that OpenMetrics prescribes: a number is never written as whole. */
  public static String openMetrics(double value) {
    String text = text(value);
    return text.chars().allMatch(c -> c >= '0' && c <= '9' || c == '-') ? text + ".0" : text;
  }

  /**
   * The shortest digits that read back as the same double: plain from 1e-6 up to below 1e21, else
   * with an exponent of at least two digits ({@code 1e+21}, {@code 1e-07}); {@code NaN}, {@code
   * +Inf}, {@code -Inf}, {@code -0}.
   */
  public static String text(double value) {
    if (Double.isNaN(value)) {
      return "NaN";
    }
    if (Double.isInfinite(value)) {
      return value > 0 ? "+Inf" : "-Inf";
    }
    if (value == (long) value && Math.abs(value) < 1e15) {
      long whole = (long) value;
      return whole == 0 && 1 / value < 0 ? "-0" : Long.toString(whole);
    }
    double magnitude = Math.abs(value);
    if (magnitude >= 1e-3 && magnitude < 1e7) {
      // Here Java writes the shortest digits without an exponent, as Go does; and it is no integer.
      return Double.toString(value);
    }
    if (magnitude >= 1e-6 && magnitude < 1e21) {
      return withoutExponent(Double.toString(value));
    }
    return scientific(value, shortest(value));
  }

  /** Moves the point of a text such as {@code -1.25E9} to where its exponent says. */
  private static String withoutExponent(String text) {
    int sign = text.charAt(0) == '-' ? 1 : 0;
    int e = text.indexOf('E');
    int exponent = Integer.parseInt(text, e + 1, text.length(), 10);
    // One digit stands before the point, and at least one behind it.
    int behind = text.charAt(sign + 2) == '0' && e == sign + 3 ? 0 : e - sign - 2;
    StringBuilder plain = new StringBuilder(32);
    plain.append(text, 0, sign);
    if (exponent < 0) {
      plain.append("0.").repeat('0', -exponent - 1).append(text.charAt(sign));
      return plain.append(text, sign + 2, sign + 2 + behind).toString();
    }
    plain.append(text.charAt(sign)).append(text, sign + 2, sign + 2 + Math.min(behind, exponent));
    if (behind > exponent) {
      return plain.append('.').append(text, sign + 2 + exponent, sign + 2 + behind).toString();
    }
    return plain.repeat('0', exponent - behind).toString();
  }

  /**
   * The same digits as Go's {@code %g} has them, which warnings and the text exposition use: with
   * an exponent below 1e-4 and from 1e6 on, however few digits there are.
   */
  public static String general(double value) {
    double magnitude = Math.abs(value);
    boolean plain =
        magnitude >= 1e-4 && magnitude < 1e6
            || value == 0
            || Double.isNaN(value)
            || Double.isInfinite(value);
    return plain ? text(value) : scientific(value, shortest(value));
  }

  private static String scientific(double value, BigDecimal decimal) {
    String digits = decimal.unscaledValue().abs().toString();
    int exponent = digits.length() - 1 - decimal.scale();
    StringBuilder text = new StringBuilder(24);
    if (value < 0) {
      text.append('-');
    }
    text.append(digits.charAt(0));
    if (digits.length() > 1) {
      text.append('.').append(digits, 1, digits.length());
    }
    text.append('e').append(exponent < 0 ? '-' : '+');
    if (Math.abs(exponent) < 10) {
      text.append('0');
    }
    return text.append(Math.abs(exponent)).toString();
  }

  /** Without an exponent, whatever the magnitude: the form of PromQL's own printing. */
  public static String plain(double value) {
    if (Double.isNaN(value) || Double.isInfinite(value) || value == 0) {
      return text(value);
    }
    return shortest(value).toPlainString();
  }

  private static BigDecimal shortest(double value) {
    BigDecimal decimal = new BigDecimal(Double.toString(value)).stripTrailingZeros();
    // Double.toString is the shortest text but for the smallest subnormals, where it prefers two
    // close digits (4.9E-324) to one that reads back as the same double (5E-324).
    if (decimal.precision() == 2 && Math.abs(value) < 1e-320) {
      BigDecimal oneDigit = decimal.round(new MathContext(1, RoundingMode.HALF_EVEN));
      return oneDigit.doubleValue() == value ? oneDigit : decimal;
    }
    return decimal;
  }

  /** A time in seconds as the JSON API prints it: whole, or with exactly three decimals. */
  public static String seconds(long millis) {
    long whole = millis / 1000;
    long rest = Math.abs(millis % 1000);
    if (rest == 0) {
      return Long.toString(whole);
    }
    StringBuilder text = new StringBuilder(20);
    if (millis < 0 && whole == 0) {
      text.append('-');
    }
    text.append(whole).append('.');
    if (rest < 100) {
      text.append(rest < 10 ? "00" : "0");
    }
    return text.append(rest).toString();
  }
}
