package io.fleetgauge.sample.prometheus;

import io.fleetgauge.sample.Labels;

/** Lines of the text format as {@code /federate} writes them. */
public final class ExpositionLine {
  private static final String INSTANCE = "instance";

  private ExpositionLine() {}

  /**
   * A series' line up to its value: name, labels and a blank. A series without the label instance
   * gets an empty one, so that a scraping Prometheus does not add its own.
   *
   * @param utf8 whether names may have any characters; others become underscores if not
   */
  public static String start(Labels labels, boolean utf8) {
    String metric = labels.metric();
    return hasNameInBraces(metric, utf8)
        ? braces(metric, labels, utf8)
        : name(metric, utf8) + braces("", labels, utf8);
  }

  /** Whether a metric's name is written among its labels, because it needs quotes. */
  public static boolean hasNameInBraces(String metric, boolean utf8) {
    return utf8 && !isPlain(metric, true);
  }

  /** A metric's name as it begins a line, where it does. */
  public static String name(String metric, boolean utf8) {
    return utf8 ? metric : plain(metric, true);
  }

  /**
   * The labels of a line but for its name, and a blank.
   *
   * @param metric the name, if it is written before the labels; else empty
   */
  public static String braces(String metric, Labels labels, boolean utf8) {
    StringBuilder line = new StringBuilder(160);
    line.append('{');
    if (!metric.isEmpty()) {
      quote(line, metric).append(',');
    }
    for (int i = 0; i < labels.size(); i++) {
      String name = labels.name(i);
      if (!name.equals(Labels.NAME)) {
        name(line, name, utf8).append('=');
        quote(line, labels.value(i)).append(',');
      }
    }
    if (labels.value(INSTANCE).isEmpty()) {
      line.append("instance=\"\",");
    }
    line.setLength(line.length() - 1);
    return line.append("} ").toString();
  }

  /** The line that says of which type a family is: always none. */
  public static String type(String metric, boolean utf8) {
    StringBuilder line = new StringBuilder("# TYPE ");
    if (hasNameInBraces(metric, utf8)) {
      quote(line, metric);
    } else {
      line.append(name(metric, utf8));
    }
    return line.append(" untyped\n").toString();
  }

  private static StringBuilder name(StringBuilder line, String name, boolean utf8) {
    if (isPlain(name, false)) {
      return line.append(name);
    }
    return utf8 ? quote(line, name) : line.append(plain(name, false));
  }

  private static StringBuilder quote(StringBuilder line, String text) {
    line.append('"');
    for (int i = 0; i < text.length(); i++) {
      char each = text.charAt(i);
      switch (each) {
        case '\\' -> line.append("\\\\");
        case '"' -> line.append("\\\"");
        case '\n' -> line.append("\\n");
        default -> line.append(each);
      }
    }
    return line.append('"');
  }

  /** Whether a name has the characters that names had before they could have any. */
  private static boolean isPlain(String name, boolean colons) {
    for (int i = 0; i < name.length(); i++) {
      if (!isPlain(name.charAt(i), i, colons)) {
        return false;
      }
    }
    return !name.isEmpty();
  }

  private static boolean isPlain(int each, int at, boolean colons) {
    return each >= 'a' && each <= 'z'
        || each >= 'A' && each <= 'Z'
        || each == '_'
        || colons && each == ':'
        || at > 0 && each >= '0' && each <= '9';
  }

  private static String plain(String name, boolean colons) {
    StringBuilder plain = new StringBuilder();
    name.codePoints()
        .forEach(each -> plain.append(isPlain(each, plain.length(), colons) ? (char) each : '_'));
    return plain.toString();
  }
}
