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
   * @param escaping how names are written
   */
  public static String start(Labels labels, NameEscaping escaping) {
    String metric = labels.metric();
    return hasNameInBraces(metric, escaping)
        ? braces(metric, labels, escaping)
        : name(metric, escaping) + braces("", labels, escaping);
  }

  /** Returns true if a metric's name is written among its labels, because it needs quotes. */
  public static boolean hasNameInBraces(String metric, NameEscaping escaping) {
    return escaping == NameEscaping.ALLOW_UTF_8 && !NameEscaping.isPlain(metric, true);
  }

  /** A metric's name as it begins a line, where it does. */
  public static String name(String metric, NameEscaping escaping) {
    return escaping.escaped(metric, true);
  }

  /**
   * The labels of a line but for its name, and a blank.
   *
   * @param metric the name, if it is written before the labels; else empty
   */
  public static String braces(String metric, Labels labels, NameEscaping escaping) {
    StringBuilder line = new StringBuilder(160);
    line.append('{');
    if (!metric.isEmpty()) {
      quote(line, metric).append(',');
    }
    for (int i = 0; i < labels.size(); i++) {
      String name = labels.name(i);
      if (!name.equals(Labels.NAME)) {
        label(line, name, escaping).append('=');
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
  public static String type(String metric, NameEscaping escaping) {
    StringBuilder line = new StringBuilder("# TYPE ");
    if (hasNameInBraces(metric, escaping)) {
      quote(line, metric);
    } else {
      line.append(name(metric, escaping));
    }
    return line.append(" untyped\n").toString();
  }

  private static StringBuilder label(StringBuilder line, String name, NameEscaping escaping) {
    return escaping == NameEscaping.ALLOW_UTF_8 && !NameEscaping.isPlain(name, false)
        ? quote(line, name)
        : line.append(escaping.escaped(name, false));
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
}
