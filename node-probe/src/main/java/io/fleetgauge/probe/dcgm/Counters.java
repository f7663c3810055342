package io.fleetgauge.probe.dcgm;

import io.fleetgauge.sample.gpu.GpuMetrics;
import io.fleetgauge.sample.gpu.Tier;
import io.fleetgauge.sample.vocabulary.AliasTable;
import io.fleetgauge.sample.vocabulary.MetricAlias;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Metrics and labels that a list of counters chooses: one line for each, with the field, a type and
 * a help text, separated by commas. Immutable.
 */
public final class Counters {
  /** Nothing is chosen, so every metric is sent. */
  public static final Counters ALL = new Counters(Map.of(), Set.of(), List.of());

  /** Most lines of a list; what is beyond is not read. */
  static final int MAX_LINES = 10_000;

  private static final int MAX_LINE = 4_096;
  private static final int MAX_WARNINGS = 100;
  private static final int MOST_SHOWN = 80;
  private static final String OF_DCGM = "DCGM_";
  private static final Set<String> TYPES = Set.of("gauge", "counter", "histogram", "summary");
  private static final Map<String, MetricAlias> ALIASES = aliases();
  private static final Map<String, String> LABELS = labelNames();

  private final Map<String, List<Counter>> metrics;
  private final Set<String> labels;
  private final List<String> warnings;

  private Counters(Map<String, List<Counter>> metrics, Set<String> labels, List<String> warnings) {
    this.metrics = metrics;
    this.labels = labels;
    this.warnings = warnings;
  }

  private static Map<String, MetricAlias> aliases() {
    Map<String, MetricAlias> all = new HashMap<>();
    for (MetricAlias alias : AliasTable.builtIn().metrics()) {
      all.put(alias.name(), alias);
    }
    return all;
  }

  /** The labels that can be chosen, by each of their names. */
  private static Map<String, String> labelNames() {
    Map<String, String> names = new HashMap<>();
    GpuMetrics.labels().forEach(name -> names.put(name, name));
    names.put("DCGM_FI_SYSTEM_DRIVER_VERSION", "DCGM_FI_DRIVER_VERSION");
    names.put("DCGM_FI_SYSTEM_NVML_VERSION", "DCGM_FI_NVML_VERSION");
    names.put("DCGM_FI_DEV_BOARD_SERIAL", "DCGM_FI_DEV_SERIAL");
    return names;
  }

  /** The choice of a list. */
  public static Counters parse(String text) {
    Reading reading = new Reading();
    String[] lines = text.split("\r?\n|\r", -1);
    for (int i = 0; i < Math.min(lines.length, MAX_LINES); i++) {
      reading.line(i + 1, lines[i]);
    }
    if (lines.length > MAX_LINES) {
      reading.warn(MAX_LINES, "the lines after this one are not read; the limit is " + MAX_LINES);
    }
    return reading.counters();
  }

  /** Gathers the lines of a list. */
  private static final class Reading {
    private final Map<String, List<Counter>> metrics = new LinkedHashMap<>();
    private final Set<String> labels = new TreeSet<>();
    private final Set<String> fields = new TreeSet<>();
    private final List<String> warnings = new ArrayList<>();
    private int omitted;

    private void warn(int line, String text) {
      if (warnings.size() < MAX_WARNINGS) {
        warnings.add("line " + line + ": " + text);
      } else {
        omitted++;
      }
    }

    private void line(int number, String raw) {
      String line = number == 1 && raw.startsWith("\uFEFF") ? raw.substring(1) : raw;
      if (line.isBlank() || line.stripLeading().startsWith("#")) {
        return;
      }
      if (line.length() > MAX_LINE) {
        warn(number, "it has " + line.length() + " characters; the limit is " + MAX_LINE);
        return;
      }
      List<String> cells = cells(line);
      if (cells.size() < 3) {
        warn(number, "\"" + shown(line) + "\" has no field, type and help separated by commas");
        return;
      }
      String field = cells.get(0);
      String type = cells.get(1);
      String help = String.join(",", cells.subList(2, cells.size())).strip();
      if (!fields.add(field)) {
        warn(number, "the field " + shown(field) + " is chosen twice; this line is ignored");
      } else if (type.equals("label")) {
        label(number, field);
      } else if (!TYPES.contains(type)) {
        warn(
            number,
            "the type \""
                + shown(type)
                + "\" of "
                + shown(field)
                + " is none of counter, gauge, histogram, label and summary");
      } else {
        metric(number, field, type, help);
      }
    }

    private void label(int number, String field) {
      String label = LABELS.get(field);
      if (label == null) {
        warn(number, "this probe does not know the label " + shown(field));
      } else {
        labels.add(label);
      }
    }

    private void metric(int number, String field, String type, String help) {
      MetricAlias alias = ALIASES.get(field);
      String stored = alias == null ? field : alias.stored();
      if (!stored.startsWith(OF_DCGM) || GpuMetrics.find(stored).isEmpty()) {
        warn(number, "this probe does not read the field " + shown(field));
        return;
      }
      metrics
          .computeIfAbsent(stored, none -> new ArrayList<>())
          .add(new Counter(field, type, help));
    }

    private Counters counters() {
      List<String> all = new ArrayList<>(warnings);
      if (omitted > 0) {
        all.add("and " + omitted + " more");
      }
      if (metrics.isEmpty()) {
        all.add("no line chooses a metric that is read, so all metrics are sent");
      }
      Map<String, List<Counter>> copy = new LinkedHashMap<>();
      metrics.forEach((stored, chosen) -> copy.put(stored, List.copyOf(chosen)));
      return new Counters(Collections.unmodifiableMap(copy), Set.copyOf(labels), List.copyOf(all));
    }
  }

  private static String shown(String text) {
    String printable = text.replaceAll("\\p{Cntrl}", "?");
    return printable.length() <= MOST_SHOWN ? printable : printable.substring(0, MOST_SHOWN) + "…";
  }

  /** The cells of a line without blanks around them; a cell in quotes may have commas. */
  private static List<String> cells(String line) {
    List<String> cells = new ArrayList<>();
    StringBuilder cell = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == '"' && quoted && i + 1 < line.length() && line.charAt(i + 1) == '"') {
        cell.append('"');
        i++;
      } else if (c == '"' && (quoted || cell.toString().isBlank())) {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        cells.add(cell.toString().strip());
        cell.setLength(0);
      } else {
        cell.append(c);
      }
    }
    cells.add(cell.toString().strip());
    return cells;
  }

  /** Tells whether a metric is sent. Metrics that are not dcgm-exporter's always are. */
  public boolean has(String stored) {
    return metrics.isEmpty() || !stored.startsWith(OF_DCGM) || metrics.containsKey(stored);
  }

  /** Under which names, types and help a metric was chosen; empty when all metrics are sent. */
  public Optional<List<Counter>> of(String stored) {
    return Optional.ofNullable(metrics.get(stored));
  }

  /** The metrics that were chosen; none when all are sent. */
  public Set<String> metrics() {
    return metrics.keySet();
  }

  /** Labels that the series of a GPU get in addition. */
  public Set<String> labels() {
    return labels;
  }

  /** Tells whether a metric was chosen that is read link by link. */
  public boolean hasLinks() {
    return metrics.keySet().stream().anyMatch(name -> GpuMetrics.of(name).tier() == Tier.LINK);
  }

  /** Problems of the list, line by line. */
  public List<String> warnings() {
    return warnings;
  }
}
