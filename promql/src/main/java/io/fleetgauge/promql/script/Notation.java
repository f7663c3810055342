package io.fleetgauge.promql.script;

import io.fleetgauge.promql.expr.Durations;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses a line of a script: a series and its samples, one for each position. */
final class Notation {
  /** The most positions that one item of a line may repeat. */
  private static final int MAX_POSITIONS = 1_000_000;

  private static final String NUMBER =
      "(?:(?:[0-9]+y)?(?:[0-9]+w)?(?:[0-9]+d)?(?:[0-9]+h)?(?:[0-9]+m)?(?:[0-9]+s)?(?:[0-9]+ms)"
          + "|(?:[0-9]+y)?(?:[0-9]+w)?(?:[0-9]+d)?(?:[0-9]+h)?(?:[0-9]+m)?(?:[0-9]+s)"
          + "|(?:[0-9]+y)?(?:[0-9]+w)?(?:[0-9]+d)?(?:[0-9]+h)?(?:[0-9]+m)"
          + "|(?:[0-9]+y)?(?:[0-9]+w)?(?:[0-9]+d)?(?:[0-9]+h)"
          + "|(?:[0-9]+[ywd])+"
          + "|(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
          + "|(?i:inf|nan))";
  private static final Pattern REPEATED =
      Pattern.compile("([+-]?" + NUMBER + ")(?:([+-])(" + NUMBER + "))?(?:x([0-9]+))?");
  private static final Pattern GAP = Pattern.compile("_(?:x([0-9]+))?");
  private static final Pattern HISTOGRAM =
      Pattern.compile("(\\{\\{.*?}})(?:([+-])(\\{\\{.*?}}))?(?:x([0-9]+))?");

  /** One position: a number, a histogram, or no sample. */
  record Item(double value, Histogram histogram, boolean present) {
    static final Item NONE = new Item(0, null, false);

    static Item of(double value) {
      return new Item(value, null, true);
    }

    static Item of(Histogram histogram) {
      return new Item(Staleness.MARKER, histogram, true);
    }
  }

  /** A series and its items. */
  record Line(Labels labels, List<Item> items, boolean startTimes) {}

  private final int number;

  /**
   * @param number the number of the line, for error messages
   */
  Notation(int number) {
    this.number = number;
  }

  Line parse(String line) throws ScriptException {
    int end = endOfSeries(line);
    Labels labels;
    try {
      labels = Parser.parseSeries(line.substring(0, end));
    } catch (ParseException e) {
      throw new ScriptException(number, e.getMessage());
    }
    String rest = line.substring(end);
    boolean startTimes = rest.startsWith("@st");
    List<Item> items = startTimes ? List.of() : items(rest.strip());
    return new Line(labels, items, startTimes);
  }

  /** The index after the name and the braces. */
  private int endOfSeries(String line) throws ScriptException {
    int at = 0;
    while (at < line.length() && !Character.isWhitespace(line.charAt(at))) {
      char c = line.charAt(at);
      if (c == '@') {
        return at;
      }
      if (c == '{') {
        return endOfBraces(line, at);
      }
      at++;
    }
    int next = at;
    while (next < line.length() && Character.isWhitespace(line.charAt(next))) {
      next++;
    }
    boolean braces = line.startsWith("{", next) && !line.startsWith("{{", next);
    return braces ? endOfBraces(line, next) : at;
  }

  private int endOfBraces(String line, int from) throws ScriptException {
    char quote = 0;
    for (int at = from; at < line.length(); at++) {
      char c = line.charAt(at);
      if (quote != 0) {
        if (c == '\\' && quote != '`') {
          at++;
        } else if (c == quote) {
          quote = 0;
        }
      } else if (c == '"' || c == '\'' || c == '`') {
        quote = c;
      } else if (c == '}') {
        return at + 1;
      }
    }
    throw new ScriptException(number, "the braces of a series are not closed: " + line);
  }

  private List<Item> items(String text) throws ScriptException {
    List<Item> items = new ArrayList<>();
    int at = 0;
    while (at < text.length()) {
      if (Character.isWhitespace(text.charAt(at))) {
        at++;
        continue;
      }
      int end = at;
      int depth = 0;
      while (end < text.length() && (depth > 0 || !Character.isWhitespace(text.charAt(end)))) {
        depth += text.charAt(end) == '{' ? 1 : text.charAt(end) == '}' ? -1 : 0;
        end++;
      }
      item(text.substring(at, end), items);
      at = end;
    }
    return items;
  }

  private void item(String text, List<Item> items) throws ScriptException {
    Matcher gap = GAP.matcher(text);
    if (gap.matches()) {
      repeat(items, Item.NONE, gap.group(1) == null ? 1 : count(gap.group(1)));
      return;
    }
    if (text.equals("stale")) {
      items.add(Item.of(Staleness.MARKER));
      return;
    }
    Matcher repeated = REPEATED.matcher(text);
    if (repeated.matches()) {
      double value = value(repeated.group(1));
      double added = repeated.group(3) == null ? 0 : value(repeated.group(3));
      int more = repeated.group(4) == null ? 0 : count(repeated.group(4));
      if (repeated.group(3) == null) {
        repeat(items, Item.of(value), more + 1);
        return;
      }
      for (int i = 0; i <= more; i++) {
        items.add(Item.of(value));
        value = "-".equals(repeated.group(2)) ? value - added : value + added;
      }
      return;
    }
    Matcher histogram = HISTOGRAM.matcher(text);
    if (histogram.matches()) {
      histograms(histogram, items);
      return;
    }
    throw new ScriptException(number, "\"" + text + "\" is no sample");
  }

  private void histograms(Matcher text, List<Item> items) throws ScriptException {
    HistogramNotation notation = new HistogramNotation(number);
    Histogram value = notation.parse(text.group(1));
    int more = text.group(4) == null ? 0 : count(text.group(4));
    if (text.group(3) == null) {
      repeat(items, Item.of(value), more + 1);
      return;
    }
    Histogram added = notation.parse(text.group(3));
    for (int i = 0; i <= more; i++) {
      items.add(Item.of(value));
      value = HistogramNotation.sum(value, added, "-".equals(text.group(2)) ? -1 : 1);
    }
  }

  private void repeat(List<Item> items, Item item, int times) {
    for (int i = 0; i < times; i++) {
      items.add(item);
    }
  }

  private int count(String digits) throws ScriptException {
    if (digits.length() > 9 || Integer.parseInt(digits) > MAX_POSITIONS) {
      throw new ScriptException(
          number, digits + " positions are too many, allowed are " + MAX_POSITIONS);
    }
    return Integer.parseInt(digits);
  }

  /** A decimal number, or a duration in seconds. */
  static double value(String text) {
    String digits = text.startsWith("+") || text.startsWith("-") ? text.substring(1) : text;
    double value =
        switch (digits.toLowerCase(java.util.Locale.ROOT)) {
          case "inf" -> Double.POSITIVE_INFINITY;
          case "nan" -> Double.NaN;
          default -> {
            char last = digits.charAt(digits.length() - 1);
            yield Character.isLetter(last)
                ? Durations.parse(digits) / 1000.0
                : Double.parseDouble(digits);
          }
        };
    return text.startsWith("-") ? -value : value;
  }
}
