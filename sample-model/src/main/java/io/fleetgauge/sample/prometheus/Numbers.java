package io.fleetgauge.sample.prometheus;

import io.fleetgauge.sample.decimal.Digits;
import io.fleetgauge.sample.decimal.ShortestDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.regex.Pattern;

/** Numbers as text, with the digits and the forms that Prometheus's HTTP API prints. */
public final class Numbers {
  private static final Pattern DECIMAL =
      Pattern.compile("[+-]?(\\d[\\d_]*\\.?[\\d_]*|\\.\\d[\\d_]*)([eE][+-]?\\d[\\d_]*)?");
  private static final Pattern HEX =
      Pattern.compile("[+-]?0[xX][\\da-fA-F_]*\\.?[\\da-fA-F_]*[pP][+-]?\\d[\\d_]*");

  // An underscore stands between two digits, or behind the prefix of a hexadecimal number.
  private static final Pattern MISPLACED_UNDERSCORE = Pattern.compile("_(?!\\d)|(?<!\\d)_");
  private static final Pattern MISPLACED_IN_HEX =
      Pattern.compile("_(?![\\da-fA-F])|(?<![\\da-fA-FxX])_");

  private static final int MOST_BYTES = 40;

  /** Length of the smallest double, written out. */
  private static final int MOST_PLAIN_BYTES = 352;

  /** Below it a whole double has no shorter digits than its own. */
  private static final double MOST_EXACT = 1e15;

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
    boolean hex = HEX.matcher(text).matches();
    Pattern misplaced = hex ? MISPLACED_IN_HEX : MISPLACED_UNDERSCORE;
    if (!hex && !DECIMAL.matcher(text).matches() || misplaced.matcher(text).find()) {
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
   * @param out with room for 40 bytes from {@code at} on
   * @return where the text ends
   */
  public static int put(double value, byte[] out, int at) {
    double magnitude = Math.abs(value);
    if (!(magnitude > 0 && magnitude <= Double.MAX_VALUE)) {
      return putWord(value, out, at);
    }
    int first = at;
    if (value < 0) {
      out[first++] = '-';
    }
    if (magnitude < MOST_EXACT && magnitude == (long) magnitude) {
      return Digits.put((long) magnitude, out, first);
    }
    int digits = putDigits(magnitude, out, first);
    int count = ShortestDecimal.count(digits);
    int point = ShortestDecimal.point(digits);
    return magnitude >= 1e-6 && magnitude < 1e21
        ? setPoint(out, first, count, point)
        : putExponent(out, first, count, point - 1);
  }

  /**
   * The same digits as Go's {@code %g} has them, which warnings and the text exposition use: with
   * an exponent below 1e-4 and from 1e6 on, however few digits there are.
   */
  public static String general(double value) {
    byte[] bytes = new byte[MOST_BYTES];
    return new String(bytes, 0, putSigned(value, bytes, 0), StandardCharsets.ISO_8859_1);
  }

  /**
   * Writes what {@link #general} says; 0 for both zeros, as the text exposition has it.
   *
   * @param out with room for 40 bytes from {@code at} on
   * @return where the text ends
   */
  public static int putGeneral(double value, byte[] out, int at) {
    return putSigned(value == 0 ? 0 : value, out, at);
  }

  private static int putSigned(double value, byte[] out, int at) {
    double magnitude = Math.abs(value);
    if (magnitude >= 1e-4 && magnitude < 1e6 || !(magnitude > 0 && magnitude <= Double.MAX_VALUE)) {
      return put(value, out, at);
    }
    int first = at;
    if (value < 0) {
      out[first++] = '-';
    }
    int digits = putDigits(magnitude, out, first);
    return putExponent(
        out, first, ShortestDecimal.count(digits), ShortestDecimal.point(digits) - 1);
  }

  /** Without an exponent, whatever the magnitude: the form of PromQL's own printing. */
  public static String plain(double value) {
    byte[] bytes = new byte[MOST_PLAIN_BYTES];
    double magnitude = Math.abs(value);
    if (!(magnitude > 0 && magnitude <= Double.MAX_VALUE)) {
      return text(value);
    }
    int first = 0;
    if (value < 0) {
      bytes[first++] = '-';
    }
    int digits = putDigits(magnitude, bytes, first);
    int end = setPoint(bytes, first, ShortestDecimal.count(digits), ShortestDecimal.point(digits));
    return new String(bytes, 0, end, StandardCharsets.ISO_8859_1);
  }

  /** As above, of a whole number. */
  public static int put(long whole, byte[] out, int at) {
    if (whole < 0) {
      out[at] = '-';
      return Digits.put(-whole, out, at + 1);
    }
    return Digits.put(whole, out, at);
  }

  private static int putWord(double value, byte[] out, int at) {
    String word =
        value == 0 ? 1 / value < 0 ? "-0" : "0" : value > 0 ? "+Inf" : value < 0 ? "-Inf" : "NaN";
    for (int i = 0; i < word.length(); i++) {
      out[at + i] = (byte) word.charAt(i);
    }
    return at + word.length();
  }

  /**
   * Writes the shortest digits and returns their number and the position of the point, as {@link
   * ShortestDecimal#write} does.
   */
  private static int putDigits(double magnitude, byte[] out, int at) {
    if (magnitude < MOST_EXACT && magnitude == (long) magnitude) {
      int end = Digits.put((long) magnitude, out, at);
      return ShortestDecimal.written(Digits.withoutZeros(out, at, end) - at, end - at);
    }
    // Most samples have few decimals. With at most 15 digits no other text as short reads back as
    // the same double, and dividing tells that sooner.
    if (magnitude >= 1e-3 && magnitude < 1e9) {
      double millionths = Math.rint(magnitude * 1e6);
      if (millionths / 1e6 == magnitude) {
        int end = Digits.put((long) millionths, out, at);
        return ShortestDecimal.written(Digits.withoutZeros(out, at, end) - at, end - at - 6);
      }
    }
    return ShortestDecimal.write(magnitude, out, at);
  }

  /** Sets the point of digits without an exponent. */
  private static int setPoint(byte[] out, int first, int count, int point) {
    if (point <= 0) {
      System.arraycopy(out, first, out, first + 2 - point, count);
      out[first] = '0';
      out[first + 1] = '.';
      Arrays.fill(out, first + 2, first + 2 - point, (byte) '0');
      return first + 2 - point + count;
    }
    if (point >= count) {
      Arrays.fill(out, first + count, first + point, (byte) '0');
      return first + point;
    }
    Digits.moveBehindPoint(out, first + point);
    return first + count + 1;
  }

  /** Sets the point behind the first digit, and the exponent behind them all. */
  private static int putExponent(byte[] out, int first, int count, int exponent) {
    int next = count == 1 ? first + 1 : setPoint(out, first, count, 1);
    out[next++] = 'e';
    out[next++] = (byte) (exponent < 0 ? '-' : '+');
    int magnitude = Math.abs(exponent);
    if (magnitude < 10) {
      out[next++] = '0';
    }
    return Digits.put(magnitude, out, next);
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
