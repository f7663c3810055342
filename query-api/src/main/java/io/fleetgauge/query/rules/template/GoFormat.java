package io.fleetgauge.query.rules.template;

import io.fleetgauge.sample.Histogram;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Formats values as Go's fmt does. A text of more than {@link Execution#MAX_OUTPUT} characters
 * fails before it is made.
 *
 * @see <a href="https://pkg.go.dev/fmt">fmt</a>
 */
final class GoFormat {
  /** Widths and precisions above it are errors, as in Go. */
  private static final int MAX_WIDTH = 1_000_000;

  /** How deep values may be in each other. */
  private static final int MAX_DEPTH = 100;

  /** A text with a limit: what would make it longer fails before it takes memory. */
  private static final class BoundedText {
    private final StringBuilder text = new StringBuilder();

    BoundedText append(String more) throws TemplateFailure {
      needs(more.length());
      text.append(more);
      return this;
    }

    BoundedText append(char more) throws TemplateFailure {
      needs(1);
      text.append(more);
      return this;
    }

    BoundedText append(String from, int begin, int end) throws TemplateFailure {
      needs(end - begin);
      text.append(from, begin, end);
      return this;
    }

    /** Fails unless so many more characters fit. */
    void needs(int more) throws TemplateFailure {
      if (more > Execution.MAX_OUTPUT - text.length()) {
        throw tooLong();
      }
    }

    @Override
    public String toString() {
      return text.toString();
    }
  }

  private final String format;
  private final List<?> values;
  private final int depth;
  private final BoundedText out = new BoundedText();
  private int next;
  private boolean reordered;
  private boolean goodIndex;
  private boolean mayHaveIndex = true;

  // Of the verb that is being formatted.
  private boolean minus;
  private boolean plus;
  private boolean sharp;
  private boolean space;
  private boolean zero;
  private int width;
  private int precision;

  private GoFormat(String format, List<?> values, int depth) {
    this.format = format;
    this.values = values;
    this.depth = depth;
  }

  /** Go's Sprintf. */
  static String printf(String format, List<?> values) throws TemplateFailure {
    return new GoFormat(format, values, 0).all();
  }

  /** Go's Sprint: a space between two values neither of which is a string. */
  static String print(List<?> values) throws TemplateFailure {
    BoundedText out = new BoundedText();
    boolean wasText = false;
    for (int i = 0; i < values.size(); i++) {
      boolean isText = values.get(i) instanceof String;
      if (i > 0 && !isText && !wasText) {
        out.append(' ');
      }
      append(out, values.get(i), 0);
      wasText = isText;
    }
    return out.toString();
  }

  /** Go's Sprintln. */
  static String println(List<?> values) throws TemplateFailure {
    BoundedText out = new BoundedText();
    for (int i = 0; i < values.size(); i++) {
      out.append(i == 0 ? "" : " ");
      append(out, values.get(i), 0);
    }
    return out.append('\n').toString();
  }

  /** A value as {@code %v} writes it. */
  static String value(Object value) throws TemplateFailure {
    BoundedText out = new BoundedText();
    append(out, value, 0);
    return out.toString();
  }

  private static void append(BoundedText out, Object value, int depth) throws TemplateFailure {
    if (depth > MAX_DEPTH) {
      throw tooDeep();
    }
    switch (value) {
      case null -> out.append("<nil>");
      case Double number -> out.append(number(number));
      case Values.Html html -> out.append(html.text());
      case Values.Complex complex -> {
        String imaginary = number(complex.imaginary());
        boolean signed = imaginary.startsWith("-") || imaginary.startsWith("+");
        out.append("(" + number(complex.real()) + (signed ? "" : "+") + imaginary + "i)");
      }
      case Values.Uint8 number -> out.append(String.valueOf(number.value()));
      case Values.Named named -> out.append(named.name());
      case Map<?, ?> map -> map(out, map, depth);
      case Values.Arguments arguments -> map(out, arguments.values(), depth);
      case Values.Sample sample -> {
        map(out.append('{'), sample.labels(), depth);
        append(out.append(' '), sample.value(), depth + 1);
        out.append('}');
      }
      case Values.Result result -> addresses(out, result);
      case Histogram histogram -> out.append(histogram(histogram));
      case TemplateData data -> {
        map(out.append('{'), data.labels(), depth);
        map(out.append(' '), data.externalLabels(), depth);
        out.append(' ').append(data.externalUrl()).append(' ');
        append(out, Execution.value(data), depth + 1);
        out.append('}');
      }
      default -> out.append(value.toString());
    }
  }

