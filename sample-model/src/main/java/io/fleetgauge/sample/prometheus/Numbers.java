package io.fleetgauge.sample.prometheus;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
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

  private static final int MOST_BYTES = 32;

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
    byte[] bytes = new byte[MOST_BYTES];
    return new String(bytes, 0, put(value, bytes, 0), StandardCharsets.ISO_8859_1);
  }

  /**
   * Writes what {@link #text} says.
   *
   * @param out with room for 32 bytes from {@code at} on
   * @return where the text ends
   */
  public static int put(double value, byte[] out, int at) {
    if (value == (long) value && Math.abs(value) < 1e15) {
      long whole = (long) value;
      return whole == 0 && 1 / value < 0 ? put("-0", out, at) : put(whole, out, at);
    }
    if (Double.isNaN(value)) {
      return put("NaN", out, at);
    }
    if (Double.isInfinite(value)) {
      return put(value > 0 ? "+Inf" : "-Inf", out, at);
    }
    double magnitude = Math.abs(value);
    long millionths = millionths(magnitude);
    if (millionths >= 0) {
      return putMillionths(value < 0, millionths, out, at);
    }
    if (magnitude >= 1e-3 && magnitude < 1e7) {
      // Here Java writes the shortest digits without an exponent, as Go does; and it is no integer.
      return put(Double.toString(value), out, at);
    }
    if (magnitude >= 1e-6 && magnitude < 1e21) {
      return putWithoutExponent(Double.toString(value), out, at);
    }
    return put(scientific(value, shortest(value)), out, at);
  }

  /**
   * A number as whole millionths, if it is the double next to them; else -1. With at most 15 digits
   * no other text as short reads back as the same double.
   */
  private static long millionths(double magnitude) {
    if (!(magnitude >= 1e-3 && magnitude < 1e9)) {
      return -1;
    }
    double millionths = Math.rint(magnitude * 1e6);
    return millionths / 1e6 == magnitude ? (long) millionths : -1;
  }

  private static int putMillionths(boolean negative, long millionths, byte[] out, int at) {
    int next = at;
    if (negative) {
      out[next++] = '-';
    }
    next = put(millionths / 1_000_000, out, next);
    int rest = (int) (millionths % 1_000_000);
    if (rest == 0) {
      return next;
    }
    out[next] = '.';
    for (int i = next + 6; i > next; i--) {
      out[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    next += 7;
    while (out[next - 1] == '0') {
      next--;
    }
    return next;
  }

  private static int put(String text, byte[] out, int at) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    System.arraycopy(bytes, 0, out, at, bytes.length);
    return at + bytes.length;
  }

  /** As above, of a whole number. */
  public static int put(long whole, byte[] out, int at) {
    int next = at;
    long rest = whole;
    if (rest < 0) {
      out[next++] = '-';
      rest = -rest;
    }
    int digits = 1;
    for (long power = 10; power <= rest; power *= 10) {
      digits++;
    }
    for (int i = next + digits - 1; i >= next; i--) {
      out[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    return next + digits;
  }

  /** Moves the point of a text such as {@code -1.25E9} to where its exponent says. */
  private static int putWithoutExponent(String text, byte[] out, int at) {
    byte[] digits = text.getBytes(StandardCharsets.ISO_8859_1);
    int e = text.indexOf('E');
    int exponent = Integer.parseInt(text, e + 1, text.length(), 10);
    int next = at;
    int lead = 0;
    if (digits[0] == '-') {
      out[next++] = '-';
      lead = 1;
    }
    // One digit stands before the point, and at least one behind it.
    int behind = digits[lead + 2] == '0' && e == lead + 3 ? 0 : e - lead - 2;
    if (exponent < 0) {
      out[next++] = '0';
      out[next++] = '.';
      for (int i = exponent + 1; i < 0; i++) {
        out[next++] = '0';
      }
    }
    out[next++] = digits[lead];
    int before = exponent < 0 ? 0 : exponent;
    int moved = exponent < 0 ? behind : Math.min(behind, before);
    System.arraycopy(digits, lead + 2, out, next, moved);
    next += moved;
    for (int i = behind; i < before; i++) {
      out[next++] = '0';
    }
    if (moved < behind) {
      out[next++] = '.';
      System.arraycopy(digits, lead + 2 + moved, out, next, behind - moved);
      next += behind - moved;
    }
    return next;
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
    if (plain) {
      return text(value);
    }
    String text = Double.toString(value);
    int e = text.indexOf('E');
    if (e > 0 && magnitude >= 1e7 && magnitude < 1e100) {
      // Java's digits, but for a zero that says nothing and an exponent of two digits.
      String digits =
          text.startsWith(".0E", e - 2) ? text.substring(0, e - 2) : text.substring(0, e);
      return digits + (text.length() - e == 2 ? "e+0" : "e+") + text.substring(e + 1);
    }
    return scientific(value, shortest(value));
  }

  /**
   * Writes what {@link #general} says; 0 for both zeros, as the text exposition has it.
   *
   * @param out with room for 32 bytes from {@code at} on
   * @return where the text ends
   */
  public static int putGeneral(double value, byte[] out, int at) {
    double magnitude = Math.abs(value);
    if (value == 0) {
      out[at] = '0';
      return at + 1;
    }
    if (magnitude < 1e6 && magnitude >= 1e-4 || !(magnitude < 1e15)) {
      return magnitude >= 1e15 && !Double.isInfinite(value)
          ? put(general(value), out, at)
          : put(value, out, at);
    }
    // From 1e6 on: the digits, with a point behind the first.
    boolean whole = value == (long) value;
    long millionths = whole ? -1 : millionths(magnitude);
    if (!whole && millionths < 0) {
      return put(general(value), out, at);
    }
    int first = at;
    if (value < 0) {
      out[first++] = '-';
    }
    int end = put(whole ? (long) magnitude : millionths, out, first);
    int exponent = end - first - (whole ? 1 : 7);
    while (out[end - 1] == '0') {
      end--;
    }
    if (end - first > 1) {
      System.arraycopy(out, first + 1, out, first + 2, end - first - 1);
      out[first + 1] = '.';
      end++;
    }
    out[end++] = 'e';
    out[end++] = '+';
    out[end++] = (byte) ('0' + exponent / 10);
    out[end++] = (byte) ('0' + exponent % 10);
    return end;
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
