package io.fleetgauge.load.nodes;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.prometheus.Numbers;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A file for {@code promtool test rules}: series at regular times, and what is expected of rules.
 */
final class RuleTestFile {
  private static final long NOTHING = 0x7ff8_0000_0000_deadL;
  private static final double MISSING = Double.longBitsToDouble(NOTHING);

  private final List<Path> rules;
  private final Set<String> metrics;
  private final long start;
  private final long tickMillis;
  private final int ticks;
  private final Map<Labels, double[]> series = new TreeMap<>();
  private final StringBuilder expected = new StringBuilder();

  /**
   * @param metrics names of the series that are taken
   * @param start time of the first tick, ms since the epoch
   */
  RuleTestFile(List<Path> rules, Set<String> metrics, long start, Duration tick, int ticks) {
    this.rules = rules;
    this.metrics = metrics;
    this.start = start;
    this.tickMillis = tick.toMillis();
    this.ticks = ticks;
  }

  void add(Tick tick) {
    int at = (int) ((tick.time() - start) / tickMillis);
    for (int i = 0; i < tick.size(); i++) {
      Labels labels = tick.series().get(i);
      if (metrics.contains(labels.metric())) {
        series.computeIfAbsent(labels, key -> none())[at] = tick.values()[i];
      }
    }
  }

  private double[] none() {
    double[] values = new double[ticks];
    Arrays.fill(values, MISSING);
    return values;
  }

  /** Expects of an expression at the end exactly these label sets, each with the value 1. */
  void expect(String expression, Set<String> labels) {
    expected.append("      - expr: '").append(expression).append("'\n");
    expected.append("        eval_time: ").append(seconds(ticks - 1)).append("s\n");
    expected.append("        exp_samples:").append(labels.isEmpty() ? " []\n" : "\n");
    for (String each : new TreeSet<>(labels)) {
      expected.append("          - {labels: '").append(each).append("', value: 1}\n");
    }
  }

  private long seconds(int tick) {
    return tick * tickMillis / 1_000;
  }

  void write(Path file) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      out.write("rule_files:\n");
      for (Path each : rules) {
        out.write("  - '" + each + "'\n");
      }
      out.write("evaluation_interval: 1m\ntests:\n");
      out.write("  - interval: " + tickMillis / 1_000 + "s\n    input_series:\n");
      for (var each : series.entrySet()) {
        out.write("      - series: '" + each.getKey() + "'\n        values: '");
        out.write(values(each.getValue()) + "'\n");
      }
      out.write("    promql_expr_test:\n" + expected);
    }
  }

  /** Equal values after each other are written once, with how often they follow. */
  private static String values(double[] values) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < values.length; ) {
      int end = i + 1;
      long bits = Double.doubleToRawLongBits(values[i]);
      while (end < values.length && Double.doubleToRawLongBits(values[end]) == bits) {
        end++;
      }
      text.append(text.isEmpty() ? "" : " ").append(value(values[i], end - i));
      i = end;
    }
    return text.toString();
  }

  private static String value(double value, int times) {
    if (Double.doubleToRawLongBits(value) == NOTHING) {
      return "_x" + times;
    }
    if (Staleness.isMarker(value)) {
      return String.join(" ", Collections.nCopies(times, "stale"));
    }
    String text = Numbers.text(value);
    return times == 1 ? text : text + "x" + (times - 1);
  }
}
