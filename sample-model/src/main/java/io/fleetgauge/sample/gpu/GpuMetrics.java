package io.fleetgauge.sample.gpu;

import io.fleetgauge.sample.gpu.GpuMetric.Entity;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The table of {@code gpu-metrics.tsv}, in its own order. */
public final class GpuMetrics {
  private static final int COLUMNS = 8;
  private static final Map<String, GpuMetric> TABLE = read();
  private static final Set<String> LABELS =
      Collections.unmodifiableSet(
          new TreeSet<>(
              Set.of(
                  "DCGM_FI_DRIVER_VERSION",
                  "DCGM_FI_NVML_VERSION",
                  "DCGM_FI_DEV_SERIAL",
                  "DCGM_FI_DEV_VBIOS_VERSION")));

  private GpuMetrics() {}

  public static Collection<GpuMetric> all() {
    return TABLE.values();
  }

  public static Optional<GpuMetric> find(String name) {
    return Optional.ofNullable(TABLE.get(name));
  }

  /**
   * The metric of this name.
   *
   * @throws IllegalArgumentException if the table lacks it
   */
  public static GpuMetric of(String name) {
    return find(name)
        .orElseThrow(
            () ->
                new IllegalArgumentException("gpu-metrics.tsv has no metric " + name + "; add it"));
  }

  /** Labels of dcgm-exporter that the series of a GPU can have in addition. */
  public static Set<String> labels() {
    return LABELS;
  }

  /** Names of the counters of GPUs, without those of the reading itself. */
  public static List<String> counters() {
    return TABLE.values().stream()
        .filter(metric -> metric.isCounter() && !metric.entities().contains(Entity.PROBE))
        .map(GpuMetric::name)
        .toList();
  }

  private static Map<String, GpuMetric> read() {
    Map<String, GpuMetric> table = new LinkedHashMap<>();
    try (InputStream in = GpuMetrics.class.getResourceAsStream("gpu-metrics.tsv")) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      for (String line : text.lines().skip(1).toList()) { // the first has the names of columns
        GpuMetric metric = metric(line.split("\\t", -1));
        if (table.put(metric.name(), metric) != null) {
          throw new IllegalStateException("gpu-metrics.tsv has " + metric.name() + " twice");
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Collections.unmodifiableMap(table);
  }

  private static GpuMetric metric(String[] cells) {
    if (cells.length != COLUMNS) {
      throw new IllegalStateException(
          "a line of gpu-metrics.tsv has " + cells.length + " columns: " + cells[0]);
    }
    Set<Entity> entities = EnumSet.noneOf(Entity.class);
    for (String entity : cells[4].split("\\|")) {
      entities.add(Entity.valueOf(entity.toUpperCase(Locale.ROOT)));
    }
    return new GpuMetric(
        cells[0],
        cells[1],
        cell(cells[2]),
        cells[7],
        Tier.valueOf(cells[3].toUpperCase(Locale.ROOT)),
        Collections.unmodifiableSet(entities),
        cell(cells[5]),
        cells[6].equals("default"));
  }

  private static String cell(String text) {
    return text.equals("-") ? "" : text;
  }
}