  static TemplateFailure tooLong() {
    return new TemplateFailure("the result has more than " + Execution.MAX_OUTPUT + " characters");
  }

  private static TemplateFailure tooDeep() {
    return new TemplateFailure("values nest more than " + MAX_DEPTH + " deep");
  }

  private static String number(double value) {
    return GoFloats.format(value, 'g', GoFloats.SHORTEST);
  }

  /** Go writes the addresses of samples, which say nothing. */
  private static void addresses(BoundedText out, Values.Result result) throws TemplateFailure {
    out.append('[');
    for (int i = 0; i < result.samples().size(); i++) {
      out.append(i == 0 ? "" : " ").append("0xc000000000");
    }
    out.append(']');
  }

  private static void map(BoundedText out, Map<?, ?> map, int depth) throws TemplateFailure {
    out.append("map[");
    String between = "";
    for (var entry : new TreeMap<>(map).entrySet()) {
      out.append(between).append(String.valueOf(entry.getKey())).append(':');
      append(out, entry.getValue(), depth + 1);
      between = " ";
    }
    out.append(']');
  }

  /** As Prometheus writes a native histogram. */
  static String histogram(Histogram histogram) {
    StringBuilder text = new StringBuilder("{count:");
    text.append(number(histogram.count())).append(", sum:").append(number(histogram.sum()));
    for (Histogram.Bucket bucket : histogram.buckets()) {
      boolean lower =
          bucket.edges() == Histogram.Edges.LOWER || bucket.edges() == Histogram.Edges.BOTH;
      boolean upper =
          bucket.edges() == Histogram.Edges.UPPER || bucket.edges() == Histogram.Edges.BOTH;
      text.append(", ")
          .append(lower ? '[' : '(')
          .append(number(bucket.lower()))
          .append(',')
          .append(number(bucket.upper()))
          .append(upper ? ']' : ')')
          .append(':')
          .append(number(bucket.count()));
    }
    return text.append('}').toString();
  }

  // --- verbs ---

  private String all() throws TemplateFailure {
    int at = 0;
    while (at < format.length()) {
      int percent = format.indexOf('%', at);
      if (percent < 0) {
        out.append(format, at, format.length());
        break;
      }
      out.append(format, at, percent);
      at = verb(percent + 1);
      if (at < 0) {
        break;
      }
    }
    if (!reordered && next < values.size()) {
      String between = "%!(EXTRA ";
      for (Object value : values.subList(next, values.size())) {
        out.append(between).append(value == null ? "" : Values.type(value) + "=");
        append(out, value, 0);
        between = ", ";
      }
      out.append(')');
    }
    return out.toString();
  }

