package io.fleetgauge.promql.fragment.form;

import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Type, help and unit of metrics. */
final class MetadataForm {
  private MetadataForm() {}

  static void write(WireWriter out, Fragment.Metadata metadata) {
    ListForm.strings(out, metadata.tenants());
  }

  static Fragment question(WireReader in, long epoch, List<String> hosts) throws WireException {
    return new Fragment.Metadata(epoch, hosts, ListForm.strings(in, "tenants"));
  }

  static void write(WireWriter out, FragmentAnswer.Metadata metadata) {
    out.uvar(metadata.metrics().size());
    for (var entry : new TreeMap<>(metadata.metrics()).entrySet()) {
      MetricMetadata metric = entry.getValue();
      out.string(entry.getKey()).string(metric.type()).string(metric.help()).string(metric.unit());
    }
  }

  static FragmentAnswer answer(WireReader in, long epoch, List<String> covered)
      throws WireException {
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
    return new FragmentAnswer.Metadata(epoch, covered, metrics);
  }
}
