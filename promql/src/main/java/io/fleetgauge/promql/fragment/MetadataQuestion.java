package io.fleetgauge.promql.fragment;

import io.fleetgauge.promql.fragment.form.ListForm;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The metadata that senders gave for their metrics.
 *
 * @param tenants of the senders; all when empty
 */
public record MetadataQuestion(List<String> tenants) implements Question<MetadataQuestion.Answer> {
  /**
   * @param metrics type, help and unit of each metric, by name
   */
  public record Answer(Map<String, MetricMetadata> metrics) implements Result {
    @Override
    public void write(WireWriter out, WireWriter body) {
      out.uvar(metrics.size());
      new TreeMap<>(metrics)
          .forEach(
              (name, metric) ->
                  out.string(name)
                      .string(metric.type())
                      .string(metric.help())
                      .string(metric.unit()));
    }
  }

  static MetadataQuestion read(WireReader in) throws WireException {
    return new MetadataQuestion(ListForm.strings(in, "tenants"));
  }

  @Override
  public void write(WireWriter out) {
    ListForm.strings(out, tenants);
  }

  @Override
  public Answer answer(WireReader in, byte[] bytes) throws WireException {
    int count = in.count(4, "metrics");
    Map<String, MetricMetadata> metrics = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      metrics.put(
          in.string("a metric"),
          new MetricMetadata(
              in.string("a metric's type"),
              in.string("a metric's help"),
              in.string("a metric's unit")));
    }
    return new Answer(metrics);
  }

  @Override
  public Answer answer(Holdings holdings) {
    return new Answer(holdings.metadata(tenants));
  }

  @Override
  public boolean isWork() {
    return false;
  }

  /** By metric. */
  public Map<String, MetricMetadata> merged(List<Answer> answers) {
    Map<String, MetricMetadata> all = new TreeMap<>();
    answers.forEach(answer -> all.putAll(answer.metrics));
    return all;
  }
}
