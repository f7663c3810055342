package io.fleetgauge.query.rules.template;

import io.fleetgauge.promql.expr.Printer;
import io.fleetgauge.query.rules.template.TemplateValue.Bool;
import io.fleetgauge.query.rules.template.TemplateValue.Real;
import io.fleetgauge.query.rules.template.TemplateValue.Text;
import io.fleetgauge.query.rules.template.TemplateValue.Whole;
import io.fleetgauge.sample.prometheus.Numbers;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The functions {@code print} and {@code printf}, which write what those of Go do.
 *
 * @see <a href="https://pkg.go.dev/fmt">fmt</a>
 */
final class Printf {
  /** Largest width and precision. */
  private static final int MAX_WIDTH = 1_000;

  private static final String VERBS = "dvfgexsqt%";
  private static final Pattern VERB =
      Pattern.compile("%([-+# 0]*)(\\d*)(?:\\.(\\d*))?(.)?", Pattern.DOTALL);

  /**
   * A verb of a format.
   *
   * @param width -1 if there is none
   * @param precision -1 if there is none
   */
  private record Verb(char verb, String flags, int width, int precision) {
    Verb with(char other) {
      return new Verb(other, flags, width, precision);
    }

    /** The value as text; null if the verb is for values of other kinds. */
    String formatted(TemplateValue value) throws TemplateFailure {
      return switch (value) {
        case Bool bool -> verb == 't' || verb == 'v' ? padded(value.written()) : null;
        case Whole whole -> whole(whole);
        case Real real -> real(real.number());
        case Text text -> text(text.text());
        case TemplateValue.Labels _, TemplateValue.Time _, TemplateValue.NativeHistogram _
            when (verb == 's' || verb == 'v') && flags.isEmpty() && width < 0 && precision < 0 ->
            value.written();
        case TemplateValue.Nothing _ -> verb == 'v' ? padded("<nil>") : "%!" + verb + "(<nil>)";
        case TemplateValue.Labels _,
            TemplateValue.Time _,
            TemplateValue.NativeHistogram _,
            TemplateValue.Sample _,
            TemplateValue.Samples _,
            TemplateValue.Arguments _,
            TemplateValue.Alert _ ->
            throw unsupported(value);
      };
    }

    private TemplateFailure unsupported(TemplateValue value) {
      return new TemplateFailure("%" + verb + " does not support " + value.described());
    }

    private boolean has(char flag) {
      return flags.indexOf(flag) >= 0;
    }

    private String padded(String text) {
      return has('0') && !has('-') ? padded("", text) : spaced(text);
    }

    private String spaced(String text) {
      String spaces = " ".repeat(missing(text));
      return has('-') ? text + spaces : spaces + text;
    }

    private int missing(String text) {
      return Math.max(width - text.codePointCount(0, text.length()), 0);
    }

    /** A number with its sign; zeros are between the two where the flag is set. */
    private String padded(String sign, String digits) {
      boolean zeros = has('0') && !has('-');
      return zeros ? sign + "0".repeat(missing(sign + digits)) + digits : spaced(sign + digits);
    }

    private String sign(boolean negative) {
      return negative ? "-" : has('+') ? "+" : has(' ') ? " " : "";
    }

    private String whole(Whole value) throws TemplateFailure {
      long number = value.number();
      if (verb == 'q') {
        throw unsupported(value);
      }
      if (verb != 'd' && verb != 'v' && verb != 'x') {
        return null;
      }
      String digits = Long.toString(number, verb == 'x' ? 16 : 10).replace("-", "");
      if (precision < 0) {
        return padded(sign(number < 0), digits);
      }
      String zeros = "0".repeat(Math.max(precision - digits.length(), 0));
      return spaced(precision == 0 && number == 0 ? "" : sign(number < 0) + zeros + digits);
    }

    private String real(double number) throws TemplateFailure {
      if (verb == 'x') {
        throw unsupported(new Real(number));
      }
      int decimals = precision < 0 ? 6 : precision;
      String text =
          switch (verb) {
            case 'f' -> DecimalText.plain(number, decimals);
            case 'e' -> DecimalText.exponential(number, decimals);
            case 'g', 'v' ->
                precision < 0 ? Numbers.general(number) : DecimalText.general(number, precision);
            default -> null;
          };
      if (text == null) {
        return null;
      }
      String magnitude = text.replaceFirst("^[+-]", "");
      String sign = sign(text.startsWith("-"));
      if (Double.isFinite(number)) {
        return padded(sign, magnitude);
      }
      return spaced((text.startsWith("+") && sign.isEmpty() ? "+" : sign) + magnitude);
    }

