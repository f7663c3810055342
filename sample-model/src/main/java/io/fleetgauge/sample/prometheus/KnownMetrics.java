package io.fleetgauge.sample.prometheus;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.gpu.GpuMetric;
import io.fleetgauge.sample.gpu.GpuMetrics;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Type, unit and help of the metrics of GPUs and nodes, under the names of dcgm-exporter and
 * node_exporter: those of {@link GpuMetrics} and those of {@link HostMetrics}.
 */
public final class KnownMetrics {
  private static final Map<String, MetricMetadata> TABLE = read();

  private KnownMetrics() {}

  /** The metrics of GPUs by name, in the order of their table. */
  public static Map<String, MetricMetadata> all() {
    return TABLE;
  }

  /**
   * The metadata of a metric; empty when neither the table of GPUs nor node_exporter has its name.
   */
  public static Optional<MetricMetadata> of(String name) {
    return Optional.ofNullable(TABLE.get(name)).or(() -> HostMetrics.of(name));
  }

  /** Type and help of every metric of a tick, by name. */
  public static Map<String, TextExposition.Family> families(Tick tick) {
    Map<String, TextExposition.Family> families = new HashMap<>();
    for (Labels labels : tick.series()) {
      of(labels.metric())
          .ifPresent(
              known ->
                  families.put(
                      labels.metric(), new TextExposition.Family(known.textType(), known.help())));
    }
    return families;
  }

  private static Map<String, MetricMetadata> read() {
    Map<String, MetricMetadata> table = new LinkedHashMap<>();
    for (GpuMetric metric : GpuMetrics.all()) {
      table.put(metric.name(), new MetricMetadata(metric.type(), metric.help(), metric.unit()));
    }
    return Collections.unmodifiableMap(table);
  }
}
