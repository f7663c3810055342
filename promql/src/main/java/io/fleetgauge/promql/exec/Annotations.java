package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.syntax.Span;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

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

  /** Says what was said elsewhere. */
  void add(List<Remark> remarks) {
    for (Remark remark : remarks) {
      if (remark.warning()) {
        warn(remark.text(), remark.span());
      } else {
        info(remark.text(), remark.span());
      }
    }
  }

  List<Remark> remarks() {
    List<Remark> remarks = new ArrayList<>();
    layers.peek().warnings.forEach((text, span) -> remarks.add(new Remark(true, text, span)));
    layers.peek().infos.forEach((text, span) -> remarks.add(new Remark(false, text, span)));
    return remarks;
  }

  List<String> warnings() {
    return lines("PromQL warning: ", "warning", layers.peek().warnings);
  }

  List<String> infos() {
    return lines("PromQL info: ", "info", layers.peek().infos);
  }

  private List<String> lines(String prefix, String level, Map<String, Span> texts) {
    List<String> lines = new ArrayList<>();
    // In an order that does not depend on who said it first.
    for (var text : new TreeMap<>(texts).entrySet()) {
      if (lines.size() == MAX) {
        lines.add((texts.size() - MAX) + " more " + level + " annotations omitted");
        break;
      }
      lines.add(prefix + text.getKey() + " (" + text.getValue().position(query) + ")");
    }
    return lines;
  }
}