  private int verb(int from) throws TemplateFailure {
    int at = flags(from);
    width = -1;
    precision = -1;
    goodIndex = true;
    boolean afterIndex = false;
    int[] index = index(at);
    if (index != null) {
      at = index[0];
      afterIndex = true;
    }
    if (at < format.length() && format.charAt(at) == '*') {
      at++;
      width = star();
      if (width == Integer.MIN_VALUE) {
        out.append("%!(BADWIDTH)");
        width = -1;
      } else if (width < 0) {
        width = -width;
        minus = true;
        zero = false;
      }
      afterIndex = false;
    } else {
      int end = digits(at);
      if (end > at) {
        width = number(at, end);
        if (afterIndex) {
          goodIndex = false;
        }
        if (width > MAX_WIDTH) {
          width = -1;
        }
      }
      at = end;
    }
    if (at < format.length() && format.charAt(at) == '.') {
      at++;
      if (afterIndex) {
        goodIndex = false;
      }
      index = index(at);
      if (index != null) {
        at = index[0];
        afterIndex = true;
      }
      if (at < format.length() && format.charAt(at) == '*') {
        at++;
        precision = star();
        if (precision == Integer.MIN_VALUE) {
          out.append("%!(BADPREC)");
          precision = -1;
        } else if (precision < 0) {
          precision = -1;
        }
        afterIndex = false;
      } else {
        int end = digits(at);
        precision = end > at ? Math.min(number(at, end), MAX_WIDTH) : 0;
        at = end;
      }
    }
    if (!afterIndex) {
      index = index(at);
      if (index != null) {
        at = index[0];
      }
    }
    if (at >= format.length()) {
      out.append("%!(NOVERB)");
      return -1;
    }
    int verb = format.codePointAt(at);
    int after = at + Character.charCount(verb);
    String name = new String(Character.toChars(verb));
    if (verb == '%') {
      out.append('%');
    } else if (!goodIndex) {
      out.append("%!").append(name).append("(BADINDEX)");
    } else if (next >= values.size()) {
      out.append("%!").append(name).append("(MISSING)");
    } else {
      argument(values.get(next++), (char) verb, name);
    }
    return after;
  }

  private int flags(int from) {
    minus = plus = sharp = space = zero = false;
    int at = from;
    while (at < format.length()) {
      switch (format.charAt(at)) {
        case '#' -> sharp = true;
        case '0' -> zero = true;
        case '+' -> plus = true;
        case '-' -> minus = true;
        case ' ' -> space = true;
        default -> {
          return at;
        }
      }
      at++;
    }
    return at;
  }

  /** Where the format goes on behind an index; null if there is none. */
  private int[] index(int at) {
    if (at >= format.length() || format.charAt(at) != '[') {
      return null;
    }
    reordered = true;
    int end = mayHaveIndex ? format.indexOf(']', at) : -1;
    if (end < 0) {
      mayHaveIndex = false; // nor has what follows
      goodIndex = false;
      return new int[] {at + 1};
    }
    String inside = format.substring(at + 1, end);
    int number = inside.matches("\\d{1,6}") ? Integer.parseInt(inside) : 0;
    if (number < 1 || number > values.size()) {
      goodIndex = false;
    } else {
      next = number - 1;
    }
    return new int[] {end + 1};
  }

  private int digits(int at) {
    int end = at;
    while (end < format.length() && format.charAt(end) >= '0' && format.charAt(end) <= '9') {
      end++;
    }
    return end;
  }

  private int number(int from, int to) {
    return to - from > 7 ? MAX_WIDTH + 1 : Integer.parseInt(format.substring(from, to));
  }

  /** A width or precision among the values; the smallest int if there is no such. */
  private int star() {
    Object value = next < values.size() ? values.get(next++) : null;
    return value instanceof Long number && Math.abs(number) <= MAX_WIDTH
        ? number.intValue()
        : Integer.MIN_VALUE;
  }

