package io.fleetgauge.runtime.process;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleConsumer;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/**
 * A process's own metrics. Values are read at each scrape of {@code /metrics}. The only class that
 * uses the metrics library.
 */
public final class Meters {
  public static final String CONTENT_TYPE = PrometheusTextFormatWriter.CONTENT_TYPE;

  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final String prefix;

  /**
   * @param prefix begins every name, such as {@code fleetgauge_probe}
   */
  public Meters(String prefix) {
    this.prefix = prefix;
  }

  /** A counter {@code prefix_name_total}. */
  public void counter(String name, String help, DoubleSupplier value) {
    CounterWithCallback.builder()
        .name(prefix + "_" + name + "_total")
        .help(help)
        .callback(out -> out.call(value.getAsDouble()))
        .register(registry);
  }

  /**
   * A counter {@code prefix_name_total} with one series for each key.
   *
   * @param labels the names of its labels
   * @param values the counts by the labels' values
   */
  public void counters(
      String name,
      String help,
      List<String> labels,
      Supplier<? extends Map<List<String>, ? extends Number>> values) {
    CounterWithCallback.builder()
        .name(prefix + "_" + name + "_total")
        .help(help)
        .labelNames(labels.toArray(String[]::new))
        .callback(
            out ->
                values
                    .get()
                    .forEach(
                        (key, count) -> out.call(count.doubleValue(), key.toArray(String[]::new))))
        .register(registry);
  }

  /** A counter {@code prefix_name_total} with one series for each value of a label. */
  public void counters(
      String name,
      String help,
      String label,
      Supplier<? extends Map<String, ? extends Number>> values) {
    counters(
        name,
        help,
        List.of(label),
        () -> {
          Map<List<String>, Number> byKey = new HashMap<>();
          values.get().forEach((value, count) -> byKey.put(List.of(value), count));
          return byKey;
        });
  }

  /** A gauge {@code prefix_name}. */
  public void gauge(String name, String help, DoubleSupplier value) {
    GaugeWithCallback.builder()
        .name(prefix + "_" + name)
        .help(help)
        .callback(out -> out.call(value.getAsDouble()))
        .register(registry);
  }

  /** A gauge {@code prefix_name} with one series for each value of a label. */
  public void gauges(String name, String help, String label, Supplier<Map<String, Double>> values) {
    GaugeWithCallback.builder()
        .name(prefix + "_" + name)
        .help(help)
        .labelNames(label)
        .callback(out -> values.get().forEach((value, figure) -> out.call(figure, value)))
        .register(registry);
  }

  /**
   * A histogram {@code prefix_name}, which takes what it is given.
   *
   * @param bounds upper bounds of its buckets, ascending, without infinity
   */
  public DoubleConsumer histogram(String name, String help, double... bounds) {
    return Histogram.builder()
            .name(prefix + "_" + name)
            .help(help)
            .classicOnly()
            .classicUpperBounds(bounds)
            .register(registry)
        ::observe;
  }

  /** All metrics in Prometheus's text format. */
  public byte[] exposition() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(4096);
    try {
      PrometheusTextFormatWriter.create().write(bytes, registry.scrape());
    } catch (IOException e) {
      throw new UncheckedIOException(e); // a byte array has no input or output to fail
    }
    return bytes.toByteArray();
  }
}
