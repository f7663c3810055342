package io.fleetgauge.sample.prometheus;

import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * Reads Prometheus's text format, version 0.0.4, as exporters write it: with help, types and
 * timestamps, and with quoted names as of version 1.0.0.
 *
 * @see <a href="https://prometheus.io/docs/instrumenting/exposition_formats/">Exposition
 *     formats</a>
 */
public final class TextExpositionReader {
  /** Most labels of a sample. */
  public static final int MAX_LABELS = 256;

  /**
   * One line.
   *
   * @param time ms since the epoch, when the line has one
   */
  public record Sample(Labels labels, double value, OptionalLong time) {}

  /**
   * The content of a page.
   *
   * @param families type and help by metric name, as the comments say it
   */
  public record Exposition(List<Sample> samples, Map<String, TextExposition.Family> families) {}

  /** A line that is not of the format; the message says which one and what is wrong with it. */
  public static final class BadLine extends Exception {
    private static final long serialVersionUID = 1L;

    private BadLine(int number, int column, String what) {
      super("line " + number + ", character " + column + ": " + what);
    }
  }

  private final String text;
  private int at;
  private int line = 1;
  private int lineAt;
  private final List<Sample> samples = new ArrayList<>();
  private final Map<String, String> types = new HashMap<>();
  private final Map<String, String> helps = new HashMap<>();

  private TextExpositionReader(String text) {
    this.text = text;
  }

  /**
   * @throws BadLine at the first line that is not of the format; nothing of the text counts then
   */
  public static Exposition read(String text) throws BadLine {
    return new TextExpositionReader(text).read();
  }

  private Exposition read() throws BadLine {
    while (at < text.length()) {
      lineAt = at;
      skipBlanks();
      if (isEnd()) {
        // An empty line.
      } else if (text.charAt(at) == '#') {
        comment();
      } else {
        sample();
      }
      if (at < text.length()) {
        at++; // the line feed
        line++;
      }
    }
    Map<String, TextExposition.Family> families = new HashMap<>();
    types.forEach(
        (name, type) ->
            families.put(name, new TextExposition.Family(type, helps.getOrDefault(name, ""))));
    helps.forEach(
        (name, help) -> families.putIfAbsent(name, new TextExposition.Family("untyped", help)));
    return new Exposition(samples, families);
  }

  private boolean isEnd() {
    return at == text.length() || text.charAt(at) == '\n';
  }

  private boolean is(char c) {
    return at < text.length() && text.charAt(at) == c;
  }

  private void skipBlanks() {
    while (is(' ') || is('\t') || is('\r')) {
      at++;
    }
  }

  private BadLine bad(String what) {
    return new BadLine(line, at - lineAt + 1, what);
  }

  private void comment() throws BadLine {
    at++;
    skipBlanks();
    String keyword = word();
    if (keyword.equals("TYPE") || keyword.equals("HELP")) {
      skipBlanks();
      String name = is('"') ? quoted() : word();
      skipBlanks();
      int from = at;
      toEnd();
      String rest = text.substring(from, at).stripTrailing();
      if (keyword.equals("TYPE")) {
        if (types.putIfAbsent(name, rest) != null) {
          throw bad("the type of " + name + " is said twice");
        }
      } else {
        helps.put(name, unescaped(rest));
      }
    }
    toEnd();
  }

  private String word() {
    int from = at;
    while (!isEnd() && !is(' ') && !is('\t') && !is('\r')) {
      at++;
    }
    return text.substring(from, at);
  }

  private void toEnd() {
    while (!isEnd()) {
      at++;
    }
  }

  private static String unescaped(String help) {
    if (help.indexOf('\\') < 0) {
      return help;
    }
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < help.length(); i++) {
      char c = help.charAt(i);
      char next = i + 1 < help.length() ? help.charAt(i + 1) : ' ';
      if (c == '\\' && (next == 'n' || next == '\\')) {
        plain.append(next == 'n' ? '\n' : '\\');
        i++;
      } else {
        plain.append(c);
      }
    }
    return plain.toString();
  }

  private void sample() throws BadLine {
    List<String> pairs = new ArrayList<>();
    if (!is('{')) {
      pairs.add(Labels.NAME);
      pairs.add(name(true));
      skipBlanks();
    }
    if (is('{')) {
      labels(pairs);
      skipBlanks();
    }
    Labels labels;
    try {
      labels = Labels.of(pairs.toArray(String[]::new));
    } catch (IllegalArgumentException e) {
      throw bad(e.getMessage());
    }
    if (labels.metric().isEmpty()) {
      throw bad("there is no metric name");
    }
    String number = word();
    // The exposition has Go's numbers of before 1.13: without underscores and hexadecimal digits.
    boolean isOfOldForm = number.chars().noneMatch(c -> c == '_' || c == 'p' || c == 'P');
    double value =
        (isOfOldForm ? Numbers.parse(number) : OptionalDouble.empty())
            .orElseThrow(() -> bad("expected is a value, found is \"" + number + "\""));
    skipBlanks();
    OptionalLong time = OptionalLong.empty();
    if (!isEnd()) {
      String millis = word();
      try {
        time = OptionalLong.of(Long.parseLong(millis));
      } catch (NumberFormatException e) {
        throw bad("expected is a timestamp in ms, found is \"" + millis + "\"");
      }
      skipBlanks();
    }
    if (!isEnd()) {
      throw bad("expected is the end of the line");
    }
    samples.add(new Sample(labels, value, time));
  }

  private String name(boolean metric) throws BadLine {
    int from = at;
    while (at < text.length() && isOfName(text.charAt(at), at == from, metric)) {
      at++;
    }
    if (at == from) {
      throw bad("expected is a name");
    }
    return text.substring(from, at);
  }

  private static boolean isOfName(char c, boolean first, boolean metric) {
    return c >= 'a' && c <= 'z'
        || c >= 'A' && c <= 'Z'
        || c == '_'
        || metric && c == ':'
        || !first && c >= '0' && c <= '9';
  }

  private void labels(List<String> pairs) throws BadLine {
    at++;
    skipBlanks();
    while (!is('}')) {
      boolean isQuoted = is('"');
      String name = isQuoted ? quoted() : name(false);
      skipBlanks();
      if (isQuoted && !is('=') && pairs.isEmpty()) {
        // A quoted metric name is written among the labels.
        pairs.add(Labels.NAME);
        pairs.add(name);
      } else {
        if (!is('=')) {
          throw bad("expected is = behind the label " + name);
        }
        at++;
        skipBlanks();
        if (!is('"')) {
          throw bad("expected is a quoted value of the label " + name);
        }
        pairs.add(name);
        pairs.add(quoted());
        if (pairs.size() > 2 * MAX_LABELS) {
          throw bad("a sample has more than " + MAX_LABELS + " labels");
        }
      }
      skipBlanks();
      if (is(',')) {
        at++;
        skipBlanks();
      } else if (!is('}')) {
        throw bad("expected is , or } behind a label");
      }
    }
    at++;
  }

  private String quoted() throws BadLine {
    at++;
    StringBuilder value = new StringBuilder();
    while (!is('"')) {
      if (isEnd()) {
        throw bad("a quoted text does not end");
      }
      char c = text.charAt(at++);
      if (c == '\\' && !isEnd()) {
        char next = text.charAt(at++);
        switch (next) {
          case 'n' -> value.append('\n');
          case '"', '\\' -> value.append(next);
          default -> value.append(c).append(next);
        }
      } else {
        value.append(c);
      }
    }
    at++;
    return value.toString();
  }
}
