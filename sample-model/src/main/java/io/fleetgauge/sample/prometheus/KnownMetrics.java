package io.fleetgauge.sample.prometheus;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.gpu.GpuMetric;
import io.fleetgauge.sample.gpu.GpuMetrics;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Type, unit and help of the metrics of GPUs and nodes, under the names of dcgm-exporter and
 * node_exporter: those of {@link GpuMetrics}, and those of nodes in {@code known-metrics.csv}.
 */
public final class KnownMetrics {
  private static final Map<String, MetricMetadata> TABLE = read();

  private KnownMetrics() {}

  /** The table by metric name, in its own order. */
  public static Map<String, MetricMetadata> all() {
    return TABLE;
  }

  /** Names of all counters of GPUs, without those of the reading itself. */
  public static List<String> gpuCounters() {
    return GpuMetrics.counters();
  }

  /** The metadata of a metric; empty when neither the table nor node_exporter has its name. */
  public static Optional<MetricMetadata> of(String name) {
    MetricMetadata known = TABLE.get(name);
    if (known != null) {
      return Optional.of(known);
    }
    return name.startsWith("node_") ? Optional.of(ofNode(name)) : Optional.empty();
  }

  /** Type and help of every metric of a tick, by name. */
  public static Map<String, TextExposition.Family> families(Tick tick) {
    Map<String, TextExposition.Family> families = new HashMap<>();
    for (Labels labels : tick.series()) {
      of(labels.metric())
          .ifPresent(
              known ->
                  families.put(
                      labels.metric(), new TextExposition.Family(known.type(), known.help())));
    }
    return families;
  }

  private static MetricMetadata ofNode(String name) {
    String type = name.endsWith("_total") ? "counter" : "gauge";
    String[] words = name.split("_", 3);
    String field = words.length == 3 ? words[2] : "";
    String help =
        switch (words[1]) {
          case "cpu" -> "Seconds the CPUs spent in each mode.";
          case "memory" -> "Memory information field " + field + ".";
          case "network" -> "Network device statistic " + field + ".";
          case "disk" -> "Disk statistic " + field + ".";
          case "filesystem" -> "Filesystem statistic " + field + ".";
          default -> name;
        };
    String unit = name.contains("_bytes") ? "bytes" : name.contains("_seconds") ? "seconds" : "";
    return new MetricMetadata(type, help, unit);
  }

  private static Map<String, MetricMetadata> read() {
    Map<String, MetricMetadata> table = new LinkedHashMap<>();
    for (GpuMetric metric : GpuMetrics.all()) {
      table.put(metric.name(), new MetricMetadata(metric.type(), metric.help(), metric.unit()));
    }
    try (InputStream in = KnownMetrics.class.getResourceAsStream("known-metrics.csv");
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      lines.readLine(); // column names
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] cells = line.split(",", 4);
        String help =
            cells[3].startsWith("\"") ? cells[3].substring(1, cells[3].length() - 1) : cells[3];
        table.put(cells[0], new MetricMetadata(cells[1], help, cells[2]));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Collections.unmodifiableMap(table);
  }
}