  private void argument(Object value, char verb, String name) throws TemplateFailure {
    if (value == null) {
      if (verb == 'T' || verb == 'v') {
        out.append(padded("<nil>"));
      } else {
        out.append("%!").append(name).append("(<nil>)");
      }
      return;
    }
    if (verb == 'T') {
      out.append(padded(Values.type(value)));
      return;
    }
    String text =
        switch (value) {
          case Boolean bool -> verb == 't' || verb == 'v' ? padded(bool.toString()) : null;
          case Long number -> integer(BigInteger.valueOf(number), verb, false);
          case Values.Uint8 number -> integer(BigInteger.valueOf(number.value()), verb, true);
          case Double number -> decimal(number, verb);
          case String string -> string(string, verb);
          case Values.Html html -> string(html.text(), verb);
          case Values.Named named ->
              "vsxXq".indexOf(verb) >= 0
                  ? string(named.name(), verb)
                  : integer(BigInteger.valueOf(named.value()), verb, false);
          case Values.GoDuration duration ->
              "vsxXq".indexOf(verb) >= 0
                  ? string(duration.toString(), verb)
                  : integer(BigInteger.valueOf(duration.nanos()), verb, false);
          case GoTime time -> "vsxXq".indexOf(verb) >= 0 ? string(time.toString(), verb) : null;
          case Histogram histogram ->
              "vsxXq".indexOf(verb) >= 0 ? string(value(histogram), verb) : null;
          case Map<?, ?> map -> composite(map, verb);
          case Values.Arguments arguments -> composite(arguments.values(), verb);
          case Values.Sample sample -> "&" + value(sample);
          default -> value(value);
        };
    out.append(text != null ? text : wrong(value, name));
  }

  private static String wrong(Object value, String verb) throws TemplateFailure {
    return "%!" + verb + "(" + Values.type(value) + "=" + value(value) + ")";
  }

  /** A map, with the verb for each key and value. */
  private String composite(Map<?, ?> map, char verb) throws TemplateFailure {
    if (verb == 'v') {
      return value(map);
    }
    if (depth == MAX_DEPTH) {
      throw tooDeep();
    }
    BoundedText text = new BoundedText().append("map[");
    String between = "";
    for (var entry : new TreeMap<>(map).entrySet()) {
      text.append(between).append(each(verb, entry.getKey()));
      text.append(':').append(each(verb, entry.getValue()));
      between = " ";
    }
    return text.append(']').toString();
  }

  private String each(char verb, Object value) throws TemplateFailure {
    return new GoFormat("%" + verb, Collections.singletonList(value), depth + 1).all();
  }

  private String padded(String text) throws TemplateFailure {
    return padded(text, zero && !minus);
  }

  private String padded(String text, boolean zeros) throws TemplateFailure {
    int missing = width - text.codePointCount(0, text.length());
    if (width < 0 || missing <= 0) {
      return text;
    }
    out.needs(width);
    return minus ? text + " ".repeat(missing) : (zeros ? "0" : " ").repeat(missing) + text;
  }

  private String string(String text, char verb) throws TemplateFailure {
    String cut = text;
    if (precision >= 0 && (verb == 's' || verb == 'v' || verb == 'q')) {
      int[] runes = text.codePoints().toArray();
      cut = new String(runes, 0, Math.min(precision, runes.length));
    }
    return switch (verb) {
      case 's' -> padded(cut);
      case 'v' -> sharp ? padded(Quoted.of(cut)) : padded(cut);
      case 'q' ->
          padded(
              sharp && !cut.contains("`") && cut.chars().allMatch(c -> c >= ' ' && c != 0x7f)
                  ? "`" + cut + "`"
                  : plus ? Quoted.ascii(cut) : Quoted.of(cut));
      case 'x', 'X' -> {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int length = precision >= 0 ? Math.min(precision, bytes.length) : bytes.length;
        HexFormat hex = verb == 'x' ? HexFormat.of() : HexFormat.of().withUpperCase();
        String prefix = sharp ? "0" + verb : "";
        if (space) {
          hex = hex.withDelimiter(" ").withPrefix(prefix);
          yield padded(hex.formatHex(bytes, 0, length));
        }
        yield padded(length == 0 ? "" : prefix + hex.formatHex(bytes, 0, length));
      }
      default -> null;
    };
  }

