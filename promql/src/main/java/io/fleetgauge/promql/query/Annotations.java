package io.fleetgauge.promql.query;

import io.fleetgauge.promql.expr.TextSpan;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Gathers warnings and infos as Prometheus does: the same text once, with the position of the part
 * that raised it last, and at most ten of a level.
 */
public final class Annotations {
  /** The beginning of each info of an answer. */
  public static final String INFO = "PromQL info: ";

  private static final int MAX = 10;

  private final String query;
  private final Deque<Layer> layers = new ArrayDeque<>();

  /** The annotations of a part of a query. */
  public static final class Layer {
    private final Map<String, TextSpan> warnings = new LinkedHashMap<>();
    private final Map<String, TextSpan> infos = new LinkedHashMap<>();
  }

  public Annotations(String query) {
    this.query = query;
    layers.push(new Layer());
  }

  public void warn(String text, TextSpan span) {
    layers.peek().warnings.put(text, span);
  }

  public void info(String text, TextSpan span) {
    layers.peek().infos.put(text, span);
  }

  /**
   * Keeps the annotations from now on apart, for a part that is evaluated earlier than Prometheus
   * evaluates it. {@link #add(Layer)} adds them in Prometheus's order.
   */
  public void begin() {
    layers.push(new Layer());
  }

  /** Ends the innermost {@link #begin}. */
  public Layer end() {
    return layers.pop();
  }

  /** Adds annotations that were kept apart. */
  public void add(Layer layer) {
    layers.peek().warnings.putAll(layer.warnings);
    layers.peek().infos.putAll(layer.infos);
  }

  /** Adds the annotations of a part that was evaluated elsewhere. */
  public void add(List<Annotation> annotations) {
    for (Annotation annotation : annotations) {
      if (annotation.warning()) {
        warn(annotation.text(), annotation.span());
      } else {
        info(annotation.text(), annotation.span());
      }
    }
  }

  public List<Annotation> annotations() {
    List<Annotation> annotations = new ArrayList<>();
    layers
        .peek()
        .warnings
        .forEach((text, span) -> annotations.add(new Annotation(true, text, span)));
    layers.peek().infos.forEach((text, span) -> annotations.add(new Annotation(false, text, span)));
    return annotations;
  }

  public List<String> warnings() {
    return lines("PromQL warning: ", "warning", layers.peek().warnings);
  }

  public List<String> infos() {
    return lines(INFO, "info", layers.peek().infos);
  }

  private List<String> lines(String prefix, String level, Map<String, TextSpan> texts) {
    List<String> lines = new ArrayList<>();
    // Sorted, so that the order of evaluation does not show.
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
