package io.fleetgauge.gateway.otlp;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Names of metrics and labels that stand for those of OpenTelemetry.
 *
 * @see <a
 *     href="https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/">
 *     Compatibility with Prometheus</a>
 */
final class OtlpNames {
  private static final Map<String, String> UNITS =
      Map.ofEntries(
          Map.entry("d", "days"),
          Map.entry("h", "hours"),
          Map.entry("min", "minutes"),
          Map.entry("s", "seconds"),
          Map.entry("ms", "milliseconds"),
          Map.entry("us", "microseconds"),
          Map.entry("ns", "nanoseconds"),
          Map.entry("By", "bytes"),
          Map.entry("KiBy", "kibibytes"),
          Map.entry("MiBy", "mebibytes"),
          Map.entry("GiBy", "gibibytes"),
          Map.entry("TiBy", "tibibytes"),
          Map.entry("KBy", "kilobytes"),
          Map.entry("MBy", "megabytes"),
          Map.entry("GBy", "gigabytes"),
          Map.entry("TBy", "terabytes"),
          Map.entry("m", "meters"),
          Map.entry("V", "volts"),
          Map.entry("A", "amperes"),
          Map.entry("J", "joules"),
          Map.entry("W", "watts"),
          Map.entry("g", "grams"),
          Map.entry("Cel", "celsius"),
          Map.entry("Hz", "hertz"),
          Map.entry("1", ""),
          Map.entry("%", "percent"));

  private static final Map<String, String> UNITS_BELOW =
      Map.of(
          "s", "second", "m", "minute", "h", "hour", "d", "day", "w", "week", "mo", "month", "y",
          "year");

  private static final Pattern SEPARATORS = Pattern.compile("[^a-zA-Z0-9:]+");
  private static final Pattern UNDERSCORES = Pattern.compile("__+");

  private final TranslationStrategy strategy;

  OtlpNames(TranslationStrategy strategy) {
    this.strategy = strategy;
  }

  /**
   * The name of a metric.
   *
   * @param isCounter true for a sum that only grows
   */
  String metric(String name, String unit, boolean isCounter, boolean isGauge) {
    return switch (strategy) {
      case NoTranslation -> name;
      case NoUTF8EscapingWithSuffixes -> withSuffixes(name, unit, isCounter, isGauge);
      case UnderscoreEscapingWithSuffixes -> escaped(name, unit, isCounter, isGauge);
    };
  }

  private static String withSuffixes(String name, String unit, boolean isCounter, boolean isGauge) {
    StringBuilder all = new StringBuilder(name);
    for (String suffix : List.of(unit(unit), unitBelow(unit))) {
      if (!suffix.isEmpty()) {
        all.append('_').append(suffix);
      }
    }
    if (isCounter) {
      all.append("_total");
    }
    if (isRatio(unit, isGauge)) {
      all.append("_ratio");
    }
    return all.toString();
  }

  private static String escaped(String name, String unit, boolean isCounter, boolean isGauge) {
    List<String> words = new ArrayList<>();
    for (String word : SEPARATORS.split(name)) {
      if (!word.isEmpty()) {
        words.add(word);
      }
    }
    addUnits(words, clean(unit(unit)), clean(unitBelow(unit)));
    if (isCounter) {
      moveToEnd(words, "total");
    }
    if (isRatio(unit, isGauge)) {
      moveToEnd(words, "ratio");
    }
    String joined = String.join("_", words);
    return !joined.isEmpty() && isDigit(joined.charAt(0)) ? "_" + joined : joined;
  }

  private static void addUnits(List<String> words, String unit, String below) {
    String above = words.contains(unit) ? "" : unit;
    String under = below.equals("per_") ? "" : withoutLast(below);
    under = words.contains(under) ? "" : under;
    above = under.isEmpty() ? above : withoutLast(above);
    for (String each : List.of(above, under)) {
      if (!each.isEmpty()) {
        words.add(each);
      }
    }
  }

  private static String withoutLast(String unit) {
    return unit.endsWith("_") ? unit.substring(0, unit.length() - 1) : unit;
  }

  private static void moveToEnd(List<String> words, String word) {
    words.removeIf(word::equals);
    words.add(word);
  }

  private static boolean isRatio(String unit, boolean isGauge) {
    return unit.equals("1") && isGauge;
  }

  /** The unit before the slash; empty for a unit in braces, which is a remark. */
  private static String unit(String unit) {
    String name = unit.split("/", 2)[0].strip();
    return name.isEmpty() || isRemark(name) ? "" : UNITS.getOrDefault(name, name);
  }

  private static String unitBelow(String unit) {
    String[] parts = unit.split("/", 2);
    String name = parts.length < 2 ? "" : parts[1].strip();
    return name.isEmpty() || isRemark(name) ? "" : "per_" + UNITS_BELOW.getOrDefault(name, name);
  }

  private static boolean isRemark(String unit) {
    return unit.indexOf('{') >= 0 || unit.indexOf('}') >= 0;
  }

  private static String clean(String unit) {
    StringBuilder plain = new StringBuilder();
    unit.codePoints()
        .forEach(each -> plain.append(isPlain(each) || each == ':' ? (char) each : '_'));
    String joined = UNDERSCORES.matcher(plain).replaceAll("_");
    return joined.startsWith("_") ? joined.substring(1) : joined;
  }

  /** The name of a label that stands for an attribute. */
  String label(String attribute) {
    if (strategy != TranslationStrategy.UnderscoreEscapingWithSuffixes || attribute.isEmpty()) {
      return attribute;
    }
    StringBuilder plain = new StringBuilder();
    attribute.codePoints().forEach(each -> plain.append(isPlain(each) ? (char) each : '_'));
    if (isDigit(plain.charAt(0))) {
      return "key_" + plain;
    }
    boolean isOneUnderscore =
        plain.charAt(0) == '_' && (plain.length() == 1 || plain.charAt(1) != '_');
    return isOneUnderscore ? "key" + plain : plain.toString();
  }

  private static boolean isPlain(int each) {
    return each >= 'a' && each <= 'z' || each >= 'A' && each <= 'Z' || isDigit(each);
  }

  private static boolean isDigit(int each) {
    return each >= '0' && each <= '9';
  }
}
