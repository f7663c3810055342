package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.syntax.Span;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Gathers warnings and infos: the same text once, at most ten of a level, as Prometheus does. */
final class Annotations {
  private static final int MAX = 10;

  private final String query;
  private final Map<String, Span> warnings = new LinkedHashMap<>();
  private final Map<String, Span> infos = new LinkedHashMap<>();

  Annotations(String query) {
    this.query = query;
  }

  void warn(String text, Span span) {
    warnings.putIfAbsent(text, span);
  }

  void info(String text, Span span) {
    infos.putIfAbsent(text, span);
  }

  List<String> warnings() {
    return lines("PromQL warning: ", "warning", warnings);
  }

  List<String> infos() {
    return lines("PromQL info: ", "info", infos);
  }

  private List<String> lines(String prefix, String level, Map<String, Span> texts) {
    List<String> lines = new ArrayList<>();
    for (var text : texts.entrySet()) {
      if (lines.size() == MAX) {
        lines.add((texts.size() - MAX) + " more " + level + " annotations omitted");
        break;
      }
      lines.add(prefix + text.getKey() + " (" + text.getValue().position(query) + ")");
    }
    return lines;
  }
}
