package io.fleetgauge.promql.script;

import io.fleetgauge.sample.Histogram;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A native histogram as scripts write it: {@code {{schema:0 sum:5 count:4 buckets:[1 2 1]}}}. */
final class HistogramNotation {
  private static final Pattern FIELD = Pattern.compile("([a-z_]+):(\\[[^\\]]*\\]|[^\\s\\[]+)");
  private static final Set<String> KEYS =
      Set.of(
          "schema",
          "sum",
          "count",
          "z_bucket",
          "z_bucket_w",
          "buckets",
          "offset",
          "n_buckets",
          "n_offset",
          "custom_values",
          "counter_reset_hint");

  private final int line;

  HistogramNotation(int line) {
    this.line = line;
  }

  Histogram parse(String text) throws ScriptException {
    Map<String, String> fields = new HashMap<>();
    Matcher field = FIELD.matcher(text.substring(2, text.length() - 2));
    while (field.find()) {
      if (!KEYS.contains(field.group(1))) {
        throw new ScriptException(line, "a histogram has no \"" + field.group(1) + "\": " + text);
      }
      fields.put(field.group(1), field.group(2));
    }
    try {
      return new Histogram(
          Integer.parseInt(fields.getOrDefault("schema", "0")),
          Histogram.ResetHint.valueOf(
              fields.getOrDefault("counter_reset_hint", "unknown").toUpperCase(Locale.ROOT)),
          number(fields, "count"),
          number(fields, "sum"),
          number(fields, "z_bucket_w"),
          number(fields, "z_bucket"),
          buckets(fields, "buckets", "offset"),
          buckets(fields, "n_buckets", "n_offset"),
          numbers(fields.getOrDefault("custom_values", "[]")));
    } catch (IllegalArgumentException e) {
      throw new ScriptException(line, text + " is no histogram: " + e.getMessage());
    }
  }

  private static double number(Map<String, String> fields, String key) {
    return Notation.value(fields.getOrDefault(key, "0"));
  }

  private static double[] numbers(String list) {
    String inside = list.substring(1, list.length() - 1).strip();
    if (inside.isEmpty()) {
      return new double[0];
    }
    String[] parts = inside.split("\\s+");
    double[] numbers = new double[parts.length];
    for (int i = 0; i < parts.length; i++) {
      numbers[i] = Notation.value(parts[i]);
    }
    return numbers;
  }

  private static Histogram.Buckets buckets(Map<String, String> fields, String key, String offset) {
    double[] counts = numbers(fields.getOrDefault(key, "[]"));
    int first = Integer.parseInt(fields.getOrDefault(offset, "0"));
    int[] indexes = new int[counts.length];
    for (int i = 0; i < indexes.length; i++) {
      indexes[i] = first + i;
    }
    return new Histogram.Buckets(indexes, counts);
  }

  /** {@code a + sign * b}, for histograms of one layout. */
  static Histogram sum(Histogram a, Histogram b, int sign) {
    return new Histogram(
        a.schema(),
        a.hint(),
        a.count() + sign * b.count(),
        a.sum() + sign * b.sum(),
        a.zeroThreshold(),
        a.zeroCount() + sign * b.zeroCount(),
        sum(a.positive(), b.positive(), sign),
        sum(a.negative(), b.negative(), sign),
        a.customBounds());
  }

  private static Histogram.Buckets sum(Histogram.Buckets a, Histogram.Buckets b, int sign) {
    TreeMap<Integer, Double> counts = new TreeMap<>();
    for (int i = 0; i < a.size(); i++) {
      counts.merge(a.indexes()[i], a.counts()[i], Double::sum);
    }
    for (int i = 0; i < b.size(); i++) {
      counts.merge(b.indexes()[i], sign * b.counts()[i], Double::sum);
    }
    return new Histogram.Buckets(
        counts.keySet().stream().mapToInt(Integer::intValue).toArray(),
        counts.values().stream().mapToDouble(Double::doubleValue).toArray());
  }
}