    private String text(String text) {
      int length = text.codePointCount(0, text.length());
      String cut =
          precision >= 0 && precision < length
              ? text.substring(0, text.offsetByCodePoints(0, precision))
              : text;
      return switch (verb) {
        case 's', 'v' -> padded(cut);
        case 'q' -> padded(Printer.quote(cut));
        case 'x' -> {
          byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
          int count = precision < 0 ? bytes.length : Math.min(precision, bytes.length);
          yield padded(HexFormat.of().formatHex(bytes, 0, count));
        }
        default -> null;
      };
    }
  }

  private Printf() {}

  /** Fails if a format has verbs or flags that are not supported. */
  static void check(String format) throws TemplateFailure {
    Matcher verb = VERB.matcher(format);
    while (verb.find()) {
      String name = verb.group(4);
      if (name == null || name.equals("%")) {
        continue;
      }
      if (!VERBS.contains(name)) {
        throw new TemplateFailure(
            verb.group() + " is not supported; use %d %v %f %g %e %x %s %q or %t, and %% for %");
      }
      String flags = verb.group(1);
      String numeric = name.equals("x") ? "0" : "dfge".contains(name) ? "+0 " : "";
      if (flags.chars().anyMatch(flag -> flag != '-' && numeric.indexOf(flag) < 0)) {
        throw new TemplateFailure(verb.group() + " has a flag that is not supported for %" + name);
      }
      if (number(verb.group(2)) > MAX_WIDTH || number(verb.group(3)) > MAX_WIDTH) {
        throw new TemplateFailure(
            TemplateFailure.cut(verb.group(), 60) + " has more than " + MAX_WIDTH + " digits");
      }
    }
  }

  private static int number(String digits) {
    if (digits == null || digits.isEmpty()) {
      return -1;
    }
    return digits.length() > 4 ? MAX_WIDTH + 1 : Integer.parseInt(digits);
  }

  /** Go's Sprintf. */
  static String format(String format, List<TemplateValue> values) throws TemplateFailure {
    check(format);
    StringBuilder out = new StringBuilder();
    Matcher verb = VERB.matcher(format);
    int at = 0;
    int next = 0;
    while (verb.find()) {
      append(out, format.substring(at, verb.start()));
      at = verb.end();
      String name = verb.group(4);
      if (name == null) {
        append(out, "%!(NOVERB)");
      } else if (name.equals("%")) {
        append(out, "%");
      } else if (next == values.size()) {
        append(out, "%!" + name + "(MISSING)");
      } else {
        boolean hasPrecision = verb.group(3) != null;
        int precision = hasPrecision ? Math.max(number(verb.group(3)), 0) : -1;
        TemplateValue value = values.get(next++);
        Verb asked = new Verb(name.charAt(0), verb.group(1), number(verb.group(2)), precision);
        String text = asked.formatted(value);
        append(
            out,
            text == null
                ? "%!" + name + "(" + type(value) + asked.with('v').formatted(value) + ")"
                : text);
      }
    }
    append(out, format.substring(at));
    for (int i = next; i < values.size(); i++) {
      append(out, (i == next ? "%!(EXTRA " : ", ") + type(values.get(i)) + values.get(i).written());
    }
    return next < values.size() ? out.append(')').toString() : out.toString();
  }

  /** The name of a value's type in Go. */
  private static String type(TemplateValue value) throws TemplateFailure {
    return switch (value) {
      case Text _ -> "string=";
      case Whole _ -> "int=";
      case Real _ -> "float64=";
      case Bool _ -> "bool=";
      case TemplateValue.Nothing _ -> "";
      case TemplateValue.Labels _,
          TemplateValue.Sample _,
          TemplateValue.Samples _,
          TemplateValue.Arguments _,
          TemplateValue.Time _,
          TemplateValue.NativeHistogram _,
          TemplateValue.Alert _ ->
          throw new TemplateFailure("the format has no verb for " + value.described());
    };
  }

  /** Go's Sprint: a space between two values neither of which is a text. */
  static String print(List<TemplateValue> values) throws TemplateFailure {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < values.size(); i++) {
      boolean apart =
          i > 0 && !(values.get(i) instanceof Text) && !(values.get(i - 1) instanceof Text);
      append(out, (apart ? " " : "") + values.get(i).written());
    }
    return out.toString();
  }

  private static void append(StringBuilder out, String more) throws TemplateFailure {
    if (out.length() + more.length() > TemplateRun.MAX_OUTPUT) {
      throw new TemplateFailure(
          "the result has more than " + TemplateRun.MAX_OUTPUT + " characters");
    }
    out.append(more);
  }
}