  private String integer(BigInteger value, char verb, boolean unsigned) throws TemplateFailure {
    return switch (verb) {
      case 'd', 'v' -> digits(value, 10, "", sharp && verb == 'v' && unsigned);
      case 'b' -> digits(value, 2, sharp ? "0b" : "", false);
      case 'o' -> digits(value, 8, sharp ? "0" : "", false);
      case 'O' -> digits(value, 8, "0o", false);
      case 'x' -> digits(value, 16, sharp ? "0x" : "", false);
      case 'X' -> digits(value, 16, sharp ? "0X" : "", false).toUpperCase(java.util.Locale.ROOT);
      case 'c' -> padded(new String(Character.toChars(rune(value))));
      case 'q' -> padded(Quoted.character(rune(value)));
      case 'U' -> {
        String code = "U+" + String.format("%04X", value);
        yield padded(
            sharp && Quoted.isPrint(rune(value))
                ? code + " '" + new String(Character.toChars(rune(value))) + "'"
                : code,
            false);
      }
      default -> null;
    };
  }

  private static int rune(BigInteger value) {
    boolean valid =
        value.signum() >= 0
            && value.bitLength() < 22
            && Character.isValidCodePoint(value.intValue());
    return valid ? value.intValue() : 0xfffd;
  }

  private String digits(BigInteger value, int radix, String prefix, boolean hex)
      throws TemplateFailure {
    if (hex) {
      return digits(value, 16, "0x", false);
    }
    boolean zeros = zero && !minus;
    String digits = value.abs().toString(radix);
    if (precision == 0 && value.signum() == 0) {
      return padded("", false);
    }
    String sign = value.signum() < 0 ? "-" : plus ? "+" : space ? " " : "";
    int least = precision >= 0 ? precision : zeros && width > 0 ? width - sign.length() : 0;
    if (digits.length() < least) {
      out.needs(least);
      digits = "0".repeat(least - digits.length()) + digits;
    }
    return padded(sign + prefix + digits, false);
  }

  private String decimal(double value, char verb) throws TemplateFailure {
    int digits = precision;
    char form = verb;
    switch (verb) {
      case 'v' -> form = 'g';
      case 'e', 'E', 'f', 'F' -> {
        digits = precision < 0 ? 6 : precision;
        out.needs(digits);
        form = verb == 'F' ? 'f' : verb;
      }
      case 'g', 'G' -> {}
      default -> {
        return null;
      }
    }
    boolean finite = !Double.isNaN(value) && !Double.isInfinite(value);
    String text = GoFloats.format(value, form, digits);
    boolean negative = text.startsWith("-");
    String sign = negative ? "-" : plus ? "+" : space ? " " : "";
    String magnitude = negative || text.startsWith("+") ? text.substring(1) : text;
    if (text.startsWith("+")) {
      sign = verb == 'v' || plus || !space ? "+" : " ";
    }
    if (sharp && finite && verb != 'v') {
      magnitude = sharpened(magnitude, form, digits);
    }
    if (zero && !minus && finite && width > 0) {
      out.needs(width);
      int missing = width - sign.length() - magnitude.length();
      return sign + "0".repeat(Math.max(missing, 0)) + magnitude;
    }
    return padded(sign + magnitude, false);
  }

  /** With a decimal point, and for {@code %g} with trailing zeros. */
  private String sharpened(String magnitude, char form, int precision) throws TemplateFailure {
    int exponent = Math.max(magnitude.indexOf('e'), magnitude.indexOf('E'));
    String tail = exponent < 0 ? "" : magnitude.substring(exponent);
    String head = exponent < 0 ? magnitude : magnitude.substring(0, exponent);
    String pointed = head.contains(".") ? head : head + ".";
    if (form == 'g' || form == 'G') {
      int wanted = precision < 0 ? 6 : precision;
      out.needs(wanted);
      int digits = pointed.replace(".", "").replaceFirst("^0+", "").length();
      pointed += "0".repeat(Math.max(wanted - digits, 0));
    }
    return pointed + tail;
  }
}
