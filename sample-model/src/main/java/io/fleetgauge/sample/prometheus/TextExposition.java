package io.fleetgauge.sample.prometheus;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes a tick in Prometheus's text format, version 0.0.4, one family behind the other. What a
 * name may not have in it becomes an underscore.
 */
public final class TextExposition {
  public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  /**
   * The type and help of a metric.
   *
   * @param type counter, gauge or untyped
   * @param help one sentence
   */
  public record Family(String type, String help) {}

  private TextExposition() {}

  /**
   * @param tick what was read; series that end here are left out
   * @param families type and help by metric name; a metric that is missing there is untyped
   */
  public static String write(Tick tick, Map<String, Family> families) {
    Map<String, StringBuilder> linesByName = new TreeMap<>();
    Map<String, String> metrics = new HashMap<>();
    for (int i = 0; i < tick.size(); i++) {
      if (!Staleness.isMarker(tick.values()[i])) {
        Labels labels = tick.series().get(i);
        String written = NameEscaping.UNDERSCORES.escaped(labels.metric(), true);
        metrics.putIfAbsent(written, labels.metric());
        StringBuilder lines = linesByName.computeIfAbsent(written, name -> new StringBuilder());
        line(lines.append(written), labels, tick.values()[i]);
      }
    }
    StringBuilder text = new StringBuilder();
    linesByName.forEach(
        (name, lines) -> {
          Family family = families.get(metrics.get(name));
          if (family != null) {
            text.append("# HELP ").append(name).append(' ');
            text.append(family.help().replace("\\", "\\\\").replace("\n", "\\n")).append('\n');
          }
          text.append("# TYPE ").append(name).append(' ');
          text.append(family == null ? "untyped" : family.type()).append('\n').append(lines);
        });
    return text.toString();
  }

  private static void line(StringBuilder out, Labels labels, double value) {
    char separator = '{';
    for (int i = 0; i < labels.size(); i++) {
      if (!labels.name(i).equals(Labels.NAME)) {
        String name = NameEscaping.UNDERSCORES.escaped(labels.name(i), false);
        out.append(separator).append(name).append("=\"");
        out.append(
            labels.value(i).replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n"));
        out.append('"');
        separator = ',';
      }
    }
    if (separator == ',') {
      out.append('}');
    }
    out.append(' ').append(Numbers.text(value)).append('\n');
  }
}
