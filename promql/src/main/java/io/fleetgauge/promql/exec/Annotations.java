package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.syntax.Span;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Gathers warnings and infos as Prometheus does: the same text once, with the position of the part
 * that said it last, and at most ten of a level.
 */
final class Annotations {
  private static final int MAX = 10;

  private final String query;
  private final Deque<Remarks> layers = new ArrayDeque<>();

  /** What a part of a query has had to say. */
  static final class Remarks {
    private final Map<String, Span> warnings = new LinkedHashMap<>();
    private final Map<String, Span> infos = new LinkedHashMap<>();
  }

  Annotations(String query) {
    this.query = query;
    layers.push(new Remarks());
  }

  void warn(String text, Span span) {
    layers.peek().warnings.put(text, span);
  }

  void info(String text, Span span) {
    layers.peek().infos.put(text, span);
  }

  /**
   * Keeps what is said from now on apart, for a part that is evaluated before another in whose wake
   * it would be.
   */
  void begin() {
    layers.push(new Remarks());
  }

  /** Ends the innermost {@link #begin}. */
  Remarks end() {
    return layers.pop();
  }

  /** Says now what was kept apart. */
  void add(Remarks remarks) {
    layers.peek().warnings.putAll(remarks.warnings);
    layers.peek().infos.putAll(remarks.infos);
  }

  List<String> warnings() {
    return lines("PromQL warning: ", "warning", layers.peek().warnings);
  }

  List<String> infos() {
    return lines("PromQL info: ", "info", layers.peek().infos);
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
