package io.fleetgauge.promql.fragment.form;

import io.fleetgauge.sample.vocabulary.Aliases;
import io.fleetgauge.sample.vocabulary.Factor;
import io.fleetgauge.sample.vocabulary.MetricAlias;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** The aliases that a query uses. */
final class AliasesForm {
  /** Of a factor. */
  private static final int BYTES = 16;

  private AliasesForm() {}

  static void write(WireWriter out, Aliases aliases) {
    out.uvar(aliases.metrics().size());
    for (MetricAlias metric : new TreeMap<>(aliases.metrics()).values()) {
      out.string(metric.name()).string(metric.stored());
      out.f64(metric.factor().multiply()).f64(metric.factor().divide());
    }
    out.uvar(aliases.labels().size());
    new TreeMap<>(aliases.labels()).forEach((name, stored) -> out.string(name).string(stored));
  }

  /** Units and help are not sent: evaluation does not need them. */
  static Aliases read(WireReader in) throws WireException {
    Map<String, MetricAlias> metrics = new HashMap<>();
    int count = in.count(2 + BYTES, "aliases of metrics");
    for (int i = 0; i < count; i++) {
      String name = in.string("an alias");
      String stored = in.string("what an alias stands for");
      double multiply = in.f64("the factor of an alias");
      double divide = in.f64("the divisor of an alias");
      try {
        metrics.put(name, new MetricAlias(name, stored, new Factor(multiply, divide), "", ""));
      } catch (IllegalArgumentException e) {
        throw new WireException("the alias " + name + ": " + e.getMessage());
      }
    }
    Map<String, String> labels = new HashMap<>();
    int size = in.count(2, "aliases of labels");
    for (int i = 0; i < size; i++) {
      labels.put(in.string("an alias"), in.string("what an alias stands for"));
    }
    return metrics.isEmpty() && labels.isEmpty() ? Aliases.NONE : new Aliases(metrics, labels);
  }
}
